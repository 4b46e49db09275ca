"""What can still be read at a glance: modules of 400 lines at most, packages of 20 modules at most."""

from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
MODULES = sorted(
    path
    for package in ("pbem", "engines", "notation")
    for path in (PROJECT / package).rglob("*.py")
    if "migrations" not in path.parts
)
LINES, MODULES_IN_PACKAGE = 400, 20


def test_no_module_is_too_long() -> None:
    lines = {str(path.relative_to(PROJECT)): len(path.read_text("utf-8").splitlines()) for path in MODULES}

    assert {name: number for name, number in lines.items() if number > LINES} == {}


@pytest.mark.parametrize("package", sorted({path.parent for path in MODULES}), ids=lambda path: path.name)
def test_no_package_has_too_many_modules(package: Path) -> None:
    modules = [path.stem for path in MODULES if path.parent == package and path.stem != "__init__"]

    assert len(modules) <= MODULES_IN_PACKAGE
