"""The console examples in the documentation work and print what it shows."""

import doctest
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, console, page

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", [name for name in PAGES if ">>> " in page(name)])
def test_python_examples(name: str) -> None:
    ran = doctest.testfile(str(ROOT / name), module_relative=False, encoding="utf-8")
    assert ran.attempted
    assert not ran.failed


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PAGES if "```console" in page(name)])
def test_console_examples(name: str, tmp_path: Path) -> None:
    """The steps of a page run in one shell, in an empty folder; each prints what it shows and succeeds."""
    steps = list(console(page(name)))
    script = "\n".join(f"{step.command} || echo \"ended with $?\"\necho '=== {at}'" for at, step in enumerate(steps))
    environment = {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
        "HOME": str(tmp_path),
        "COLUMNS": "80",
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(
        ["/bin/bash"],
        input=script,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
        timeout=600,
        check=True,
    )
    printed = done.stdout
    for at, step in enumerate(steps):
        got, _, printed = printed.partition(f"=== {at}\n")
        assert "ended with" not in got, f"$ {step.command}\n{got}{done.stderr}"
        if step.printed:
            fits = doctest.OutputChecker().check_output(step.printed, got, FLAGS)
            assert fits, f"$ {step.command}\n{got}\n--- but {name} shows\n{step.printed}"
