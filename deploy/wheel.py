"""Puts `engines` and `notation` below `pbem` in the wheel (see docs/decisions/one-package-when-installed.md)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MOVED = ("engines", "notation")
NEW_HOME = "pbem"
_MODULE = re.compile(rb"from (?=\w)")


class Wheel(BuildHookInterface):
    """Replaces each module that imports a moved package by a copy with the new name in its imports."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the copies, unless the checkout itself is installed ("editable")."""
        if version != "standard":
            return
        self._copies = TemporaryDirectory()
        for number, path in enumerate(_modules(Path(self.root))):
            source = path.read_bytes()
            if (changed := moved(source, str(path))) != source:
                copy = Path(self._copies.name) / f"{number}.py"
                copy.write_bytes(changed)
                build_data["force_include"][str(copy)] = _place(path.relative_to(self.root))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the copies."""
        if version == "standard":
            self._copies.cleanup()


def _modules(root: Path) -> Iterator[Path]:
    """Yield the modules of the wheel."""
    for package in (NEW_HOME, *MOVED):
        yield from sorted((root / package).rglob("*.py"))


def _place(path: Path) -> str:
    """Return where a module of the checkout is in the wheel."""
    return (NEW_HOME / path if path.parts[0] in MOVED else path).as_posix()


def moved(source: bytes, name: str = "") -> bytes:
    r"""Return a module that imports the moved packages from their new place; all else stays, byte for byte.

    Raise ValueError for an import that can't be rewritten in place.

    >>> moved(b"from engines.core import Game\nfrom engines_of_others import Game\n")
    b'from pbem.engines.core import Game\nfrom engines_of_others import Game\n'
    """
    lines = source.splitlines(keepends=True)
    for line, column in sorted(_imports(ast.parse(source), lines, name), reverse=True):
        lines[line] = lines[line][:column] + f"{NEW_HOME}.".encode() + lines[line][column:]
    return b"".join(lines)


def _imports(tree: ast.Module, lines: list[bytes], name: str) -> Iterator[tuple[int, int]]:
    """Yield the line and the column of the name of each moved package in an import statement, counted from 0."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and _is_moved(node.module):
            found = _MODULE.match(lines[node.lineno - 1], node.col_offset)
            if found is None:
                raise ValueError(f"{name}:{node.lineno}: write `from {node.module} import` on one line")
            yield node.lineno - 1, found.end()
        for alias in node.names if isinstance(node, ast.Import) else ():
            if _is_moved(alias.name):
                if alias.asname is None:
                    raise ValueError(f"{name}:{alias.lineno}: write `from {alias.name} import ...` or `... as`")
                yield alias.lineno - 1, alias.col_offset


def _is_moved(module: str | None) -> bool:
    return (module or "").partition(".")[0] in MOVED
