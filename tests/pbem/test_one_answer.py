"""A message gets one reply, even with several commands, and none about the player's own turn if they chose that."""

import pytest

from tests import scenes
from tests.correspondence import Correspondence, text, to

TURN = "1 a7b7 i3i2"


def three_matches(letters: Correspondence) -> None:
    """Begin #1 and #2, in which it's alice's turn, and offer her #3."""
    letters.match()
    letters.say("alice", "challenge bob quadraphages")
    letters.say("bob", "accept 2\nchallenge alice quadraphages")


in_three_matches = scenes.after(three_matches)


@in_three_matches
@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (f"#1 {TURN}\nshow 2\ngames", ["You played 1 a7b7", "Match #2, Quadraphages", "Your matches"]),
        (f"accept 3\n#1 {TURN}", ["The match has begun.", "You played 1 a7b7"]),
        (f"decline 3\n#1 {TURN}\n#2 say Hm", ["You have declined challenge #3", "You played 1 a7b7", "Sent to"]),
        (f"#1 {TURN}\n#2 9 z9", ["You played 1 a7b7", "We can't read this as a turn"]),
        (f"#1 {TURN}\n#1 resume\n#2 {TURN}", ["You played 1 a7b7", "Match #1 isn't paused.", "Because of that"]),
    ],
)
def test_several_commands_get_one_answer_in_their_order(letters: Correspondence, words: str, parts: list[str]) -> None:
    mails = letters.say("alice", words)
    (answer,) = to(mails, "alice")

    assert answer["X-PBeM-Event"] == "answer"
    beginnings = [part.strip("- \r\n") for part in text(answer).split("- - - - - -") if part.strip("- \r\n")]
    assert len(beginnings) == len(parts)
    for beginning, part in zip(beginnings, parts, strict=True):
        assert beginning.startswith(part)
    assert any("alice played 1 a7b7 i3i2." in text(mail) for mail in to(mails, "bob"))


@in_three_matches
@pytest.mark.parametrize(
    ("words", "answers"),
    [
        (f"#1 {TURN}\n\nGood luck!", 0),
        (f"#1 {TURN}\n#2 {TURN}", 0),
        (f"#1 {TURN}\ngames", 1),
        ("accept 3", 1),  # the board of the new match wasn't seen before
        ("#1 9 z9", 1),
        ("#1 say Hello", 1),
    ],
)
def test_without_receipts_ones_own_turn_is_told_only_with_something_else(
    letters: Correspondence, words: str, answers: int
) -> None:
    letters.say("alice", "set receipt off")
    mails = letters.say("alice", words)

    assert len(to(mails, "alice")) == answers
    assert to(mails, "bob") or TURN not in words
