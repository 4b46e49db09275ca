"""Moderation at the command line: what changes, what is kept, who is told, and that bad input changes nothing."""

import getpass
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import Result

from pbem.cli import core
from pbem.features.moderation import due as announcing
from pbem.storage.models import Player
from tests import spent
from tests.correspondence import Correspondence, correspondence, text

ALICE, BOB = "alice@mail.example", "bob@mail.example"
ADMIN = "admin@pbem.example"


@pytest.fixture
def letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Correspondence]:
    """Begin a match of alice and bob, with two turns; bob has a seek and has challenged alice to another game."""
    with correspondence(tmp_path, server=f'admin = "{ADMIN}"') as letters:
        monkeypatch.setattr(core, "now", letters.clock)
        letters.play(busy)
        yield letters


def busy(letters: Correspondence) -> None:
    letters.match("challenge bob quadraphages rated")
    letters.reply(letters.last("alice"), "1 a7b7 i3i2")
    letters.reply(letters.last("bob"), "c1d1 g9h9 2 d1f1 h9h7")
    personal = letters.join("carol")
    letters.write("carol@mail.example", "seek quadrature", to=personal)
    letters.write(BOB, "challenge alice kvadratik\nseek quadrature", to=own(letters, BOB))


def own(letters: Correspondence, address: str) -> str:
    """Return the personal address of a player, from their welcome."""
    return str(letters.received[address][1]["Reply-To"].addresses[0].addr_spec)


def done(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.output


def told(letters: Correspondence) -> dict[str, str]:
    """Let the server send what is due; return the texts by recipient."""
    return {str(mail["To"]): "\n".join(text(mail).splitlines()) for mail in letters.wait()}


def state(letters: Correspondence, number: int = 1) -> tuple[object, ...]:
    """Return how a match stands: its state, how it ended, the winner's seat, and whether it counts for ratings."""
    columns = "state, termination, winner, counted is not null"
    (found,) = letters.execute(f"select {columns} from match where id = {number}")
    return (*found[:3], bool(found[3]))


def everything(letters: Correspondence) -> list[object]:
    """Return all that a command could change."""
    tables = ("player", "match", "seek", "outgoing", "moderationact", "announcement", "closedaddress")
    return [letters.execute(f"select * from {table}") for table in tables]


def test_a_match_is_closed_without_a_result_and_both_are_told(letters: Correspondence) -> None:
    done(letters.operate("match", "close", "1", "--note", "Both asked for it.", "--yes"))

    assert state(letters) == ("over", "cancelled", None, False)
    mails = told(letters)
    assert mails.keys() == {ALICE, BOB}
    for mail in mails.values():
        assert "The match is over: the operator of this server has ended it." in mail
        assert "Both asked" not in mail
    assert letters.execute("select act, match, note from moderationact") == [("close", 1, "Both asked for it.")]


@pytest.mark.slow
def test_the_players_learn_why_if_the_operator_says_so(letters: Correspondence) -> None:
    done(letters.operate("match", "close", "1", "--note", "The position was illegal.", "--tell", "--yes"))

    for mail in told(letters).values():
        assert "The operator writes:\n\n  | The position was illegal." in mail


@pytest.mark.slow
def test_a_challenge_is_closed(letters: Correspondence) -> None:
    done(letters.operate("match", "close", "2", "--yes"))

    assert state(letters, 2) == ("withdrawn", None, None, False)
    assert all("The operator has withdrawn challenge #2" in mail for mail in told(letters).values())


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("winner", "seat"), [("alice", 0), ("BOB", 1), ("draw", None)])
def test_an_adjudicated_match_counts_like_any_other_result(
    letters: Correspondence, winner: str, seat: int | None
) -> None:
    done(letters.operate("match", "adjudicate", "1", winner, "--yes"))

    assert state(letters) == ("over", "adjudicated", seat, True)
    mails = told(letters)
    assert mails.keys() == {ALICE, BOB}
    assert all("by adjudication" in mail for mail in mails.values())


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("match", "close", "9"), "There is no match 9."),
        (("match", "close", "1", "--tell"), "The players should learn why, and you haven't said it."),
        (("match", "close", "1", "--note", "x" * 1001), "longer than 1000 characters"),
        (("match", "adjudicate", "1", "carol"), "carol doesn't play in match 1. alice and bob do; or write draw."),
        (("match", "adjudicate", "2", "alice"), "Match 2 hasn't started, so it has no result."),
        (("player", "ban", "nobody"), "No player is called nobody."),
        (("player", "ban", "bob insults"), '"bob insults" isn\'t one word.'),
        (("player", "rename", "bob", ""), '"" isn\'t one word.'),
        (("player", "ban", "9" * 30), f"No player is called {'9' * 30}."),
        (("player", "unban", "alice"), "The account of alice isn't closed."),
        (("player", "rename", "alice", "bob"), "The name bob is taken"),
        (("player", "rename", "alice", "seek"), "can't be a player's name"),
        (("player", "rename", "alice", "the-house"), "can't be a player's name"),
        (("announce", "missing.txt"), "missing.txt: No such file or directory"),
        (("announce", "/dev/null"), "An announcement needs a subject and a text."),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_changes_nothing(
    letters: Correspondence, words: tuple[str, ...], sentence: str
) -> None:
    before = everything(letters)

    result = letters.operate(*words, "--yes")

    assert result.exit_code in (1, 2)
    assert sentence in " ".join(result.output.split())
    assert everything(letters) == before


