"""Every command about time, offers and conditions in alice's name: it acts with her token, and never without it.

She is asked at her own address, and only her `yes` from there carries it out.
"""

import pytest

from tests import scenes
from tests.correspondence import ADDRESS, Correspondence, text, to

ALICE = "alice@mail.example"
TABLES = (
    *("player", "match", "ply", "takenback", "prepared", "clockevent", "calendar", "vacation", "seek", "block"),
    *("search", "presence", "departure", "invitee"),
)
LINES = (
    *("#1 claim", "#1 undo", "#1 draw", "#1 pause", "#1 pause 10d", "#1 cancel", "#1 mute", "#1 give 2d"),
    *("#1 if c9c8 then c3c4", "#1 queue c3c4", "#1 cancel conditions", "#1 if c9c8 then resign"),
    *("#2 resume", "#2 accept draw", "#2 reject draw", "#2 withdraw cancel"),
    *("vacation 10d", "vacation 2026-04-01 2026-04-10", "set remind off"),
    *("set undo unanswered", "set days mon-fri", "set automove on", "set zone Asia/Tokyo"),
    *("set mail daily for 1", "set spectating off", "stop tournaments"),
)
"""Each changes something in the matches of `two_matches` if alice writes it."""


def two_matches(letters: Correspondence) -> None:
    """Let bob be out of time in match 1, for which alice has prepared a turn; match 2, hers to move, is paused."""
    letters.match("challenge bob quadrature time=3d/move")
    letters.reply(letters.last("alice"), "e3f4")
    letters.reply(letters.last("bob"), "e9f8")
    letters.reply(letters.last("alice"), "b3b4\nif b9b8 then c3c4")
    letters.run_for(days=4)
    letters.say("alice", "challenge bob quadrature time=3d/move")
    letters.reply(letters.last("bob"), "accept")
    letters.say("alice", "#2 e3f4")
    letters.say("bob", "#2 e9f8")
    letters.say("alice", "#2 b3b4\n#2 pause")
    letters.say("bob", "#2 accept pause\n#2 draw")
    letters.say("alice", "#2 cancel")


pytestmark = [pytest.mark.server(more="[limits]\nanswers_per_hour = 1000"), scenes.after(two_matches)]


def standing(letters: Correspondence) -> list[tuple[object, ...]]:
    """Return all that a command can change."""
    return [row for table in TABLES for row in letters.execute(f'select * from "{table}"')]


@pytest.mark.parametrize("line", LINES)
def test_without_her_token_nothing_happens_and_with_it_the_same_line_acts(letters: Correspondence, line: str) -> None:
    before = standing(letters)
    for headers in ({}, {"In_Reply_To": str(letters.last("alice")["Message-ID"])}):
        (question,) = letters.write(ALICE, line, to=ADDRESS, **headers)
        assert (question["To"], str(question["Subject"])) == (ALICE, "[pbem] Please confirm")
        assert standing(letters) == before
        letters.clock.advance(hours=1, minutes=1)  # the same question isn't repeated before

    (told, *_) = letters.say("alice", line)
    if "Are you sure?" in text(told):
        assert standing(letters) == before
        letters.reply(told, "yes")
    assert standing(letters) != before


def test_with_the_token_of_another_player_nothing_happens(letters: Correspondence) -> None:
    carol = letters.join("carol")
    before = standing(letters)
    own = (line for line in LINES if line.startswith("#"))
    for line in (*own, "#2 c3c4", "#1 resign", "#1 say hello", "#1 undo"):
        for sender in (ALICE, "carol@mail.example"):
            sent = letters.write(sender, line, to=carol)
            assert to(sent, "carol") == sent, line
            assert standing(letters) == before, line
