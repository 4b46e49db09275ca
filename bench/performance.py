"""The figures of all benchmarks in one place: docs/performance.csv, from which docs/performance.md is written.

A benchmark replaces its own rows and leaves the others. What counts is a ratio to something measured in the same run;
the figures beside it are those of one machine.
"""

import argparse
import csv
import operator
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROWS = Path(__file__).parent.parent / "docs" / "performance.csv"
REACHED = {"<=": operator.le, ">=": operator.ge}


@dataclass(frozen=True)
class Row:
    """One figure, what it is compared with, their ratio, and what the ratio should be: "<= 7", or empty."""

    bench: str
    what: str
    figure: str
    baseline: str
    ratio: float
    aim: str = ""

    @property
    def is_reached(self) -> bool:
        """Whether the ratio is as it should be."""
        if not self.aim:
            return True
        sign, _, limit = self.aim.partition(" ")
        return bool(REACHED[sign](self.ratio, float(limit)))


def compared(bench: str, what: str, mine: float, base: float, aim: str = "", *, form: str = "{:.1f} ms") -> Row:
    """Return two figures, both written in that form, and their ratio."""
    return Row(bench, what, form.format(mine), form.format(base), round(mine / base, 3), aim)


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add what decides whether `report` stores the rows."""
    parser.add_argument("--publish", action="store_true", help="write the figures to docs/performance.csv")


def report(rows: Sequence[Row], *, published: bool) -> None:
    """Print the rows, and store them if that is wanted."""
    table = Table("", "figure", "compared with", "ratio", "aim", "")
    for row in rows:
        verdict = ("reached" if row.is_reached else "[red]not reached[/]") if row.aim else ""
        table.add_row(row.what, row.figure, row.baseline, f"{row.ratio:.2f}", row.aim, verdict)
    Console(width=110).print(table)
    if published:
        publish(rows)


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
    lines = [
        "| bench | what | figure | compared with | ratio | aim | |",
        "| --- | --- | --- | --- | ---: | --- | --- |",
    ]
    for row in stored():
        verdict = ("reached" if row.is_reached else "**not reached**") if row.aim else ""
        lines.append(
            f"| {row.bench} | {row.what} | {row.figure} | {row.baseline} | {row.ratio:.2f} | {row.aim} | {verdict} |"
        )
    return "\n".join(lines)