def test_the_operator_sees_what_happens_and_is_asked(letters: Correspondence) -> None:
    result = letters.operate("player", "ban", "bob", "--note", "matches=lost is too hard", keys="y\n")

    shown, asked, told = done(result).partition("is that what you want? [y/N]: y")
    sentence = "The account of bob (bob@mail.example) is closed. 1 running match ended\nwithout a result."
    assert shown.startswith(sentence)
    assert "The note, which stays with us:\n\n  | matches=lost is too hard" in shown
    assert asked
    assert sentence in told
    assert result.stderr.count("moderated") == 1, "not when it was only tried"
    assert letters.execute("select actor, note from moderationact") == [(getpass.getuser(), "matches=lost is too hard")]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "words",
    [("close", "1"), ("adjudicate", "1", "alice"), ("ban", "bob"), ("rename", "bob", "robert"), ("announce", "news")],
)
def test_nothing_is_done_without_a_yes(letters: Correspondence, words: tuple[str, ...], tmp_path: Path) -> None:
    before = everything(letters)
    (tmp_path / "news").write_text("News\n\nNone.\n", encoding="utf-8")

    result = letters.operate(*(str(tmp_path / word) if word == "news" else word for word in words))

    assert result.exit_code == 1
    assert everything(letters) == before


@pytest.mark.sql
def test_a_ban_ends_what_the_player_plays_and_tells_everyone_concerned(letters: Correspondence) -> None:
    done(letters.operate("player", "ban", "bob", "--note", "Insults.", "--yes"))

    assert state(letters) == ("over", "cancelled", None, False)
    assert state(letters, 2) == ("withdrawn", None, None, False)
    assert letters.execute("select count(*) from seek where closed is null") == [(1,)]
    mails = letters.wait()
    to_bob = [text(mail) for mail in mails if mail["To"] == BOB]
    to_alice = " ".join(text(mail) for mail in mails if mail["To"] == ALICE)
    assert len(to_bob) == 1
    assert "has closed your account" in to_bob[0]
    assert "without a result: #1." in " ".join(to_bob[0].split())
    assert f"please write to {ADMIN}" in to_bob[0]
    assert "the operator of this server has ended it" in to_alice
    assert "bob has withdrawn challenge #2" in to_alice
    assert "Insults" not in to_alice + to_bob[0]
    assert "banned" in done(letters.operate("player", "list", "--only", "banned"))
    assert "Insults." in done(letters.operate("acts", "bob"))


