"""A ladder by email: entered, climbed and left, and what its end and the lists say of it."""

from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.errors import Refused
from pbem.features.tournaments import entries, hosting
from pbem.storage import database
from pbem.storage.models import Entry, Player
from tests.correspondence import Correspondence, correspondence, text

NAMES = ("alice", "bob", "carol", "dave")
Personal = dict[str, str]


def four(letters: Correspondence) -> Personal:
    """Let four players enter a ladder, and return their personal addresses."""
    personal = {name: letters.join(name) for name in NAMES}
    open_(letters, "ladder kvadratik time=3d/move reach=2 together=1 called Long Ladder")
    for name in NAMES:
        letters.write(f"{name}@mail.example", "enter 1", to=personal[name])
    return personal


def open_(letters: Correspondence, words: str) -> None:
    with database.transaction(letters.server.engine) as session:
        entries.open_(session, hosting.read(words, "none"), None, letters.clock())


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path) as found:
        yield found


@pytest.fixture
def personal(letters: Correspondence) -> Personal:
    return letters.play(four)


def write(letters: Correspondence, personal: Personal, name: str, words: str) -> EmailMessage:
    """Write to the personal address of a player; return the answer to it."""
    sent = letters.write(f"{name}@mail.example", words, to=personal[name])
    return next(mail for mail in sent if str(mail["To"]).startswith(name) and mail["Auto-Submitted"] == "auto-replied")


def said(letters: Correspondence, personal: Personal, name: str, words: str) -> str:
    return " ".join(text(write(letters, personal, name, words)).split())


def resign(letters: Correspondence, personal: Personal, name: str, match: int) -> list[EmailMessage]:
    return letters.reply(write(letters, personal, name, f"#{match} resign"), "yes")


def stand(letters: Correspondence) -> list[object]:
    """Return who stands on the ladder, from the top."""
    query = "select name from entry join player on player.id = player where rung is not null order by rung"
    return [name for (name,) in letters.execute(query)]


def test_a_challenge_begins_a_match_and_its_winner_takes_the_rung(letters: Correspondence, personal: Personal) -> None:
    sent = letters.write("dave@mail.example", "climb 1 bob", to=personal["dave"])

    assert {str(mail["To"]) for mail in sent} == {"dave@mail.example", "bob@mail.example"}
    told = {str(mail["To"]): " ".join(text(mail).split()) for mail in sent}
    assert "You challenge from rung 4. If you win, rung 2 is yours." in told["dave@mail.example"]
    assert "You're challenged for rung 2, which is yours, from rung 4." in told["bob@mail.example"]
    assert letters.execute("select tournament, round, state from match") == [(1, None, "running")]
    assert stand(letters) == [*NAMES]

    news = [mail for mail in resign(letters, personal, "bob", 1) if mail["X-PBeM-Event"] == "rung"]

    assert stand(letters) == ["alice", "dave", "bob", "carol"]
    assert {str(mail["To"]): str(mail["Subject"]) for mail in news} == {
        "dave@mail.example": "[pbem] Long Ladder: rung 2",
        "bob@mail.example": "[pbem] Long Ladder: rung 3",
    }
    assert "0 problems" in letters.operate("check").output


@pytest.mark.slow
def test_a_challenge_that_fails_changes_nothing_and_tells_nobody(letters: Correspondence, personal: Personal) -> None:
    write(letters, personal, "dave", "challenge bob on ladder 1")

    sent = resign(letters, personal, "dave", 1)

    assert stand(letters) == [*NAMES]
    assert not [mail for mail in sent if mail["X-PBeM-Event"] == "rung"]
    assert letters.execute("select what, match from ladderstep where number > 4") == [("ended", 1)]


