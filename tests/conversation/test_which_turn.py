"""Which line of a message is the turn: decorated, beside fragments of turns, or below what may announce a quote."""

import pytest

from engines.core import IllegalMove, Position
from notation.core import BadNotation
from notation.games import GAMES
from pbem.conversation.syntax.mail import ParsedMessage, Reader
from pbem.features.all import FEATURES
from pbem.mail.reading.text import reply_text

QUADRAPHAGES = GAMES["quadraphages"]
START = QUADRAPHAGES.game.position({})
TURN = "1 a7b7 i3i2"


def legal(_match: int, turn: str) -> Position | None:
    """Return the position where that turn can be played, if so."""
    try:
        START.play(QUADRAPHAGES.notation.parse(turn))
    except (BadNotation, IllegalMove):
        return None
    return START


def reading(lines: str) -> ParsedMessage:
    """Return what is read in a reply to the message that says that it's the reader's turn in #1."""
    written = reply_text.read(lines)
    reader = Reader(FEATURES.commands, {1: QUADRAPHAGES}.get, 1, "alice", legal)
    return reader.read("", written.lines, written.cut)


def turns(lines: str) -> list[str]:
    """Return the turns that are read."""
    return [line.words for line in reading(lines).commands if line.command.name == "move"]


DECORATED = [
    "1  a7b7  i3i2",
    "1\u00a0\u00a0a7b7 i3i2",
    *(form.format(TURN) for form in ("*{}*", "**{}**", "_{}_", "- {}", "* {}", "1. {}", "\u2022 {}", '"{}"', "'{}'.")),
    f"\u201e{TURN}\u201c",
    f"Hi!\n- {TURN}\n\nGood luck",
    f"*#1 {TURN}*",
]
TALKED_ABOUT = [
    f"- {TURN}\n- 1 a7a6 i3i2",
    f"Should I have played\nthis one, do you think\n- {TURN}",
    "- 1 a7b7",
    "* a7b7 | a7a6",
]
FRAGMENTS = ["[...]", "(...)", "...", "[1]", "(1)", "#1", "a7", "1 a7b7", TURN, "1a" * 20, "0x1f c3d4e5f6"]


def test_a_decorated_turn_is_a_turn_unless_it_may_be_talked_about() -> None:
    assert [line for line in DECORATED if turns(line) != [TURN]] == []
    assert [line for line in TALKED_ABOUT if turns(line)] == []


@pytest.mark.parametrize("form", ["{0}\n\n{1}", "{0}\n{1}", "{1}\n{0}"])
def test_a_complete_turn_wins_over_fragments_of_turns(form: str) -> None:
    assert [fragment for fragment in FRAGMENTS if turns(form.format(TURN, fragment)) != [TURN]] == []


def test_another_complete_turn_rivals_it_legal_or_not() -> None:
    for rival in ("1 a7a6 i3i2", "2 a7b7 i3i2", "1 a7a9 i3i2"):
        assert turns(f"{TURN}\n\n{rival}") == [TURN, rival]
