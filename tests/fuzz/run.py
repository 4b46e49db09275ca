"""Fuzz every target for some seconds, one after the other, and print how often each was run.

    python -m tests.fuzz.run SECONDS [FOLDER]

Exits with 1 if a promise was broken; the input that broke it is then in the folder.
"""

import re
import subprocess
import sys
from pathlib import Path

from tests.fuzz.seeds import ROOT
from tests.fuzz.targets import TARGETS

EXECUTED = re.compile(r"^stat::number_of_executed_units: (\d+)$", re.MULTILINE)
FOUND = re.compile(r"Test unit written to (\S+)")
LATE_SECONDS = 120


def fuzz(target: str, seconds: int, folder: Path) -> tuple[int, str]:
    """Fuzz a target. Return how often it was run, and the file with the input that broke it, or ""."""
    command = [sys.executable, "-m", "tests.fuzz.one", target, str(seconds), str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=seconds + LATE_SECONDS)
    executed, found = EXECUTED.search(done.stderr), FOUND.search(done.stderr)
    if done.returncode and not found:
        sys.exit(done.stderr[-2_000:])
    return int(executed[1]) if executed else 0, found[1] if found else ""


def main(seconds: int, folder: Path) -> None:
    """Fuzz all targets."""
    executed, broken = 0, []
    for target in TARGETS:
        number, found = fuzz(target, seconds, folder)
        print(f"{target}: {number} executions{f', broken by {found}' if found else ''}", flush=True)
        executed += number
        broken += [target] * bool(found)
    print(f"{executed} executions of {len(TARGETS)} targets, {len(broken)} broken")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else ".fuzz"))
