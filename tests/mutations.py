"""Break the product on purpose, one place at a time, and name the test that notices: tests/mutations.toml has the list.

    .venv/bin/python -m tests.mutations [--with "make target or pytest arguments"] [NUMBER ...]

It works on a copy of the tracked files, with an environment of its own in which that copy is installed.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
NONE_SELECTED = 5
OPTIONS = "-x -rfE --ignore=tests/docs/test_mutations.py"
"""That test notices every mutation, without running any of the product."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One broken condition: the text that stands once in a file, what replaces it, and what a person notices."""

    file: str
    old: str
    new: str
    noticed: str


def mutations() -> list[Mutation]:
    """Return all mutations in their order; their numbers begin at 1."""
    listed = tomllib.loads((ROOT / "tests" / "mutations.toml").read_text(encoding="utf-8"))
    return [Mutation(**each) for each in listed["mutation"]]


def main() -> int:
    """Make the mutations with these numbers, or all; return 1 if one of them survives."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutations", description="Name the test that notices a fault."
    )
    parser.add_argument("--with", dest="tests", default="test", help="a make target, or arguments for pytest")
    parser.add_argument("numbers", nargs="*", type=int, help="which mutations, by their place in the list")
    chosen = parser.parse_args()
    is_target = re.fullmatch("[a-z-]+", chosen.tests) is not None
    words = ["make", chosen.tests] if is_target else [".venv/bin/pytest", "-q", *shlex.split(chosen.tests)]
    survived = 0
    with copied() as copy:
        for number, mutation in enumerate(mutations(), start=1):
            if number in (chosen.numbers or [number]):
                with broken(copy, mutation):
                    noticing = failing_test(copy, words)
                if noticing is not None:
                    alone = [".venv/bin/pytest", "-q", "-n0", noticing.partition("[")[0]]
                    noticing += " (WITHOUT THE FAULT AS WELL)" if failing_test(copy, alone) else ""
                survived += noticing is None
                print(f"{number}. {mutation.file}: {mutation.noticed}\n   {noticing or 'SURVIVED'}", flush=True)
    return min(survived, 1)


@contextmanager
def copied() -> Iterator[Path]:
    """Provide a copy of the tracked files as they are now, with an environment in which it is installed."""
    with tempfile.TemporaryDirectory(prefix="pbem-mutations-") as folder:
        copy = Path(folder) / "pbem"
        subprocess.run(["git", "clone", "-q", "--shared", str(ROOT), str(copy)], check=True)
        tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
        for name in filter(None, tracked.stdout.split("\0")):
            (copy / name).unlink(missing_ok=True)
            if (ROOT / name).exists():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name)
        install(copy)
        yield copy


def install(copy: Path) -> None:
    """Give the copy the packages of this environment; what leads to this checkout there leads to the copy."""
    environment = copy / ".venv"
    shutil.copytree(ROOT / ".venv", environment, symlinks=True)
    for file in [*environment.glob("bin/*"), *environment.rglob("site-packages/*.pth"), environment / "pyvenv.cfg"]:
        if file.is_file() and not file.is_symlink():
            file.write_bytes(file.read_bytes().replace(os.fsencode(ROOT), os.fsencode(copy)))


@contextmanager
def broken(copy: Path, mutation: Mutation) -> Iterator[None]:
    """Have the fault in its file."""
    file = copy / mutation.file
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")
    try:
        yield
    finally:
        file.write_text(text, encoding="utf-8")


def failing_test(copy: Path, words: list[str]) -> str | None:
    """Run tests in the copy up to the first that fails, and return its name, or what failed; None if nothing does."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV", "MAKEFLAGS")}
    surroundings = kept | {"PYTEST_ADDOPTS": OPTIONS, "TMPDIR": str(copy.parent)}  # other runs share what is cached
    done = subprocess.run(words, cwd=copy, env=surroundings, capture_output=True, text=True)
    if done.returncode in (0, NONE_SELECTED):
        return None
    failed = FAILED.search(done.stdout)
    return failed[1] if failed else f"no test, but {(done.stdout + done.stderr)[-1_000:]}"


if __name__ == "__main__":
    sys.exit(main())
