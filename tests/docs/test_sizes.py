"""What can still be read at a glance: modules of 400 lines at most, packages of 20 modules at most."""

from collections import Counter
from pathlib import Path

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


def test_no_package_has_too_many_modules() -> None:
    modules = Counter(path.parent.relative_to(PROJECT).as_posix() for path in MODULES if path.stem != "__init__")

    assert {name: number for name, number in modules.items() if number > MODULES_IN_PACKAGE} == {}
