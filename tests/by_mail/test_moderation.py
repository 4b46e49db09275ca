"""What the operator does to matches and accounts, and what the players are told about it."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.cases import quick_where
from tests.correspondence import Correspondence, said, to
from tests.scenes import after, busy

ALICE, BOB = "alice@mail.example", "bob@mail.example"
ADMIN = "admin@pbem.example"


pytestmark = [pytest.mark.server(server=f'admin = "{ADMIN}"'), after(busy)]


def operate(letters: Correspondence, *words: str) -> list[EmailMessage]:
    """Run a command of the operator's. Return what the server sends then."""
    result = letters.operate(*words, "--yes")
    assert result.exit_code == 0, result.output
    return letters.wait()


def state(letters: Correspondence, number: int = 1) -> tuple[object, ...]:
    """Return the state of a match, how it ended, the winner's seat, and whether it counts for ratings."""
    (row,) = letters.rows(f"select state, termination, winner, counted is not null from match where id = {number}")
    return (*row[:3], bool(row[3]))


@pytest.mark.slow
def test_a_match_and_a_challenge_are_closed_and_both_are_told(letters: Correspondence) -> None:
    mails = operate(letters, "moderate", "close", "1", "--note", "Both asked for it.")
    withdrawn = operate(letters, "moderate", "close", "2", "--note", "The game\nis broken.", "--tell")

    assert (state(letters), state(letters, 2)) == (
        ("over", "cancelled", None, False),
        ("withdrawn", None, None, False),
    )
    assert {str(mail["To"]) for mail in mails} == {str(mail["To"]) for mail in withdrawn} == {ALICE, BOB}
    for mail in mails:
        assert "The match is over: the operator of this server has ended it." in said(mail)
        assert "Both asked" not in said(mail)
    for mail in withdrawn:
        assert "The operator has withdrawn challenge #2" in said(mail)
        assert "The operator writes: | The game | is broken." in said(mail)
    assert letters.rows("select act, match, note from moderationact where match = 1") == [
        ("close", 1, "Both asked for it.")
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("winner", "seat"), [("BOB", 1), ("draw", None)])
def test_an_adjudicated_match_counts_like_any_other_result(
    letters: Correspondence, winner: str, seat: int | None
) -> None:
    mails = operate(letters, "moderate", "adjudicate", "1", winner)

    assert state(letters) == ("over", "adjudicated", seat, True)
    assert {str(mail["To"]) for mail in mails if "by adjudication" in said(mail)} == {ALICE, BOB}


@pytest.mark.parametrize(
    ("outcome", "ending"),
    quick_where(
        lambda case: case[0] == "lost", [("cancelled", ("cancelled", None, False)), ("lost", ("adjudicated", 0, True))]
    ),
)
def test_a_ban_ends_what_the_player_plays_and_tells_everyone_concerned(
    letters: Correspondence, outcome: str, ending: tuple[object, ...]
) -> None:
    mails = operate(letters, "moderate", "ban", "bob", "--note", "Insults.", f"matches={outcome}")

    assert (state(letters)[1:], state(letters, 2)[0]) == (ending, "withdrawn")
    assert letters.rows("select count(*) from seek where closed is null") == [1]
    (to_bob,) = to(mails, "bob")
    to_alice = " ".join(said(mail) for mail in to(mails, "alice"))
    assert "has closed your account" in said(to_bob)
    assert f"please write to {ADMIN}" in said(to_bob)
    assert "bob has withdrawn challenge #2" in to_alice
    assert "Insults" not in to_alice + said(to_bob)


@pytest.mark.slow
def test_whoever_is_banned_gets_one_answer_a_day_and_can_do_nothing(letters: Correspondence) -> None:
    turn = letters.last("bob")
    operate(letters, "moderate", "ban", "bob")
    before = letters.rows("select count(*) from match union all select count(*) from seek")

    (answer,) = letters.say("bob", "challenge alice quadrature\nseek kvadratik")
    assert "has closed your account" in said(answer)
    for words in ("take 1", "Why?"):
        assert letters.say("bob", words) == []
    assert letters.reply(turn, "1 a7b7 i3i2") == []
    assert letters.write(BOB, "games") == [], "nor without proof"
    assert letters.rows("select count(*) from match union all select count(*) from seek") == before
    letters.clock.advance(days=1, minutes=1)
    assert len(letters.say("bob", "games")) == 1
    (challenged,) = letters.say("alice", "challenge bob quadrature")
    assert "isn't open to this challenge" in said(challenged)


def test_a_challenge_that_reached_the_queue_before_the_ban_does_not_begin_a_match(letters: Correspondence) -> None:
    letters.execute("update player set banned = created where name = 'bob'")  # as where the two overlap

    (answer,) = letters.say("alice", "accept 2")

    assert "no longer open" in said(answer)
    assert state(letters, 2) == ("offered", None, None, False)


@pytest.mark.slow
def test_data_stays_the_player_s_and_leaving_does_not_open_the_account(letters: Correspondence) -> None:
    personal = letters.personal("bob")
    operate(letters, "moderate", "ban", "bob", "--note", "Insults.")

    (export,) = letters.write(BOB, "export me", to=personal)
    held = next(part.get_content() for part in export.iter_attachments() if part.get_filename() == "bob.json")
    assert "Insults." in str(held)
    (question,) = letters.write(BOB, "delete me", to=personal)
    (last,) = letters.reply(question, "yes")
    assert "your data has been deleted" in said(last)
    letters.wait()
    assert letters.rows("select note from moderationact") == [""]
    (asked,) = letters.write("bob+again@mail.example", "join bobby")
    assert "has closed the account of this address" in said(asked)


@pytest.mark.slow
def test_whoever_is_unbanned_plays_again(letters: Correspondence) -> None:
    operate(letters, "moderate", "ban", "bob")

    (mail,) = operate(letters, "moderate", "unban", "bob")

    assert (mail["To"], "has opened your account again" in said(mail)) == (BOB, True)
    assert len(letters.say("bob", "challenge alice quadrature")) == 2


def test_a_new_name_is_told_and_the_old_one_stays_nobody_s(letters: Correspondence) -> None:
    mails = operate(letters, "moderate", "rename", "bob", "Robert", "--note", "Rude.", "--tell")

    assert {str(mail["To"]) for mail in mails} == {ALICE, BOB}
    (to_alice,), (to_bob,) = to(mails, "alice"), to(mails, "bob")
    assert "called bob, and now you're robert" in said(to_bob)
    assert "Rude." in said(to_bob)
    assert "now called robert" in said(to_alice)
    assert "Rude." not in said(to_alice)
    (question,) = letters.write("dora@mail.example", "join bob")
    (taken,) = letters.reply(question, "yes")
    assert "bob is taken" in said(taken)


def test_an_announcement_reaches_everyone_once(letters: Correspondence, tmp_path: Path) -> None:
    letters.say("carol", "stop")
    letters.wait()
    (tmp_path / "news.txt").write_text("Moving house\n\nWe move on Sunday.\n", encoding="utf-8")

    mails = operate(letters, "announce", str(tmp_path / "news.txt"))

    assert [str(mail["To"]) for mail in mails] == [ALICE, BOB]
    assert {str(mail["Subject"]) for mail in mails} == {"[pbem] Moving house"}
    assert "| We move on Sunday." in said(mails[0])
    assert mails[0]["List-Unsubscribe"]
    letters.join("fred")
    assert letters.wait(minutes=2) == []
