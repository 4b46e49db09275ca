"""docs/reliability.md names a test for each fault, and each of these tests exists."""

import re

from pbem.failpoints import Step
from tests.docs.pages import ROOT, page, section

NAMED = sorted(set(re.findall(r"`(test_\w+)`", page("docs/reliability.md"))))
THERE = {
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^def (test_\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
} | {path.stem for path in (ROOT / "tests").rglob("test_*.py")}


def test_every_test_that_it_names_is_there() -> None:
    assert [name for name in NAMED if name not in THERE] == []


def test_every_row_about_a_fault_names_one() -> None:
    rows = [line for line in page("docs/reliability.md").splitlines() if line.startswith("| ") and line.count("|") > 4]
    rows = [
        line
        for line in rows
        if not line.startswith(("| fault", "| what comes", "| killed", "| what was seen", "| ---", "| `"))
    ]
    assert len(rows) > 25
    assert [line for line in rows if not re.search(r"`test_\w+`.* \|$", line)] == []


def test_every_step_is_told() -> None:
    told = re.findall(r"^\| (`[^|:]*)", section(page("docs/reliability.md"), "When the server dies"), re.MULTILINE)
    assert {name for cell in told for name in re.findall(r"`(\w+)`", cell)} == set(Step)
