"""Lines that aren't quite commands: those read anyway, those only suggested, and those that stay prose."""

import pytest

from notation.games import GAMES
from pbem.conversation.syntax.mail import ParsedMessage, Reader
from pbem.features.all import FEATURES
from pbem.mail.reading.from_and_subject import REPLY_MARKS, bare_subject

GAMES_OF = {42: GAMES["quadraphages"], 7: GAMES["quadraphages"], 3: GAMES["kvadratik"], 5: GAMES["quadrupel"]}


def reading(lines: str, subject: str = "", match: int | None = None, own: str | None = "alice") -> ParsedMessage:
    return Reader(FEATURES.commands, GAMES_OF.get, match, own).read(subject, lines.split("\n"))


def read(lines: str, subject: str = "", match: int | None = None) -> list[tuple[object, ...]]:
    """Return the commands in a message as verb, match and words, and "malformed" where they are."""
    return [
        (line.command.name, line.match, line.words, *(("malformed",) if line.malformed else ()))
        for line in reading(lines, subject, match).commands
    ]


def guessed(line: str, match: int | None = None) -> str | None:
    found = reading(line, match=match)
    assert not found.commands
    return found.guess.text if found.guess else None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("show 42.", ("show", 42, "")),
        ("challenge [bob] [quadraphages]", ("challenge", None, "bob quadraphages")),
        ("\u201caccept 42\u201d", ("accept", 42, "")),
        ("**accept 42**", ("accept", 42, "")),
        ("Hi, show 42 please!", ("show", 42, "")),
    ],
)
def test_what_leaves_nothing_to_guess_is_read(line: str, expected: tuple[object, ...]) -> None:
    assert read(line) == [expected]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Hi, c1b1 g9h9 3 please", ("move", 7, "c1b1 g9h9 3")),
        ("c1b1 g9h9 3, thank you!", ("move", 7, "c1b1 g9h9 3")),
        ("**c1b1 g9h9 3**", None),
        ("Resigned", None),
    ],
)
def test_a_reply_is_read_without_what_stands_around_a_turn(line: str, expected: tuple[object, ...] | None) -> None:
    assert read(line, match=7) == ([expected] if expected else [])


@pytest.mark.parametrize(
    "line",
    [
        "Game on!",
        "Nice game, thanks",
        "Please help me understand the rules",
        "Shows how much I know",
        "resign?",
        "Hi, 3 cheers for you",
        "Hi Bob, what about e5?",
        "- resign 42",
        "* c1b1 g9h9 3",
        '"resign" is what I would do',
        "[pbem #42] Quadraphages: alice - bob",
        "Subject: Re: [pbem #42] resign",
        "what?!",
        "Take your time.",
        "Block that corner!",
        "Allow me.",
        "stop tournaments that bore me",
    ],
)
def test_what_may_be_prose_is_no_command(line: str) -> None:
    for match in (7, None):
        assert read(line, match=match) == []


def test_a_usage_line_as_it_stands_changes_nothing() -> None:
    for command in FEATURES.commands.values():
        placeholders = any(character.isupper() for character in command.grammar.usage)
        for line in (command.usage, f"- {command.usage}", f'"{command.usage}"', f"Usage: {command.usage}"):
            for match in (42, None):
                found = reading(line, match=match).commands
                assert all(each.malformed or not each.command.changes for each in found) or not placeholders, line


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("chalenge bob quadraphages", "challenge bob quadraphages"),
        ("resing 42", "resign 42"),
        ("Rule quadraphages", "rules quadraphages"),
        ("accepts 42", "accept 42"),
        ("moves c1b1 g9h9 3", "move c1b1 g9h9 3"),
        ("quadraphages chalenge alice bob", "quadraphages challenge alice bob"),
        ("- resign 42", "resign 42"),
        ("* games", "games"),
        ("frobnicate 12", None),
        ("Thanks a lot", None),
    ],
)
def test_the_nearest_command_is_guessed(line: str, text: str | None) -> None:
    assert guessed(line, 7) == text


# The Subject -----------------------------------------------------------------------------------------


def test_the_subject_is_read_behind_re_in_every_language() -> None:
    for mark in (*sorted(REPLY_MARKS), "RE", "Re[2]", "Re (3)", "re^4", "Fwd", "SV", "\u041e\u0442\u0432"):
        for colon in (":", "\uff1a", " :"):
            assert bare_subject(f"{mark}{colon} Re: games") == "games", mark
            assert read("", f"{mark}{colon}  {mark}{colon} #42 show") == [("show", 42, "")], mark


# Rognlie's commands -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("quadraphages move 42 alice secret c1b1 g9h9 3", [("move", 42, "c1b1 g9h9 3")]),
        ("quadraphages move 42 alice c1b1 g9h9 3", [("move", 42, "c1b1 g9h9 3")]),
        ("mvoe #42 alice secret 1 c1b1 g9h9", [("move", 42, "1 c1b1 g9h9")]),
        ("move 42 alice secret propose", [("draw", 42, "")]),
        ("quadraphages move 42 alice secret reject", [("decline", 42, "")]),
        ("set alice secret", [("set", None, "")]),
        ("signup alice secret alice@mail.example", [("join", None, "alice")]),
        ("quadraphages challenge alice bob -first=o", [("challenge", None, "quadraphages alice bob -first=o")]),
        ("undo 42 alice secret", [("undo", 42, "")]),
    ],
)
def test_lines_of_rognlie_s_server_are_read(line: str, expected: list[tuple[object, ...]]) -> None:
    assert read(line) == expected
    assert read("", line) == expected
    assert read("multiple\n" + line) == expected
    assert read(line, "multiple") == expected
    assert "secret" not in str(reading(line)).lower().replace("secretary", "")


@pytest.mark.parametrize(("line", "turn"), [("42 alice secret c1b1,g9h9,3#7", 7), ("42 c1b1 g9h9 3 #12", 12)])
def test_a_move_may_be_tied_to_a_turn(line: str, turn: int) -> None:
    (found,) = reading(f"quadraphages move {line}").commands

    assert found.turn_number == turn
    assert "#" not in found.words


@pytest.mark.parametrize(
    "line",
    [
        "move 42 alice secret c1b1 g9x9 3",
        "move 42 alice secret",
        "#42 alice secret c1b1",
        "[pbem #42] move alice secret c1b1 g9h9 3",
        "change password alice secret secret2",
        "quadraphages queue 42 alice secret c1b1",
        "resing 42 alice secret",
        "undo 42 alice secret please do",
    ],
)
def test_a_password_is_kept_nowhere_in_what_was_read(line: str) -> None:
    for lines, subject in ((line, ""), ("", line), (f"c1b1 g9h9 3\n{line}", ""), (f"Hello\n\n{line}\n\nbye", "")):
        for match in (None, 42):
            found = reading(lines, subject, match)
            assert "secret" not in str(found), (lines, found)


def test_a_turn_behind_a_userid_is_no_password() -> None:
    assert read("move 42 alice 1 c1b1 g9h9") == [("move", 42, "1 c1b1 g9h9")]
    assert read("move 3 alice ~a3 b3b2") == [("move", 3, "~a3 b3b2")]
