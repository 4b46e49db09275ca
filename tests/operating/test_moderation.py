"""Moderation at the command line: what is asked and refused; what players are told: by_mail/test_moderation.py."""

import getpass
from pathlib import Path

import pytest
from typer.testing import Result

from pbem.features.moderation import broadcasts as announcing
from pbem.storage.models import Player
from tests import spent
from tests.correspondence import Correspondence
from tests.scenes import after, busy

pytestmark = [pytest.mark.server(server='admin = "admin@pbem.example"'), after(busy)]


def done(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.output


def everything(letters: Correspondence) -> list[object]:
    """Return all that a command could change."""
    tables = ("player", "match", "seek", "outgoing", "moderationact", "announcement", "closedaddress", "entry")
    return [letters.execute(f"select * from {table}") for table in tables]


REFUSED = [
    (("moderate", "close", "9"), "There is no match 9."),
    (("moderate", "close", "1", "--tell"), "The players should learn why, and you haven't said it."),
    (("moderate", "close", "1", "--note", "x" * 1001), "longer than 1000 characters"),
    (("moderate", "adjudicate", "1", "carol"), "carol doesn't play in match 1. alice and bob do; or write draw."),
    (("moderate", "adjudicate", "2", "alice"), "Match 2 hasn't started, so it has no result."),
    (("moderate", "ban", "nobody"), "No player is called nobody."),
    (("moderate", "ban", "bob insults"), '"bob insults" isn\'t one word.'),
    (("moderate", "rename", "bob", ""), '"" isn\'t one word.'),
    (("moderate", "ban", "9" * 30), f"No player is called {'9' * 30}."),
    (("moderate", "unban", "alice"), "The account of alice isn't closed."),
    (("moderate", "rename", "alice", "bob"), "The name bob is taken"),
    (("moderate", "rename", "alice", "seek"), "can't be a player's name"),
    (("moderate", "rename", "alice", "the-house"), "can't be a player's name"),
    (("moderate", "ban", "house"), "No player is called house."),
    (("announce", "missing.txt"), "missing.txt: No such file or directory"),
    (("announce", "/dev/null"), "An announcement needs a subject and a text."),
]


def test_what_cannot_be_done_is_a_sentence_and_changes_nothing(letters: Correspondence) -> None:
    before = everything(letters)
    for words, sentence in REFUSED:
        result = letters.operate(*words, "--yes")
        assert result.exit_code in (1, 2)
        assert sentence in " ".join(result.output.split())
    assert everything(letters) == before


def test_nothing_is_done_without_a_yes(letters: Correspondence, tmp_path: Path) -> None:
    (tmp_path / "news").write_text("News\n\nNone.\n", encoding="utf-8")
    before = everything(letters)
    for words in (
        *(("moderate", "close", "1"), ("moderate", "adjudicate", "1", "alice"), ("moderate", "ban", "bob")),
        ("moderate", "rename", "bob", "robert"),
        ("announce", str(tmp_path / "news")),
    ):
        assert letters.operate(*words).exit_code == 1
    assert everything(letters) == before


def test_the_operator_sees_what_happens_and_is_asked(letters: Correspondence) -> None:
    result = letters.operate("moderate", "ban", "bob", "--note", "matches=lost is too hard", keys="y\n")

    shown, asked, told = done(result).partition("is that what you want? [y/N]: y")
    sentence = "The account of bob (bob@mail.example) is closed. 1 running match ended\nwithout a result."
    assert shown.startswith(sentence)
    assert "The note, which stays with us:\n\n  | matches=lost is too hard" in shown
    assert asked
    assert sentence in told
    assert result.stderr.count("moderated") == 1, "not when it was only tried"
    assert letters.rows("select actor, note from moderationact") == [(getpass.getuser(), "matches=lost is too hard")]
    assert "banned" in done(letters.operate("player", "list", "--only", "banned"))
    assert "matches=lost is too hard" in done(letters.operate("acts", "bob"))


def test_a_name_that_was_taken_away_leaves_no_trace_once_its_player_has_left(letters: Correspondence) -> None:
    letters.reply(letters.last("bob"), "#1 say Hello from bob.")
    done(letters.operate("moderate", "rename", "bob", "robert", "--note", "bob is rude", "--yes"))
    letters.wait()

    done(letters.operate("player", "delete", "robert", "--yes"))

    stored = letters.execute("select payload, facts from outgoingcontent")
    stored += letters.execute("select * from moderationact") + letters.execute("select * from departure")
    assert "bob" not in str(stored)


def test_an_announcement_goes_to_60_players_a_minute(letters: Correspondence, tmp_path: Path) -> None:
    for number in range(60):
        spent.copies(letters, Player, 1, 1, name=f"p{number}", address=f"p{number}@mail.example")
    (tmp_path / "news.txt").write_text("Moving house\n\nWe move on Sunday.\n", encoding="utf-8")

    result = letters.operate("announce", str(tmp_path / "news.txt"), keys="y\n")

    assert "Moving house:\n\n  | We move on Sunday.\n" in done(result)
    assert "to 63 players, 60 a minute, for about 2 minutes" in " ".join(result.output.split())
    assert [len(letters.wait(minutes=minutes)) for minutes in (0, 0, 1, 1)] == [60, 0, 3, 0]


def test_a_crash_in_the_middle_of_an_announcement_tells_nobody_twice(
    letters: Correspondence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "news.txt").write_text("Moving house\n\nWe move on Sunday.\n", encoding="utf-8")
    done(letters.operate("announce", str(tmp_path / "news.txt"), "--yes"))
    engine, server = letters.server.engine, letters.server.settings.server

    class Killed(BaseException):
        """What a test raises where the process would be killed."""

    def kill(_step: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("pbem.failpoints.reach", kill)
        with pytest.raises(Killed):
            announcing.DUE[0].act(engine, server, letters.clock())
    announced = "select address from outgoing where template = 'announcement' order by id"
    assert letters.rows(announced) == []

    for _ in range(3):
        announcing.DUE[0].act(engine, server, letters.clock())
        letters.clock.advance(minutes=1)
    assert letters.rows(announced) == [f"{name}@mail.example" for name in ("alice", "bob", "carol")]
