"""The games in packages of their own show what a designer needs: they import one module of pbem."""

import ast
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem_classics.games.connectfour import CONNECTFOUR

PACKS = sorted((Path(__file__).parent.parent.parent / "packs").glob("pbem-*"))
OTHERS = {"chess", "pyspiel", "pytest", "second_sources"}
"""What packs import besides: libraries that know the rules of games, the tests' tool, and those rules once more."""


def imported(path: Path) -> Iterator[str]:
    """Yield what a module imports: `pbem.gamekit`, `re.compile`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names if not node.level)


@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.name)
def test_a_pack_imports_nothing_of_pbem_but_the_gamekit(pack: Path) -> None:
    own = pack.name.replace("-", "_")
    for path in pack.rglob("*.py"):
        is_test = "tests" in path.parts[-3:]  # what the house plays and what records say is looked at, too
        kits = ("pbem.gamekit", *(("pbem.conformance", "engines.", "notation.") if is_test else ()))
        for name in imported(path):
            top = name.split(".")[0]
            assert top in sys.stdlib_module_names | OTHERS | {own} or f"{name}.".startswith(kits), path


def test_a_game_of_the_shelf_is_played_to_its_end() -> None:
    position, chance = CONNECTFOUR.game.position({}), random.Random(1)
    while position.turn is not None:
        position = position.play(chance.choice(list(position.moves())))
    assert position.outcome is not None
    assert "four in a row" in position.outcome.reason
