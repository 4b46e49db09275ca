"""Lists of the operator's commands: all can be had as JSON, and none cuts anything."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from pbem.cli.index import COMMANDS, load
from tests.operating import matches
from tests.operating.people import written
from tests.operating.site import ADDRESS, Site


def commands() -> Iterator[tuple[str, Any]]:
    """Yield every command with its words."""
    yield from ((name, load(name)) for name in COMMANDS)


LISTS = [words for words, command in commands() if (command.help or "").startswith("List ")]


def test_every_command_that_lists_can_print_json() -> None:
    assert {"acts", "player bounced", "games", "player list", "mail list", "tournament list"} <= set(LISTS)
    flags = {words: [flag for each in command.params for flag in each.opts] for words, command in commands()}
    assert [words for words in LISTS if "--json" not in flags[words]] == []


@pytest.mark.parametrize("words", LISTS)
def test_an_empty_list_is_one(words: str, site: Site) -> None:
    told = json.loads(site.pbem(*words.split(), "--json").out)
    assert isinstance(told, list)
    assert bool(told) == (words == "games")


def test_a_list_has_an_object_for_each_row_with_what_the_table_shows(site: Site) -> None:
    site.drop(written("ann@mail.example", ADDRESS, "help"))
    assert site.run_once()[:2] == [1, 1]
    for name in ("bob", "cid"):
        site.rows(
            "insert into player (name, address, epoch, created, confirmed) values (:name, :address, 0, :at, :at)",
            name=name,
            address=f"{name}@mail.example",
            at="2026-01-01 00:00:00",
        )
    site.rows("update player set bounces = 2, bounced = created where name = 'bob'")
    site.rows("update incoming set state = 'shunted', verdict = 'KeyError :a: [b], 3 times' where id = 1")
    rows = {words: site.pbem(*words.split(), "--json") for words in ("player list", "player bounced", "mail list")}
    assert {words: done.code for words, done in rows.items()} == {"player list": 0, "player bounced": 0, "mail list": 1}
    players, bounced, shunted = (json.loads(done.out) for done in rows.values())
    assert [row["player"] for row in players] == ["bob", "cid"]
    assert players[0]["plays"] == 0
    assert players[0]["last_wrote"] is None or datetime.fromisoformat(players[0]["last_wrote"])
    assert [(row["address"], row["bounces"]) for row in bounced] == [("bob@mail.example", 2)]
    assert datetime.fromisoformat(bounced[0]["last"]).tzinfo
    assert [(row["number"], row["why"]) for row in shunted] == [("1", "KeyError :a: [b], 3 times")]
    table = site.pbem("mail", "list")
    assert table.code == 1
    assert "KeyError :a: [b], 3 times" in table.out
    assert "pbem mail retry N" in table.out


@pytest.mark.slow
def test_show_tells_a_program_what_it_tells_a_person(site: Site) -> None:
    site.drop(written("ann@mail.example", ADDRESS, "help"))
    site.run_once()
    told = json.loads(site.pbem("show", "mail", "1", "--json").out)
    assert told["message"] == 1
    assert "help" in told["raw"]
    assert [each["to"] for each in told["outgoing"]] == ["ann@mail.example"]
    assert told["outgoing"][0]["message_id"] in site.pbem("show", "mail", "1").out


def test_show_cuts_nothing_however_long_it_is(site: Site) -> None:
    with site.server() as server:
        (move,) = matches.in_play(server, 1)
    site.pbem("feed", "-", "--to", move.to, stdin=move.raw)
    name = f"<{'x' * 200}@mail.example>"
    site.rows(
        "update outgoing set message_id = :name where id = (select min(id) from outgoing where match = 1)", name=name
    )
    done = site.pbem("show", "1")
    (line,) = [line for line in done.out.splitlines() if "xxx" in line]
    assert name in line
    assert "…" not in done.out
