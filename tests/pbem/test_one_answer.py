"""A message gets one reply, even with several commands, and none about the player's own turn if they chose that."""

from collections import Counter
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.correspondence import Correspondence, correspondence, text
from tests.stories.of_games import played

ALICE, BOB = "alice@mail.example", "bob@mail.example"
TURN, SECOND = "1 a7b7 i3i2", "c1b1 g9h9 3 b1b4 h9e9"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Begin #1 and #2, in which it's alice's turn, and offer her #3."""
    with correspondence(tmp_path) as letters:
        letters.match()
        command(letters, "alice", "challenge bob quadraphages")
        command(letters, "bob", "accept 2\nchallenge alice quadraphages")
        yield letters


def command(letters: Correspondence, name: str, words: str) -> list[EmailMessage]:
    welcome = letters.received[f"{name}@mail.example"][1]
    personal = next(line.strip() for line in text(welcome).splitlines() if "games+" in line)
    return letters.write(f"{name}@mail.example", words, to=personal)


def own(mails: list[EmailMessage], address: str = ALICE) -> list[EmailMessage]:
    return [mail for mail in mails if mail["To"] == address]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (f"#1 {TURN}\n#2 {TURN}", ["You played 1 a7b7", "You played 1 a7b7"]),
        (f"#1 {TURN}\nshow 2\ngames", ["You played 1 a7b7", "Match #2, Quadraphages", "Your matches"]),
        (f"accept 3\n#1 {TURN}", ["The match has begun.", "You played 1 a7b7"]),
        (f"decline 3\n#1 {TURN}\n#2 say Hm", ["You have declined challenge #3", "You played 1 a7b7", "Sent to"]),
        (f"#1 {TURN}\n#2 9 z9", ["You played 1 a7b7", "We can't read this as a turn"]),
        (f"set mail batch\n#1 {TURN}", ["Saved: mail batch.", "You played 1 a7b7"]),
    ],
)
def test_several_commands_get_one_answer_in_their_order(letters: Correspondence, words: str, parts: list[str]) -> None:
    (answer,) = own(command(letters, "alice", words))
    told = text(answer).split("- - - - - -")

    assert answer["X-PBeM-Event"] == "answer"
    beginnings = [part.strip("- \r\n") for part in told if part.strip("- \r\n")]
    assert len(beginnings) == len(parts)
    for beginning, part in zip(beginnings, parts, strict=True):
        assert beginning.startswith(part)


@pytest.mark.slow
def test_in_a_match_s_thread_too_two_boards_are_two_matches(letters: Correspondence) -> None:
    """Though the Subject names #1, a turn without a number isn't played there without a question."""
    (answer,) = own(letters.reply(letters.received[ALICE][3], f"{TURN}\nshow 2"))
    assert str(answer["Subject"]).startswith("[pbem #1]")
    command(letters, "bob", f"#1 {SECOND}")

    (asked,) = letters.reply(answer, "b7e7 i2i5 1 e7e6 i5i4")
    assert "Which match? The message you replied to shows several." in " ".join(text(asked).split())


@pytest.mark.slow
def test_one_turn_alone_is_the_mail_about_it(letters: Correspondence) -> None:
    (mail,) = own(letters.reply(letters.received[ALICE][3], f"{TURN}\n\nGood luck!"))

    assert mail["X-PBeM-Event"] == "turn"
    assert mail["Auto-Submitted"] == "auto-replied"
    assert "You write:" in text(mail)


@pytest.mark.slow
def test_a_turn_in_one_of_several_lines_stands_where_a_later_line_is_refused(letters: Correspondence) -> None:
    mails = command(letters, "alice", f"#1 {TURN}\n#1 resume\n#2 {TURN}")
    (answer,) = own(mails)

    assert "alice played 1 a7b7 i3i2." in text(own(mails, BOB)[0])
    assert len(own(mails, BOB)) == 1
    assert text(answer).startswith("You played 1 a7b7 i3i2.")
    assert "Match #1 isn't paused." in text(answer)
    assert "| #2 1 a7b7 i3i2" in text(answer)


@pytest.mark.slow
def test_a_guest_s_welcome_and_board_are_one_mail(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.join("alice")
        command(letters, "alice", "challenge eve@mail.example kvadratik begin=you")
        (answer,) = own(letters.reply(letters.last("eve"), "accept eve"), "eve@mail.example")
        assert "Welcome, eve!" in text(answer)
        assert "Your turn against" in text(answer)
        mails = letters.reply(answer, "setup ++++")

    assert "eve played setup ++++." in text(mails[0])


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("words", "answers"),
    [
        (f"#1 {TURN}", 0),
        (f"#1 {TURN}\n#2 {TURN}", 0),
        (f"#1 {TURN}\n\nGood luck!", 0),
        (f"#1 {TURN}\ngames", 1),
        ("accept 3", 1),  # the board of the new match wasn't seen before
        ("#1 9 z9", 1),
        ("#1 resign", 1),
        ("#1 say Hello", 1),
    ],
)
def test_without_receipts_ones_own_turn_is_told_only_with_something_else(
    letters: Correspondence, words: str, answers: int
) -> None:
    command(letters, "alice", "set receipt off")
    mails = command(letters, "alice", words)

    assert len(own(mails)) == answers
    if "TURN" in words or "a7b7" in words:
        assert own(mails, BOB)


@pytest.mark.slow
def test_without_receipts_the_end_of_a_match_is_told(tmp_path: Path) -> None:
    """Also if the player's own turn ends it."""
    story = played("quadrupel-variant-added-value")
    counts = []
    with correspondence(tmp_path) as letters:
        letters.match(f"challenge bob {story.game} {story.options}")
        for name in ("alice", "bob"):
            command(letters, name, "set receipt off")
        for turn in story.turns:
            mover = next(str(mail["X-PBeM-To-Move"]) for _, mail in letters.log[::-1] if mail["X-PBeM-To-Move"])
            counts.append(Counter(str(mail["X-PBeM-Event"]) for mail in command(letters, mover, f"#1 {turn}")))

    assert counts[:-1] == [{"turn": 1}] * (len(counts) - 1)
    assert counts[-1] == {"over": 2}


@pytest.mark.slow
def test_what_a_guest_writes_below_a_command_is_said_not_to_be_sent(letters: Correspondence) -> None:
    command(letters, "alice", "challenge nora@mail.example hexaphages")
    (invitation,) = letters.received["nora@mail.example"]

    (answer,) = letters.reply(invitation, "help accept\n\nWho are you?", quote=False)

    assert answer["To"] == "nora@mail.example"
    assert "accept [NUMBER] [NAME|OFFER]" in text(answer)
    assert "Who are you?" in text(answer).partition("and we didn't send them to anyone")[2]
    assert not letters.execute("select 1 from incoming where state = 'shunted'")
