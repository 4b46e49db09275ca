"""Versions of the rules: a match ends under those that it began by, as long as the package still carries them."""

from dataclasses import replace
from pathlib import Path

import pytest
from pbem_noughts import NOUGHTS as PACK

from notation.games import GAMES
from notation.guarded import guard
from pbem.features.house.protocol import Question, respond
from pbem.publishing import publication
from pbem.publishing.pages import Site
from pbem.signatures import Signer
from tests.correspondence import Correspondence, text
from tests.games.conftest import WITH_TIME, Offered
from tests.games.test_missing import begun, said, stored
from tests.games.test_nothing_else import personal

LINE = ("b2", "a1", "b1", "a2")
"""After these turns, b3 completes a line of X."""


def play_on(letters: Correspondence) -> None:
    """Let alice complete her line in match #1."""
    letters.reply(letters.last("alice"), "b3")


@pytest.mark.parametrize("is_guarded", [False, True], ids=["bare", "guarded"])
def test_an_old_match_ends_by_the_old_rules_and_a_new_one_by_the_new(
    letters: Correspondence, noughts: Offered, is_guarded: bool
) -> None:
    begun(letters, *LINE)
    second = noughts.second_version(PACK)
    if is_guarded:
        noughts.install(guard(second))
    assert letters.wait(minutes=1) == []
    play_on(letters)
    assert (stored(letters).winner, stored(letters).rules) == (0, 1)
    assert "0 problems" in letters.operate("check").stdout
    letters.write("alice@mail.example", WITH_TIME, to=personal(letters))
    letters.reply(letters.last("bob"), "accept")
    for number, turn in enumerate((*LINE, "b3")):
        letters.reply(letters.last(("alice", "bob")[number % 2]), turn)
    assert letters.execute("select rules, winner from match where id = 2") == [(2, 1)]
    letters.write("alice@mail.example", "record 1\nrecord 2", to=personal(letters))
    told = text(letters.last("alice"))
    assert told.count("rules=2") == 1
    assert "0 problems" in letters.operate("check").stdout


def test_a_match_whose_rules_are_gone_stops_and_goes_on_once_a_release_has_them(
    letters: Correspondence, noughts: Offered
) -> None:
    begun(letters, *LINE)
    noughts.second_version()
    letters.wait(minutes=1)
    assert stored(letters).missing is not None
    assert "the rules of Noughts by which you began" in said(letters.last("bob"))
    assert "install a release of it that still has version 1" in " ".join(letters.operate("doctor").stdout.split())
    letters.reply(letters.last("alice"), "b3")
    assert "was begun by rules of Noughts, which this server doesn't have" in said(letters.last("alice"))
    noughts.second_version(PACK)
    letters.wait(minutes=1)
    play_on(letters)
    assert stored(letters).winner == 0


def test_the_house_and_the_site_follow_the_version(letters: Correspondence, noughts: Offered, tmp_path: Path) -> None:
    begun(letters, *LINE)
    noughts.second_version(PACK)
    play_on(letters)
    assert (stored(letters).reason, stored(letters).winner) == ("X has a line on b1, b2 and b3", 0)
    old, new = (respond(Question("noughts", {}, LINE, 5, 1, version=version)).turn for version in (1, 2))
    assert old == "b3"
    assert new != "b3"
    for name in ("alice", "bob"):
        letters.write(f"{name}@mail.example", "set public on", to=personal(letters, name))
    publication.publish(
        letters.server.engine, Site("PBeM", "games@pbem.example", Signer(bytes(32))), tmp_path / "site", letters.clock()
    )
    (page,) = (tmp_path / "site").rglob("matches/*/1.html")
    assert "Alice won: X has a line" in page.read_text()


def test_a_notation_that_has_changed_is_read_as_it_was(letters: Correspondence, noughts: Offered) -> None:
    begun(letters, "b2")
    second = noughts.second_version(PACK)
    noughts.install(replace(second, notation=GAMES["kvadratik"].notation))
    letters.reply(letters.last("bob"), "a1")
    assert "bob played a1" in text(letters.last("alice"))