@pytest.mark.slow
def test_a_ban_can_let_the_opponents_win(letters: Correspondence) -> None:
    done(letters.operate("player", "ban", "bob", "--matches", "lost", "--yes"))

    assert state(letters) == ("over", "adjudicated", 0, True)
    assert "and your opponent has won" in " ".join(told(letters)[BOB].split())


def test_whoever_is_banned_gets_one_answer_a_day_and_can_do_nothing(letters: Correspondence) -> None:
    turn, welcome = letters.last("bob"), own(letters, BOB)
    done(letters.operate("player", "ban", "bob", "--yes"))
    letters.wait()
    before = letters.execute("select count(*) from match union all select count(*) from seek")

    (answer,) = letters.write(BOB, "challenge alice quadrature\nseek kvadratik", to=welcome)
    assert "has closed your account" in text(answer)
    assert ADMIN in text(answer)
    for words in ("take 1", "play quadrature", "yes", "help", "Why?", "resign", ""):
        assert letters.write(BOB, words, to=welcome) == []
    assert letters.reply(turn, "1 a7b7 i3i2") == []
    assert letters.write(BOB, "games") == [], "nor without proof"
    assert letters.execute("select count(*) from match union all select count(*) from seek") == before
    letters.clock.advance(days=1, minutes=1)
    assert len(letters.write(BOB, "games", to=welcome)) == 1


@pytest.mark.slow
def test_nobody_can_play_with_whoever_is_banned(letters: Correspondence) -> None:
    alice = own(letters, ALICE)
    done(letters.operate("player", "ban", "bob", "--yes"))
    letters.wait()

    (challenged,) = letters.write(ALICE, "challenge bob quadrature", to=alice)
    (again,) = letters.write(ALICE, "rematch 1", to=alice)
    (listed,) = letters.write(ALICE, "seeks", to=alice)

    assert "isn't open to this challenge" in text(challenged)
    assert "isn't open to this challenge" in text(again)
    assert "carol" in text(listed)
    assert "bob" not in text(listed)


def test_a_challenge_that_reached_the_queue_before_the_ban_does_not_begin_a_match(letters: Correspondence) -> None:
    letters.execute("update player set banned = created where name = 'bob'")  # as where the two overlap

    (answer,) = letters.write(ALICE, "accept 2", to=own(letters, ALICE))

    assert "no longer open" in text(answer)
    assert state(letters, 2) == ("offered", None, None, False)


def test_data_stays_the_player_s_and_leaving_does_not_open_the_account(letters: Correspondence) -> None:
    welcome = own(letters, BOB)
    done(letters.operate("player", "ban", "bob", "--note", "Insults.", "--yes"))
    letters.wait()

    (export,) = letters.write(BOB, "export me", to=welcome)
    assert "All the data" in str(export["Subject"])
    held = next(part.get_content() for part in export.iter_attachments() if part.get_filename() == "bob.json")
    assert b"Insults." in (held if isinstance(held, bytes) else held.encode())
    (question,) = letters.write(BOB, "delete me", to=welcome)
    (last,) = letters.reply(question, "yes")
    assert "your data has been deleted" in text(last)
    letters.wait()
    assert letters.execute("select note from moderationact") == [("",)]

    (asked,) = letters.write("bob+again@mail.example", "join bobby")
    assert "has closed the account of this address" in " ".join(text(asked).split())


@pytest.mark.slow
def test_whoever_is_unbanned_plays_again(letters: Correspondence) -> None:
    welcome = own(letters, BOB)
    done(letters.operate("player", "ban", "bob", "--yes"))
    letters.wait()

    done(letters.operate("player", "unban", "bob", "--yes"))

    assert "has opened your account again" in " ".join(told(letters)[BOB].split())
    assert letters.execute("select count(*) from closedaddress") == [(0,)]
    mails = letters.write(BOB, "challenge alice quadrature", to=welcome)
    assert {str(mail["To"]) for mail in mails} == {ALICE, BOB}