@pytest.mark.slow
def test_whom_one_can_challenge(letters: Correspondence, personal: Personal) -> None:
    letters.join("erin")
    for words, told in (
        ("climb 1 alice", "You're on rung 4, and alice on 1: a challenge goes 2 rungs up at most."),
        ("climb 1 erin", "Nobody called erin is on ladder 1."),
        ("climb 1 nobody", "No player is called nobody."),
        ("climb 9 bob", "There is no ladder 9."),
    ):
        assert told in said(letters, personal, "dave", words)
    assert "You challenge those above you" in said(letters, personal, "alice", "climb 1 bob")
    write(letters, personal, "dave", "climb 1 bob")
    assert "You're playing bob on this ladder already." in said(letters, personal, "dave", "climb 1 bob")
    assert "You have challenged as many players there as you can at a time: 1." in said(
        letters, personal, "dave", "climb 1 carol"
    )
    assert "As many others as can at a time have challenged bob: 1." in said(letters, personal, "carol", "climb 1 bob")
    resign(letters, personal, "dave", 1)
    assert "You have met bob in the last 7 days" in said(letters, personal, "dave", "climb 1 bob")
    letters.wait(days=7)
    assert "The match has begun" in said(letters, personal, "dave", "climb 1 bob")


@pytest.mark.slow
def test_who_runs_out_of_time_is_off_the_ladder_and_can_enter_again(
    letters: Correspondence, personal: Personal
) -> None:
    write(letters, personal, "dave", "climb 1 bob")

    sent = letters.run_for(days=4)

    assert stand(letters) == ["alice", "bob", "carol"]
    (news,) = [mail for mail in sent if mail["X-PBeM-Event"] == "rung"]
    assert (news["To"], news["Subject"]) == ("dave@mail.example", "[pbem] Long Ladder: off the ladder")
    assert "You've only just left ladder 1." in said(letters, personal, "dave", "enter 1")
    letters.wait(days=1)
    assert "You're on rung 4, the lowest." in said(letters, personal, "dave", "enter 1")
    assert "0 problems" in letters.operate("check").output


@pytest.mark.slow
def test_a_challenged_player_who_does_not_play_loses_the_rung(letters: Correspondence, personal: Personal) -> None:
    write(letters, personal, "dave", "climb 1 bob")
    write(letters, personal, "dave", "#1 setup +x+x")

    letters.run_for(days=4)

    assert stand(letters) == ["alice", "dave", "carol"]


@pytest.mark.slow
def test_who_leaves_plays_on_without_changing_the_ladder(letters: Correspondence, personal: Personal) -> None:
    write(letters, personal, "dave", "climb 1 bob")

    assert "any more: #1." in said(letters, personal, "bob", "withdraw from ladder 1")
    assert stand(letters) == ["alice", "carol", "dave"]
    assert "You aren't in tournament 1." in said(letters, personal, "bob", "retire 1")
    letters.wait(days=1)
    assert "You're still playing match #1" in said(letters, personal, "bob", "enter 1")
    resign(letters, personal, "bob", 1)
    assert stand(letters) == ["alice", "carol", "dave"]
    assert "You're on rung 4, the lowest." in said(letters, personal, "bob", "enter ladder 1")
    assert "0 problems" in letters.operate("check").output


@pytest.mark.slow
def test_who_is_banned_or_leaves_the_server_is_off(letters: Correspondence, personal: Personal) -> None:
    write(letters, personal, "dave", "climb 1 bob")
    letters.operate("player", "ban", "alice", "--yes")
    letters.reply(write(letters, personal, "bob", "delete me"), "yes")
    letters.wait()

    assert stand(letters) == ["dave", "carol"], "who leaves during a match has lost it"
    assert "0 problems" in letters.operate("check").output


@pytest.mark.slow
def test_the_list_says_whom_the_reader_can_challenge(letters: Correspondence, personal: Personal) -> None:
    write(letters, personal, "carol", "climb 1 alice")
    told = text(write(letters, personal, "dave", "ladder 1")).splitlines()

    assert "* 1. alice       1" in told
    assert '* 2. bob         -  reply "climb 1 bob"' in told
    assert '* 3. carol       1  reply "climb 1 carol"' in told
    assert "* 4. dave (you)  -" in told
    assert "You're on rung 4, and can challenge players up to 2 rungs above it." in told
    assert max(map(len, told)) <= 72
    assert "open, 4 of 100 places taken" in text(write(letters, personal, "dave", "tournaments"))
    assert "carol" in letters.operate("tournament", "show", "1").output
    assert "has no rounds" in letters.operate("tournament", "trf", "1").output


