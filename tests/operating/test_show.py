"""`pbem show`: one place to ask about a player, an address, a match or a message."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from pbem.mail.transports.protocols import NotAccepted
from pbem.storage.models import OutgoingState
from tests.correspondence import Correspondence, correspondence
from tests.query_plans import listened, scans

ALICE, BOB = "alice@mail.example", "bob@mail.example"


@pytest.fixture
def letters(tmp_path: Path) -> Any:
    with correspondence(tmp_path) as letters:
        letters.match("challenge bob quadraphages time=3d/move")
        yield letters


@pytest.fixture
def shown(letters: Correspondence) -> Callable[..., str]:
    """Return what `pbem show` prints, on one line."""

    def show(*words: str) -> str:
        done = letters.operate("show", *words)
        assert done.exit_code == 0, done.output
        return " ".join(done.stdout.split())

    return show


def told(letters: Correspondence, *words: str) -> Any:
    return json.loads(letters.operate("show", *words, "--json").stdout)


def test_a_player_has_what_was_refused_and_why(letters: Correspondence, shown: Callable[..., str]) -> None:
    letters.reply(letters.last("alice"), "1 a9z9")
    (refused, *_) = told(letters, "alice")["received"]
    assert refused["verdict"] == "refused"
    assert refused["why"]
    assert refused["subject"] == "Re: [pbem #1, your turn] Quadraphages: alice - bob"
    assert refused["why"][0] in shown("alice")
    assert refused["why"][0] in shown("mail", str(refused["message"]))


def test_a_player_has_their_matches_with_clocks_and_whose_turn_it_is(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "1 a7b7 i3i2")
    (match,) = [each for each in told(letters, "alice")["matches"] if each["match"] == 1]
    assert (match["game"], match["against"], match["turn"]) == ("quadraphages", "bob", "bob")
    assert match["due"] == "2026-03-05T08:00:00+00:00"
    assert match["left"][0] == "alice 3 days"


def test_a_player_is_found_by_name_address_and_number(letters: Correspondence) -> None:
    alice = told(letters, "alice")
    assert alice == told(letters, ALICE) == told(letters, "player", str(alice["player"])) == told(letters, "Alice")


def test_it_is_said_what_waits_and_until_when(letters: Correspondence, shown: Callable[..., str]) -> None:
    letters.execute(
        "update outgoing set state = 'batched', sent = null where player = (select id from player where name = 'bob')"
    )
    letters.execute(
        """update player set settings = '{"mail": "daily", "hour": "9", "zone": "UTC"}' where name = 'bob'"""
    )
    assert "batched with other news until 2026-03-02 09:00" in shown("bob")
    letters.execute("update outgoing set state = 'paused' where player = (select id from player where name = 'bob')")
    letters.execute("update player set stopped = created where name = 'bob'")
    paused = shown("bob")
    assert 'paused until they write "start", or 2027-03-02 at the latest' in paused
    assert 'wants no news since 2026-03-02; they get it again once they write "start"' in paused


def test_who_can_not_be_reached_or_is_banned_is_said_with_what_frees_them(
    letters: Correspondence, shown: Callable[..., str]
) -> None:
    letters.execute("update outgoing set state = 'suspended', sent = null where id = (select max(id) from outgoing)")
    letters.execute("update player set unreachable = created, bounces = 3, bounced = created where name = 'bob'")
    said = shown("bob")
    assert "can't be reached since 2026-03-02" in said
    assert 'suspended until a message from them or "pbem player bounced --again bob", or 2027-03-02' in said
    assert letters.operate("player", "bounced", "--again", "bob").exit_code == 0
    assert "reached" not in shown("bob")
    assert letters.operate("player", "ban", "bob", "--yes").exit_code == 0
    assert '"pbem player unban bob" opens the account again' in shown("bob")


def test_an_address_of_nobody_has_its_messages_and_an_unknown_one_is_refused(letters: Correspondence) -> None:
    letters.write("eve@far.example", "help")
    letters.execute("update outgoing set player = null where address = 'eve@far.example'")
    letters.execute("delete from player where address = 'eve@far.example'")
    eve = told(letters, "eve@far.example")
    assert eve["standing"] == ["nobody who plays here"]
    assert [row["verdict"] for row in eve["claimed"]] == ["done: help"]
    assert [row["to"] for row in eve["sent"]] == ["eve@far.example"]
    nobody = letters.operate("show", "fred@far.example")
    assert (nobody.exit_code, nobody.stdout) == (1, "")
    assert '"pbem player list" lists all of them' in nobody.stderr


def test_what_somebody_wrote_in_a_players_name_is_found_by_the_question_it_led_to(letters: Correspondence) -> None:
    letters.write(ALICE, "resign 1")
    (claimed, *_) = told(letters, "alice")["claimed"]
    assert claimed["verdict"] == "asked for confirmation"
    assert claimed["waits"] == 'waits for the "yes" of its sender until 2026-03-16 08:00'
    assert told(letters, "mail", str(claimed["message"]))["proven"] is None


def test_forged_messages_hide_no_proven_ones(letters: Correspondence) -> None:
    before = told(letters, "alice")["received"]
    columns = "key, size, source, sender, recipients, state, received"
    for number in range(20):
        forged = f"'forged {number}', 1, 'x', '{ALICE}', '[]', 'done', '2026-03-02 09:00:00'"
        letters.execute(f"insert into incoming ({columns}) values ({forged})")
    alice = told(letters, "alice")
    assert alice["received"] == before
    assert len(alice["claimed"]) == 10


def test_others_messages_are_not_the_players(letters: Correspondence) -> None:
    """Alice's turn caused a message to bob, and bob's acceptance one to alice."""
    letters.reply(letters.last("alice"), "1 a7b7 i3i2")
    authors = {row["from"] for row in told(letters, "bob")["received"]}
    assert authors == {BOB}


def test_a_message_of_ours_has_attempts_last_reply_and_when_next(
    letters: Correspondence, shown: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise NotAccepted("451 4.7.1 greylisted, come back", later=True)

    monkeypatch.setattr(type(letters.server.outbox), "send", refuse)
    letters.reply(letters.last("alice"), "games")
    ((number,),) = letters.execute("select id from outgoing where state = 'owed'")
    row = told(letters, "out", str(number))
    assert (row["to"], row["player"], row["what"], row["attempts"]) == (ALICE, "alice", "answer, match 1, turn 0", 1)
    assert row["next"] == "2026-03-02T08:01:00+00:00"
    said = shown("out", str(number))
    assert "last reply: 451 4.7.1 greylisted, come back" in said
    assert "owed: next attempt 2026-03-02 08:01" in said
    assert "451 4.7.1 greylisted, come back" in shown("alice")


@pytest.mark.parametrize("state", OutgoingState)
def test_each_state_of_an_outgoing_message_is_said(
    state: OutgoingState, letters: Correspondence, shown: Callable[..., str]
) -> None:
    letters.execute(f"update outgoing set state = '{state}' where id = 8")
    assert str(state) in shown("out", "8")


def test_a_received_message_has_the_turn_it_played_and_what_it_caused(
    letters: Correspondence, shown: Callable[..., str]
) -> None:
    letters.reply(letters.last("alice"), "1 a7b7 i3i2")
    ((number, last),) = letters.execute("select max(incoming), max(id) from outgoing")
    mail = told(letters, "mail", str(number))
    assert mail["played"] == ["match 1, turn 1: 1 a7b7 i3i2"]
    assert mail["proven"] == "alice"
    assert {row["to"] for row in mail["outgoing"]} == {ALICE, BOB}
    assert told(letters, "out", str(last))["because_of"] == number
    assert "match 1, turn 1: 1 a7b7 i3i2" in shown("mail", str(number))


def test_no_reply_token_is_printed(letters: Correspondence) -> None:
    address = str(letters.last("alice")["Reply-To"])
    token = address.partition("+")[2].partition("@")[0]
    letters.reply(letters.last("alice"), f"say write to games+{token}@pbem.example\n\n1 a9z9 {token}")
    everything = [
        letters.operate("show", *words, *more).output
        for words in (["alice"], ["bob"], ["mail", "7"], ["1"], *(["out", str(number)] for number in range(1, 12)))
        for more in ([], ["--json"])
    ]
    assert any("(token)" in each for each in everything)
    assert [each for each in everything if token in each] == []


def test_the_groups_show_the_same(letters: Correspondence) -> None:
    for group, alone in (
        (("mail", "show", "7"), ("show", "mail", "7")),
        (("mail", "show", "out", "7"), ("show", "out", "7")),
        (("player", "show", "alice"), ("show", "alice")),
        (("match", "show", "1"), ("show", "1")),
        (("match", "show", "1"), ("show", "match", "#1")),
    ):
        assert letters.operate(*group).output == letters.operate(*alone).output


def test_what_can_not_be_shown_is_said_with_what_can(letters: Correspondence) -> None:
    done = letters.operate("show", "knitting", "7")
    assert done.exit_code == 1
    assert 'Write a name, an address, the number of a match, "mail 11" or "out 13".' in done.stderr


@pytest.mark.sql
@pytest.mark.slow
def test_a_player_among_many_is_shown_by_indexes_alone(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.match("challenge bob quadraphages time=3d/move")
        letters.write("eve@far.example", "help")
        with listened(Engine) as statements:  # of whatever engine the command makes
            for words in (["alice"], ["eve@far.example"], ["none@far.example"], ["mail", "7"], ["out", "7"]):
                letters.operate("show", *words)
        statements.pop("SELECT version_num FROM alembic_version", None)
        found = scans(letters.server.engine, statements)
    assert all(any(f".{column}" in each for each in statements) for column in ("to_move", "verdict", "merged_into"))
    assert found == {}