def test_a_new_name_is_told_and_the_old_one_stays_nobody_s(letters: Correspondence) -> None:
    done(letters.operate("player", "rename", "bob", "Robert", "--note", "Rude.", "--tell", "--yes"))

    mails = told(letters)
    assert mails.keys() == {ALICE, BOB}
    assert "called bob, and now you're robert" in " ".join(mails[BOB].split())
    assert "Rude." in mails[BOB]
    assert "now called robert" in " ".join(mails[ALICE].split())
    assert "Rude." not in mails[ALICE]
    (taken,) = letters.write("dora@mail.example", "join bob")
    (taken,) = letters.reply(taken, "yes")
    assert "bob is taken" in text(taken)
    assert letters.operate("player", "rename", "alice", "bob", "--yes").exit_code == 1


def test_a_name_that_was_taken_away_leaves_no_trace_once_its_player_has_left(letters: Correspondence) -> None:
    letters.reply(letters.last("bob"), "#1 say Hello from bob.")
    done(letters.operate("player", "rename", "bob", "robert", "--note", "bob is rude", "--yes"))
    letters.wait()

    done(letters.operate("player", "delete", "robert", "--yes"))

    stored = letters.execute("select payload, facts from outgoingcontent") + letters.execute(
        "select * from moderationact"
    )
    assert "bob" not in str(stored + letters.execute("select * from departure"))


@pytest.mark.slow
def test_an_announcement_reaches_everyone_once_and_so_many_a_minute(letters: Correspondence, tmp_path: Path) -> None:
    for name in ("dora", "emil"):
        letters.join(name)
    letters.write("dora@mail.example", "stop", to=own(letters, "dora@mail.example"))
    letters.wait()
    for number in range(58):
        spent.copies(letters, Player, 1, 1, name=f"p{number}", address=f"p{number}@mail.example")
    (tmp_path / "news.txt").write_text("Moving house\n\nWe move on Sunday.\n", encoding="utf-8")

    result = letters.operate("announce", str(tmp_path / "news.txt"), keys="y\n")

    assert "Moving house:\n\n  | We move on Sunday.\n" in done(result)
    assert "to 62 players, 60 a minute, for about 2 minutes" in " ".join(result.output.split())
    first = letters.wait()
    letters.join("fred")
    assert letters.wait() == []
    second = letters.wait(minutes=1)
    assert (len(first), len(second)) == (60, 2)
    some = [str(mail["To"]) for mail in (*first[:4], *second)]
    assert some == [ALICE, BOB, "carol@mail.example", "emil@mail.example", "p56@mail.example", "p57@mail.example"]
    assert {str(mail["Subject"]) for mail in (*first, *second)} == {"[pbem] Moving house"}
    assert "  | We move on Sunday." in text(first[0])
    assert first[0]["List-Unsubscribe"]
    assert letters.wait(minutes=2) == []


@pytest.mark.sql
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
            announcing.announce(engine, server, letters.clock())
    assert letters.execute("select count(*) from outgoing where template = 'announcement'") == [(0,)]

    for _ in range(3):
        announcing.announce(engine, server, letters.clock())
        letters.clock.advance(minutes=1)
    addresses = letters.execute("select address from outgoing where template = 'announcement' order by id")
    assert addresses == [(ALICE,), (BOB,), ("carol@mail.example",)]


@pytest.mark.slow
def test_players_are_listed_page_by_page(letters: Correspondence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.cli.moderation.PAGE", 2)

    first, second = done(letters.operate("player", "list")), done(letters.operate("player", "list", "--page", "2"))

    assert "alice" in first
    assert "carol" not in first
    assert "--page 2" in first
    assert "carol" in second
    assert "--page" not in second
    assert "bob" in done(letters.operate("player", "list", "B"))
    assert done(letters.operate("player", "list", "--only", "unreachable")) == "no such players\n"
