"""Which lines of a message are words, which are turns, and what looks like a turn or like boilerplate."""

import pytest

from notation.games import GAMES
from pbem.conversation.syntax.mail import ParsedMessage, Reader
from pbem.features.all import FEATURES
from pbem.mail.reading.text import reply_text

GAMES_OF = {
    **dict.fromkeys((17, 18), GAMES["kvadratik"]),
    **dict.fromkeys((7, 6), GAMES["quadraphages"]),
}


MOVE = "c1b1 g9h9 3"


def reading(lines: str, match: int | None = None) -> ParsedMessage:
    written = reply_text.read(lines)
    return Reader(FEATURES.commands, GAMES_OF.get, match, "alice").read("", written)


def commands(lines: str, match: int | None = None) -> list[tuple[str, int | None, str]]:
    return [(line.command.name, line.match, line.words) for line in reading(lines, match).commands]


@pytest.mark.parametrize(
    "line", ["#18 b3b4", "# 18 b3b4", "#18: b3b4", "#18, b3b4", "#18) b3b4", "  #18 b3b4", "\uff0318 b3b4", "#18. b3b4"]
)
def test_a_line_that_begins_with_a_number_is_a_command_wherever_it_stands(line: str) -> None:
    expected = ("move", 18, "b3b4")

    for above in ("", "#17 b3b4\n", "#17 b3b4\nThat was quick!\n\n", "Hello\n\n", "games\n\nThanks\n"):
        assert commands(f"{above}{line}")[-1] == expected, above


def test_a_line_that_begins_with_a_number_and_cant_be_read_is_refused() -> None:
    for lines in ("#18 resing", "#18 resing\n#17 b3b4\nHi", "#17 b3b4\n#18 resing", "#17 b3b4\nHi\n#18 resing\nBye"):
        found = reading(lines)
        assert [line.malformed for line in found.commands if line.match == 18] == [True], lines
        assert not any("resing" in line for line in found.prose)


@pytest.mark.parametrize(
    ("lines", "match", "told"),
    [
        (f"say hi\n\nAnd I play\n{MOVE}", 7, [MOVE]),
        (f"games\nMy move is {MOVE}.", 7, [f"My move is {MOVE}."]),
        ("#6 c1b1 g9h9 3\nand I play #17 b3b4 there", None, ["and I play #17 b3b4 there"]),
        ("#6 c1b1 g9h9 3\n\nHi!\n- #17 b3b4", None, ["- #17 b3b4"]),
        ("#6 c1b1 g9h9 3\nand:#17 b3b4", None, ["and:#17 b3b4"]),
        (f"{MOVE}\n\nI also thought of\nd1e1 g9h9 4", 7, ["d1e1 g9h9 4"]),
        (f"{MOVE}\n\nI feared b7b4, or c1b1 g9h9 3, you know", 7, []),
        (f"{MOVE}\n\nSee you at 10:30 in B12, bring 3 apples", 7, []),
        ("say I won 3 games\n\nCall +49 30 1234567 or 0171 55 66", 7, []),
    ],
)
def test_words_that_look_like_a_turn_of_the_match_are_reported(lines: str, match: int | None, told: list[str]) -> None:
    assert list(reading(lines, match).overlooked) == told


@pytest.mark.parametrize(
    "mark", ["---", "-----", "...", "----", "\u2014\u2014\u2014", "=====", "* * *", "~~~~", "- - -"]
)
def test_a_separator_is_no_second_turn(mark: str) -> None:
    for lines in (
        f"{MOVE}\n{mark}\nGood luck",
        f"{mark}\n{MOVE}",
        f"{MOVE}\n{mark}",
        f"Hi\n{mark}\n{MOVE}\nBye\n{mark}",
    ):
        assert commands(lines, 7) == [("move", 7, MOVE)]


def test_a_turn_of_marks_alone_is_read_where_it_is_all_there_is() -> None:
    assert commands("----", 7) == [("move", 7, "----")]
    assert commands("----\n-- \nAlice", 7) == [("move", 7, "----")]
    assert commands("----", None) == []
    assert commands("----\n\nHow do you like that?", 7) == []
    assert commands("#7 ----\n\nHow do you like that?") == [("move", 7, "----")]


def test_a_turn_of_marks_alone_is_read_among_words_where_it_is_legal() -> None:
    start = GAMES["quadraphages"].game.start({"first": "x"})
    reader = Reader(
        FEATURES.commands, GAMES_OF.get, 7, "alice", lambda match, turn: start if (match, turn) == (7, "----") else None
    )

    for lines in (["----", "", "Ha!"], ["say Ha!", "----"], ["Ha!", "----", "So!"], ["games", "Ha!", "----"]):
        assert [line.words for line in reader.read("", lines).commands if line.command.name == "move"] == ["----"]
    for lines in ([MOVE, "----"], ["----", "Ha!", "----"], ["----", "Ha!", "..."], ["Ha!", "---"]):
        assert [line.words for line in reader.read("", lines).commands if line.words != MOVE] == []


ACTS = [
    f"scanned by my own eyes:\n{MOVE}",
    f"Please consider the environment\n{MOVE}\nbefore you print",
    f"#17 b3b4\n=====\n{MOVE}",
    f"Hello\n=====\n{MOVE}\nbob@mail.example",
    f"Hello\n-- \n{MOVE}",
    f"{MOVE} Sent from my iPhone",
]


@pytest.mark.parametrize("lines", ACTS)
def test_a_turn_is_never_cut_as_boilerplate(lines: str) -> None:
    assert ("move", 7, MOVE) in commands(lines, 7)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("#17 b3b4\n=====\n#18 b3b4", [("move", 17, "b3b4"), ("move", 18, "b3b4")]),
        ("#17 b3b4\n_____\n#18 @a4+ b3b4", [("move", 17, "b3b4"), ("move", 18, "@a4+ b3b4")]),
        ("#17 b3b4\n-- \nresign 18", [("move", 17, "b3b4"), ("resign", 18, "")]),
        ("#17 b3b4\n-- \nBob Smith\nSay no to plastic\n+49 30 1234", [("move", 17, "b3b4")]),
    ],
)
def test_a_command_below_a_rule_counts_and_a_signature_doesnt(lines: str, expected: list[object]) -> None:
    assert [each for each in commands(lines) if each[0] != "say"] == expected


def test_a_turn_in_a_tagline_is_suggested() -> None:
    for line in (f"This email was sent from my phone, {MOVE}", f"Hi! Sent from my iPhone {MOVE}"):
        assert any(MOVE in each for each in reading(line, 7).overlooked)