@pytest.mark.slow
def test_a_full_ladder_has_no_place_and_a_long_one_has_pages(letters: Correspondence, personal: Personal) -> None:
    now = letters.clock()
    with database.transaction(letters.server.engine) as session:
        for n in range(101, 197):
            session.add(Player(id=n, name=f"p{n}", address=f"p{n}@mail.example", confirmed=now, created=now))
            session.flush()
            session.add(Entry(tournament=1, player=n, entered=now, rung=n - 96))
    personal["erin"] = letters.join("erin")

    assert "Ladder 1 has no free place." in said(letters, personal, "erin", "enter 1")
    first = text(write(letters, personal, "dave", "tournament 1"))
    last = text(write(letters, personal, "dave", "tournament 1 4"))
    assert '* More: reply "tournament 1 2"' in first
    assert " 25. p121" in first
    assert "100. p196" in last
    assert "* More" not in last


@pytest.mark.slow
def test_the_operator_ends_a_ladder(letters: Correspondence, personal: Personal) -> None:
    write(letters, personal, "dave", "climb 1 bob")
    assert "4 players are told" in letters.operate("tournament", "end", "1").output
    assert "is over" in letters.operate("tournament", "end", "1").output

    sent = letters.wait()

    assert all("Ladder 1 is over: Long Ladder" in text(mail) for mail in sent)
    assert {str(mail["To"]) for mail in sent} == {f"{name}@mail.example" for name in NAMES}
    assert "Ladder 1 is over." in said(letters, personal, "carol", "climb 1 bob")
    resign(letters, personal, "bob", 1)
    assert stand(letters) == [*NAMES]
    assert letters.execute("select count(*) from match where reported is null") == [(0,)]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("ladder kvadratik", "needs a time control"),
        ("ladder kvadratik time=3d/move days=5", "days"),
        ("ladder kvadratik time=3d/move reach=99", "from 1 to 20"),
        ("ladder kvadratik time=3d/move together=9", "from 1 to 5"),
        ("swiss kvadratik time=3d/move reach=3", "reach"),
    ],
)
def test_what_is_no_ladder_is_refused(words: str, told: str) -> None:
    with pytest.raises(Refused) as refused:
        hosting.read(words, "none")

    assert told in f"{refused.value.sentence} {refused.value.fits}"


@pytest.mark.slow
def test_a_trusted_player_opens_one(letters: Correspondence, personal: Personal) -> None:
    letters.operate("player", "trust", "alice")
    told = said(letters, personal, "alice", "host ladder quadrature time=14d+1d rated called Grand Ladder")

    assert "Tournament 2 is open: Grand Ladder" in told
    assert letters.execute("select reach, at_once, rated, ended is null from tournament where id = 2") == [
        (5, 2, True, True)
    ]


@pytest.mark.slow
def test_check_finds_a_ladder_that_stands_otherwise(letters: Correspondence, personal: Personal) -> None:
    letters.execute("update entry set rung = 5 - rung")

    told = letters.operate("check")

    assert "ladder 1 is in another order than what happened there makes it, from rung 1 on" in " ".join(
        told.output.split()
    )
    assert told.exit_code == 1


@pytest.mark.slow
@pytest.mark.parametrize("words", ["climb up the hill", "ladder 3 is long, carol", "climb 3", "Challenge me on it!"])
def test_sentences_that_begin_alike_are_no_commands(letters: Correspondence, personal: Personal, words: str) -> None:
    answer = said(letters, personal, "alice", f"games\n\n{words}")

    assert "no ladder" not in answer
    assert "no tournament" not in answer
