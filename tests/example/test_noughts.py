"""The worked example of docs/new-game.md: a game in less than 700 lines, with its tests, played by mail."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docs import generated
from engines.core import IllegalMove, Outcome
from notation import record
from notation.core import BadNotation
from tests.correspondence import correspondence, text
from tests.diagrams import diagram_after
from tests.engines import test_contract as contract
from tests.example.brute import State, played
from tests.example.engine import NOUGHTS, Reason, Turn
from tests.example.notation import NOUGHTS as NOTATION
from tests.notation import test_rules as rules
from tests.perft.test_perft import Block, counts, read

HERE = Path(__file__).parent
BLOCKS = read(HERE / "noughts.perft")


def after(*texts: str, **options: str) -> Any:
    """Return the position after these turns."""
    position = NOUGHTS.position(options)
    for each in texts:
        position = position.play(NOTATION.parse(each))
    return position


# The engine ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "turns", "outcome"),
    [
        ("line", "a1 a2 b1 b2 c1", Outcome(0, "X has a line on a1, b1 and c1")),
        ("line", "a1 c3 b1 b2 a3 a2 c2 c1 b3", Outcome(None, "the board is full")),
        ("line", "a1 a3 b1 b2 c2 c1", Outcome(1, "O has a line on a3, b2 and c1")),
        ("avoid", "a1 a2 b1 b2 c1", Outcome(1, "X has a line on a1, b1 and c1")),
    ],
)
def test_a_match_ends(goal: str, turns: str, outcome: Outcome) -> None:
    assert after(*turns.split(), goal=goal).outcome == outcome


@pytest.mark.parametrize(
    ("turns", "move", "reason", "words"),
    [
        ("b2", "b2", Reason.TAKEN, "X has b2 already; a1, b1, c1, a2, c2, a3, b3 or c3 would do"),
        ("", "d4", Reason.OFF_BOARD, "d4 is not on this board"),
        ("a1 a2 b1 b2 c1", "c2", Reason.GAME_OVER, "the game is over: X has a line on a1, b1 and c1"),
    ],
)
def test_every_refusal(turns: str, move: str, reason: Reason, words: str) -> None:
    with pytest.raises(IllegalMove, match=words) as refusal:
        after(*turns.split()).play(Turn(move))

    assert refusal.value.reason is reason
    assert refusal.value.token in (move, "")


def test_the_last_turn_is_lit() -> None:
    assert diagram_after("noughts", after("b2"), "a1").lit == {"a1"}


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.id)
def test_engine_and_brute_force_count_as_many_turns(block: Block) -> None:
    state = State()
    for each in block.turns:
        state = played(state, each)

    assert counts(after(*block.turns, **block.options), len(block.nodes)) == list(block.nodes)
    assert [state.count(depth) for depth in range(1, len(block.nodes) + 1)] == list(block.nodes)


# The notation ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", ["b2", "B2", " b2. ", "b2!"])
def test_a_turn_is_read_however_it_is_written(said: str) -> None:
    assert NOTATION.parse(said) == Turn("b2")


@pytest.mark.parametrize(
    ("said", "at", "expected"),
    [
        ("", 0, "a square such as b2"),
        ("d1", 0, "a letter from a to c"),
        ("a4", 1, "a row from 1 to 3"),
        ("a12", 2, "a space or the end after the square"),
        ("a1 b2", 3, "the end of the turn"),
        ("a1" * 200, 300, "the end of the turn: none is longer"),
    ],
)
def test_what_cannot_be_read_is_pointed_at(said: str, at: int, expected: str) -> None:
    with pytest.raises(BadNotation, match=expected) as bad:
        NOTATION.parse(said)

    assert bad.value.at == at


def test_the_hint_says_what_a_line_is_good_for() -> None:
    lines, avoided = (NOTATION.hint(after(goal=goal)) for goal in ("line", "avoid"))

    assert lines is not None
    assert lines.passages[0].text.endswith("three in a line wins.")
    assert lines.example == "a1"
    assert avoided is not None
    assert avoided.passages[0].text.endswith("three in a line loses.")


# The contract of all games ------------------------------------------------------------------------------


def claims(module: Any) -> list[Callable[..., None]]:
    """Return the tests of a module that apply to any game."""
    tests = [test for name, test in vars(module).items() if name.startswith("test_")]
    return [test for test in tests if "game" in inspect.signature(test).parameters]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("claim", claims(contract), ids=lambda claim: claim.__name__)
def test_the_contract_of_the_engines(claim: Callable[..., None], seed: int) -> None:
    claim(**{name: {"game": "noughts", "seed": seed}[name] for name in inspect.signature(claim).parameters})


@pytest.mark.parametrize("claim", claims(rules), ids=lambda claim: claim.__name__)
def test_the_contract_of_the_rules_pages(claim: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "RULES", HERE / "templates" / "rules")
    claim("noughts")


# By mail ---------------------------------------------------------------------------------------------


def test_a_match_is_played_to_its_end_by_mail(tmp_path: Path) -> None:
    turns = ["b2", "a1", "c1", "a3", "a2", "c2", "b1", "b3", "c3"]
    with correspondence(tmp_path) as letters:
        letters.match("challenge bob noughts goal=line")
        shown = text(letters.write("bob@mail.example", "rules noughts")[0])
        (refused,) = letters.reply(letters.last("alice"), "b4")
        for number, turn in enumerate(turns):
            letters.reply(letters.last(("alice", "bob")[number % 2]), turn)
        over = text(letters.received["bob@mail.example"][-1])
        (answer,) = letters.reply(letters.received["alice@mail.example"][-1], "record 1")
    read = record.loads(text(answer).replace("\r\n", "\n"))

    assert "NOUGHTS AND CROSSES" in shown
    assert 'Did you mean "b3"?' in text(refused)
    assert over.startswith("The match is a draw.")
    assert "The match is over: the board is full." in " ".join(over.split())
    assert (read.game, read.moves) == ("noughts", tuple(turns))
    assert re.search(r"^ O X X +1$", over.replace("\r", ""), flags=re.MULTILINE)


def test_the_game_and_the_variant_are_small() -> None:
    game, variant = generated.example_lines()

    assert sum(game.values()) < 700
    assert sum(variant.values()) < 150
