"""Lines -> commands and prose."""

import random
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notation.board import format_board
from notation.games import GAMES
from notation.hints import format_hint
from pbem.conversation.syntax.mail import ParsedMessage, Reader
from pbem.features.all import FEATURES
from pbem.messages.template_files import templates_folder
from tests.cases import quick_where


def reading(lines: str, subject: str = "", match: int | None = None) -> ParsedMessage:
    """Return the message as read where #42 and #7 are matches of Quadraphages."""
    known = dict.fromkeys((42, 7), GAMES["quadraphages"])
    return Reader(FEATURES.commands, known.get, match).read(subject, lines.split("\n"))


def commands(lines: str, subject: str = "", match: int | None = None) -> list[tuple[str, int | None, str]]:
    """Return the commands in it as verb, match and words."""
    return [(line.command.name, line.match, line.words) for line in reading(lines, subject, match).commands]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("#42 c1b1 g9h9 3", ("move", 42, "c1b1 g9h9 3")),
        ("move 42 c1b1 g9h9 3", ("move", 42, "c1b1 g9h9 3")),
        ("quadraphages c1b1 g9h9 3", ("move", None, "c1b1 g9h9 3")),
        ("#42 resign", ("resign", 42, "")),
        ("resign 42", ("resign", 42, "")),
        ("#42 say well played", ("say", 42, "well played")),
        ("say 42 well played", ("say", 42, "well played")),
        ("show 42", ("show", 42, "")),
        ("accept 42 carol", ("accept", 42, "carol")),
        ("join alice", ("join", None, "alice")),
        ("challenge bob quadraphages first=o", ("challenge", None, "bob quadraphages first=o")),
        ("quadraphages help", ("help", None, "quadraphages")),
        ("help notation quadraphages", ("help", None, "notation quadraphages")),
        ("games", ("games", None, "")),
        ("5 c1b1 g9h9", ("move", None, "5 c1b1 g9h9")),
    ],
)
def test_a_fresh_line_is_read(line: str, expected: tuple[str, int | None, str]) -> None:
    assert [expected] == commands(line)
    assert [expected] == commands("", subject=line) or (expected[1] is None and expected[0] == "move")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("c1b1 g9h9 3", ("move", 7, "c1b1 g9h9 3")),
        ("move c1b1 g9h9 3", ("move", 7, "c1b1 g9h9 3")),
        ("move 3 c1b1 g9h9", ("move", 7, "3 c1b1 g9h9")),
        ("move 42 3 c1b1 g9h9", ("move", 42, "3 c1b1 g9h9")),
        ("3", ("move", 7, "3")),
        ("resign", ("resign", 7, "")),
        ("show", ("show", 7, "")),
        ("show 42", ("show", 42, "")),
        ("say 3 cheers", ("say", 3, "cheers")),
        ("preview #42 1", ("preview", 42, "1")),
        ("say: hello", ("say", 7, "hello")),
    ],
)
def test_a_line_of_a_reply_is_about_its_match(line: str, expected: tuple[str, int | None, str]) -> None:
    assert [expected] == commands(line, match=7)


@pytest.mark.parametrize(
    "line", ["Hello there!", "3 cheers for you", "a b c d e f g h i", "x o . X  4", "1.  ....  ....  1"]
)
def test_prose_and_boards_are_no_command(line: str) -> None:
    assert commands(line, match=7) == []


@pytest.mark.parametrize("game", quick_where({"quadraphages"}.__contains__, GAMES))
def test_what_we_write_about_a_match_is_no_command_when_it_is_quoted_without_marks(game: str) -> None:
    chance = random.Random(2)
    rules, notation, position = GAMES[game].game, GAMES[game].notation, GAMES[game].game.position({})
    ours = {*(templates_folder() / "rules" / f"{game}.md").read_text(encoding="utf-8").splitlines()}
    ours |= {line for indent in range(13) for line in textwrap.wrap(notation.help, 72 - indent)}
    while position.turn is not None and len(ours) < 2000:
        ours |= {*format_board(position.diagram(), lit=True, notes=True).splitlines()}
        ours |= {*format_hint(notation.hint(position)).splitlines()}
        position = position.play(chance.choice(list(position.moves())))
    for line in ours:
        for match in (1, None):
            read = Reader(FEATURES.commands, lambda number: GAMES[rules.key], match).read("", [line])
            assert not [found for found in read.commands if found.command.changes and not found.malformed], line


