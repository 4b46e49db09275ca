"""The figures of all benchmarks in one place: docs/performance.csv, from which docs/performance.md is written.

A benchmark is a regression test that takes long: it compares a figure with a floor, which it measures in the same run,
so that their ratio hardly depends on the machine. A ratio may be a third worse than it was when it was first stored,
and the exit code is 1 if one is worse. What a benchmark needs and doesn't find, it says before it begins; then the exit
code is 2. `--publish` replaces the figures of a benchmark and keeps its limits; to change one, change the CSV file.
"""

import argparse
import csv
import importlib.util
import operator
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.postgres import programs
from tests.servers import SBIN

ROWS = Path(__file__).parent.parent / "docs" / "performance.csv"
SLACK = 1.3
"""How many times worse than at first a ratio may be."""
WITHIN = {"<=": operator.le, ">=": operator.ge}
MISSED, NOT_HERE = 1, 2
"""Exit codes."""


@dataclass(frozen=True)
class Row:
    """One figure, its floor, their ratio, and what the ratio may be: "<= 7.1", or ">= 0.9" where more is better."""

    bench: str
    what: str
    figure: str
    floor: str
    ratio: float
    limit: str

    @property
    def is_within(self) -> bool:
        """Whether the ratio is within its limit."""
        sign, _, limit = self.limit.partition(" ")
        return bool(WITHIN[sign](self.ratio, float(limit)))

    @property
    def name(self) -> tuple[str, str]:
        """What tells it from the other rows."""
        return self.bench, self.what


def compared(
    bench: str, what: str, mine: float, floor: float, form: str = "{:.1f} ms", *, more_is_better: bool = False
) -> Row:
    """Return two figures, both written in that form, and their ratio with the limit that it has at first."""
    ratio = mine / floor
    limit = f">= {ratio / SLACK:.3g}" if more_is_better else f"<= {ratio * SLACK:.3g}"
    return Row(bench, what, form.format(mine), form.format(floor), round(ratio, 3), limit)


# What a benchmark needs


def _has_dovecot() -> bool:
    program = shutil.which("dovecot", path=SBIN)
    return program is not None and subprocess.check_output([program, "--version"], text=True).startswith("2.3.")


NEEDS: Mapping[str, tuple[Callable[[], object], str]] = {
    "chess": (
        lambda: importlib.util.find_spec("chess"),
        "python-chess (pip install --require-hashes -r deploy/lock/bench.txt)",
    ),
    "dovecot": (_has_dovecot, "Dovecot 2.3 (Debian: dovecot-imapd dovecot-lmtpd)"),
    "linux": (Path("/proc/self/smaps_rollup").exists, "Linux, whose /proc says what processes use"),
    "openssl": (lambda: shutil.which("openssl"), "openssl (Debian: openssl)"),
    "postgresql": (programs, "PostgreSQL (Debian: postgresql)"),
    "smtp-sink": (lambda: shutil.which("smtp-sink", path=SBIN), "smtp-sink (Debian: postfix)"),
}
"""What there may be on a machine, whether it is here, and its name for people."""


def require(*names: str) -> None:
    """Exit if something isn't here, and say what: before anything is measured."""
    missing = [said for is_here, said in (NEEDS[name] for name in names) if not is_here()]
    if missing:
        print(f"Nothing was measured: this benchmark needs {'; '.join(missing)}.", file=sys.stderr)
        sys.exit(NOT_HERE)


# What it reports


def parsed(parser: argparse.ArgumentParser, *kinds: str) -> argparse.Namespace:
    """Return the options; `is_whole` says whether as much is measured as for the rows that are stored.

    The options called `kinds` say what is measured, all others how much.
    """
    parser.add_argument("--publish", action="store_true", help="write the figures to docs/performance.csv")
    given = parser.parse_args()
    sizes = vars(given).keys() - {"publish", *kinds}
    given.is_whole = all(getattr(given, name) == parser.get_default(name) for name in sizes)
    if given.publish and not given.is_whole:
        parser.error("figures of a smaller or larger run can't be published")
    return given


def report(rows: Iterable[Row], given: argparse.Namespace) -> None:
    """Measure the rows and print them, also those until a failure. Store them if wanted, and exit if one got worse.

    A smaller or larger run than the stored one is printed only.
    """
    limits = {row.name: row.limit for row in stored()}
    measured: list[Row] = []
    try:
        for row in rows:
            measured.append(replace(row, limit=limits.get(row.name, row.limit)))  # noqa: PERF401 - those before a failure stay
    finally:
        _print(measured, is_judged=given.is_whole)
    if given.publish:
        publish(measured)
    if given.is_whole and not all(row.is_within for row in measured):
        sys.exit(MISSED)


def _print(rows: Sequence[Row], *, is_judged: bool) -> None:
    table = Table("", "figure", "floor", "ratio", "limit", "")
    for row in rows:
        verdict = ("within" if row.is_within else "[red]worse[/]") if is_judged else ""
        table.add_row(row.what, row.figure, row.floor, f"{row.ratio:.2f}", row.limit if is_judged else "", verdict)
    Console(width=110).print(table)


def publish(rows: Sequence[Row]) -> None:
    """Store the rows in place of the earlier ones of the same benchmarks."""
    benches = {row.bench for row in rows}
    kept = [row for row in stored() if row.bench not in benches]
    with ROWS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Row)])
        writer.writerows(astuple(row) for row in sorted([*kept, *rows], key=lambda row: row.bench))


def stored() -> list[Row]:
    """Return what was measured last, in the order of the benchmarks."""
    if not ROWS.exists():
        return []
    with ROWS.open(encoding="utf-8", newline="") as file:
        return [Row(**{**row, "ratio": float(row["ratio"])}) for row in csv.DictReader(file)]


def table() -> str:
    """Return all rows as a table in Markdown."""
    lines = ["| bench | what | figure | floor | ratio | limit |", "| --- | --- | --- | --- | ---: | --- |"]
    lines += (
        f"| {row.bench} | {row.what} | {row.figure} | {row.floor} | {row.ratio:.2f} | {row.limit} |" for row in stored()
    )
    return "\n".join(lines)
