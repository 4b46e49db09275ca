"""A message gets one reply, even with several commands, and none about the player's own turn if they chose that."""

from collections import Counter

import pytest

from tests import scenes
from tests.correspondence import Correspondence, text, to
from tests.stories.of_games import played

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


def test_without_receipts_the_end_of_a_match_is_told(letters: Correspondence) -> None:
    """Also if the player's own turn ends it."""
    story = played("quadrupel-variant-added-value")
    letters.match(f"challenge bob {story.game} {story.options}")
    for name in ("alice", "bob"):
        letters.say(name, "set receipt off")
    counts = []
    for turn in story.turns:
        mover = next(str(mail["X-PBeM-To-Move"]) for _, mail in letters.log[::-1] if mail["X-PBeM-To-Move"])
        counts.append(Counter(str(mail["X-PBeM-Event"]) for mail in letters.say(mover, f"#1 {turn}")))

    assert counts[:-1] == [{"turn": 1}] * (len(counts) - 1)
    assert counts[-1] == {"over": 2}


@in_three_matches
def test_what_a_guest_writes_below_a_command_is_said_not_to_be_sent(letters: Correspondence) -> None:
    letters.say("alice", "challenge nora@mail.example hexaphages")
    (invitation,) = letters.received["nora@mail.example"]

    (answer,) = letters.reply(invitation, "help accept\n\nWho are you?", quote=False)

    assert answer["To"] == "nora@mail.example"
    assert "accept [NUMBER] [NAME|OFFER]" in text(answer)
    assert "Who are you?" in text(answer).partition("and we didn't send them to anyone")[2]
    assert not letters.rows("select id from incoming where state = 'shunted'")