def test_a_game_s_name_before_a_turn_may_be_what_announces_it() -> None:
    reader = Reader(FEATURES.commands, {3: GAMES["quadrupel"]}.get, 3)

    for said in ("quadrupel c3e5", "#3 quadrupel c3e5", "Quadrupel! c3e5"):
        (line,) = reader.read("", [said]).commands
        assert str(GAMES["quadrupel"].notation.parse(line.words)) == "c3e5 quadrupel"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("setup +x+x", "setup +x+x"),
        ("move setup +x+x", "setup +x+x"),
        ("@a4+ ~b4 b4b3 @c4x c4d3", "@a4+ ~b4 b4b3 @c4x c4d3"),
        ("~b4 b4b3", "~b4 b4b3"),
    ],
)
def test_turns_that_begin_with_signs_or_have_no_digits_are_read(line: str, words: str) -> None:
    reader = Reader(FEATURES.commands, {3: GAMES["kvadratik"]}.get, 3)

    for said in (line, f"#3 {line}"):
        read = reader.read("", [said])
        assert [(found.command.name, found.match, found.words, found.malformed) for found in read.commands] == [
            ("move", 3, words, False)
        ]
    assert reader.read("", ["move over, please"]).commands[0].malformed


def test_a_greeting_before_and_words_after_are_prose() -> None:
    read = reading("Hi Bob!\n\nc1b1 g9h9 3\n\nI like this.\nresign is not for me\n", match=7)

    assert [line.command.name for line in read.commands] == ["move"]
    assert read.prose == ("Hi Bob!", "", "I like this.", "resign is not for me")


def test_a_misspelt_argument_is_malformed_only_while_commands_are_expected() -> None:
    assert reading("resign to fate", match=7).commands[0].malformed
    assert [line.command.name for line in reading("games\nresign to fate", match=7).commands] == ["games"]


def test_a_mail_has_at_most_so_many_commands() -> None:
    assert len(commands("games\n" * 500)) == 20


@given(st.lists(st.text(max_size=60), max_size=8), st.text(max_size=60), st.sampled_from([None, 7, 99]))
def test_any_lines_can_be_read(lines: list[str], subject: str, match: int | None) -> None:
    read = reading("\n".join(lines), subject, match)

    assert all(line.command.name in FEATURES.commands for line in read.commands)


WRITTEN = st.sampled_from(
    [
        "c1b1 g9h9 3",
        "#42 1 c1b1 g9h9",
        "Hi Bob!",
        "",
        "say well played",
        "note he is strong on the left",
        "if a7b7 then c1c4",
        "show 42 please",
        "8",
        "----",
        "Good luck, and thanks for the game!",
        "resign",
        "challenge bob quadraphages",
        "> quoted",
        "human",
        "resing",
    ]
)


@given(st.lists(WRITTEN, max_size=8), st.sampled_from(["", "games", "Re: hello"]), st.sampled_from([None, 7]))
def test_what_is_held_says_the_same_when_it_is_read_again(lines: list[str], subject: str, match: int | None) -> None:
    def told(read: ParsedMessage) -> list[object]:
        said = [(line.command.name, line.match, line.words, line.malformed) for line in read.commands]
        return [said, *((block.lines, [line.text for line in block.under]) for block in read.words)]

    read = reading("\n".join(lines), subject, match)

    if read.commands:
        again = Reader(FEATURES.commands, dict.fromkeys((42, 7), GAMES["quadraphages"]).get, match)
        assert told(again.restored(read.items, read.withheld)) == told(read)
