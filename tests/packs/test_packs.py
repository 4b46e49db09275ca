"""The games in packages of their own show what a designer needs: they import one module of pbem."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKS = sorted(path for path in Path(__file__).parent.iterdir() if path.name.startswith("pbem-"))


def imported(path: Path) -> Iterator[str]:
    """Yield what a module imports: `pbem.gamekit`, `re.compile`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)


@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.name)
def test_a_pack_imports_nothing_of_pbem_but_the_gamekit(pack: Path) -> None:
    own = pack.name.replace("-", "_")
    for path in pack.rglob("*.py"):
        kit = "pbem.conformance" if path.name == "test_promises.py" else "pbem.gamekit"
        for name in imported(path):
            top = name.split(".")[0]
            assert top in sys.stdlib_module_names | {own, "pytest"} or name.startswith(kit), path
