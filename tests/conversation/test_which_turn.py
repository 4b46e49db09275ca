"""Which line of a message is the turn: decorated, beside fragments of turns, or below what may announce a quote."""

from pathlib import Path

import pytest

from engines.core import IllegalMove, Position
from notation.core import BadNotation
from notation.games import GAMES
from pbem.conversation.syntax.mail import ParsedMessage, Reader
from pbem.features.all import FEATURES
from pbem.mail.reading.text import reply_text
from pbem.mail.reading.text.quotes_of_us import Ours

QUADRAPHAGES = GAMES["quadraphages"]
QUOTED = Path(__file__).parent.parent.joinpath("phrases", "quoted.txt").read_text(encoding="utf-8")
OURS = Ours("games@pbem.example", "PBeM", (r".+, match #[0-9]+, turn [0-9]+",))
START = QUADRAPHAGES.game.position({})
TURN = "1 a7b7 i3i2"


def legal(_match: int, turn: str) -> Position | None:
    """Return the position where that turn can be played, if so."""
    try:
        START.play(QUADRAPHAGES.notation.parse(turn))
    except (BadNotation, IllegalMove):
        return None
    return START


def reading(lines: str, subject: str = "", *, is_html: bool = False) -> ParsedMessage:
    """Return what is read in a reply to the message that says that it's the reader's turn in #1."""
    written = reply_text.read(lines, is_html, "alice@mail.example", OURS)
    reader = Reader(FEATURES.commands, {1: QUADRAPHAGES}.get, 1, "alice", legal)
    return reader.read(subject, written)


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
        assert turns(f"{TURN}\n#1 {rival}") == turns(f"#1 {TURN}\n{rival}") == [TURN, rival]


AMONG_WORDS = [
    "> How many points did you get?\n8",
    "Hi Bob,\n\n> How many points did you get?\n\n8\n\n> Bye",
    "Room\n8\n2nd floor",
    "I have 3 questions:\n1\nWhen do we meet?\n2\nWhere?",
    "Thanks for the game!\n\n8",
    "Is this right?\n\n> On Monday\n\n8",
    "ok thanks\n8",
    "show\nThat was long ago\n8",
]
WORDS = ["+1", ":+1:", "*8*", "- 8", "Room\n*8*", "8 people came", "I got\n+1"]


def test_a_short_word_is_a_turn_only_at_the_top() -> None:
    for lines in (
        "8",
        "8\n\nThanks!",
        "Hi Bob,\n\n8\n\nThanks!",
        "> Your turn\n\n8",
        "Hello\n\n#1 8",
        "Hello\n\nmove 8",
    ):
        assert turns(lines) == ["8"], lines
    for lines in [*AMONG_WORDS, *WORDS]:
        assert turns(lines) == [], lines
    offered = [reading(lines).doubtful for lines in AMONG_WORDS[:-1]]
    assert [line and line.words for line in offered] == ["8", "8", "8", "1", "8", "8", "8"]
    listed = reading("<p>I have two questions:</p><ul><li>1</li><li>2</li></ul>", is_html=True)
    assert not listed.commands
    assert listed.doubtful is not None


def test_nothing_of_a_quote_without_marks_is_played_or_sent() -> None:
    """The announcements were labelled before any was read: of 286 replies, 84 leaked, and then 27 of another 202.

    Two still do, and aren't here: "Jane Doe said:", and a name, "to me" and "16:20 (2 hours ago)" in three lines.
    """
    rest = "I had a bad week and the doctor says I must rest."
    for block in QUOTED.rstrip("\n").split("\n%\n"):
        for gap in ("\n", "\n\n"):
            found = reading(f"{TURN}\n\nThank you!\n\n{block}{gap}{rest}\n\nresign\n")
            assert [line.words for line in found.commands] == [TURN], block
            assert found.prose[0] == "Thank you!", block
            assert rest not in found.prose, block
            assert turns(f"Thank you!\n\n{block}{gap}{TURN}\n") == [], block


def test_what_may_be_quoted_is_withheld_from_everybody_but_not_from_the_admin() -> None:
    below = "Ann Ray, 20.06.2024 16:20\nI had a bad week"

    assert reading(f"{TURN}\n\nThanks!\n\n{below}").withheld == ("I had a bad week",)
    assert reading(f"human Thanks!\n\n{below}").withheld == ()
    assert "I had a bad week" in reading(f"human Thanks!\n\n{below}").prose


SENTENCES = [
    "join the fortean book club",
    "help yourself",
    "resign yourself to it",
    "move over, here I come",
    "show off",
]


@pytest.mark.parametrize("gap", ["\n", "\n\n", "\nWe read on Mondays.\n\n"])
def test_a_sentence_that_begins_with_a_command_is_words_above_a_legal_turn(gap: str) -> None:
    for sentence in SENTENCES:
        assert [line.words for line in reading(f"{sentence}{gap}{TURN}").commands] == [TURN], sentence
        assert reading(f"{sentence}{gap}{TURN}").prose[0] == sentence
        assert reading(f"{sentence}{gap}1 a7a9 i3i2").prose[:1] != (sentence,)
    assert [line.command.name for line in reading(f"help resign\n{TURN}").commands] == ["help", "move"]


def test_a_remark_is_for_the_opponent_and_a_command_that_takes_all_below_isnt() -> None:
    for lines in (f"{TURN}\nHuman: I'm away until Friday.", f"{TURN}\n\nHUMAN: I'm away until Friday."):
        assert [line.command.name for line in reading(lines).commands] == ["move"], lines
        assert "away until Friday" in reading(lines).prose[0]
    assert turns(f"Human: I'm away until Friday.\n\n{TURN}") == [TURN]
    for lines in (f"{TURN}\nhuman\nI'm strong on the left", f"{TURN}\nHuman\nI'm strong on the left"):
        assert [line.command.name for line in reading(lines).commands] == ["move", "human"], lines
    assert [line.command.name for line in reading("draw\nHuman: I'm away.").commands] == ["draw"]
    assert [line.command.name for line in reading(TURN, "HUMAN: my new address").commands] == ["move"]
    assert reading("Please use it.", "HUMAN: my new address").commands == ()
    assert [line.command.name for line in reading("strong on the left", "human").commands] == ["human"]


@pytest.mark.parametrize("gap", ["\n", "\n\n", " "])
def test_a_reply_below_our_quoted_header_is_read(gap: str) -> None:
    header = (
        "**Gesendet:** Montag, 2. März 2026",
        "**Von:** PBeM <games@pbem.example>",
        "**An:** Ann",
        "**Betreff:** Zug",
    )

    assert [line.words for line in reading(f"{gap.join(header)}\n\n{TURN}\n\nresign").commands] == [TURN]
    assert not reading(f"{gap.join(header)}\n\nQuadraphages, match #1, turn 2\n{TURN}").commands


@pytest.mark.parametrize(
    "above",
    [
        "Le 3 mars 2026 à 10:00, bob a écrit",
        "Am 2. März 2026 um 08:12 schrieb Bob",
        "On Mon, 2 Mar 2026 at 10:00 Bob wrote:",
    ],
)
def test_what_stands_below_an_announcement_alone_is_offered(above: str) -> None:
    found = reading(f"{above}\n{TURN}")

    assert [line for line in found.commands if line.command.plays] == []
    assert found.doubtful is not None
    assert found.doubtful.words == TURN
