"""What can still be read at a glance: modules of 400 lines, packages of 20 modules, tests that stand on their own."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

PROJECT = Path(__file__).parents[2]
MODULES = [
    path
    for package in ("pbem", "engines", "notation")
    for path in (PROJECT / package).rglob("*.py")
    if "migrations" not in path.parts
]
TESTS = sorted((PROJECT / "tests").rglob("*.py"))
GOLDEN = [
    path for name in ("stories", "playthroughs", "templates") for path in (PROJECT / "tests" / name).rglob("*.txt")
]
IMPORTED = re.compile(r"^\s*from tests(?:\.\S*\btest_\w+ import|\S* import .*\btest_\w+)", re.MULTILINE)


def lines(paths: Iterable[Path]) -> int:
    return sum(len(path.read_text("utf-8").splitlines()) for path in paths)


def test_no_module_and_no_package_is_too_long() -> None:
    packages = Counter(path.parent for path in MODULES if path.stem != "__init__")

    assert [str(path) for path in MODULES if lines([path]) > 400] == []
    assert [str(package) for package, modules in packages.items() if modules > 20] == []


def test_the_tests_do_not_grow() -> None:
    assert lines(TESTS) <= 50_000
    assert lines(GOLDEN) <= 30_000


def test_no_test_module_imports_another() -> None:
    assert [str(path.relative_to(PROJECT)) for path in TESTS if IMPORTED.search(path.read_text("utf-8"))] == []
