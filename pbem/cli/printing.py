"""The operator's terminal, which nothing in a message can control; and lists, for people and for programs.

Messages may contain escape sequences that move the cursor, hide lines, or put text into the operator's next command:
everything printed here has them escaped, except for what rich adds for colours.
"""

import json
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.table import Table

from pbem.mail.reading.text.normalize import escape_controls


class _Console(Console):
    def print(self, *objects: Any, **how: Any) -> None:
        try:
            super().print(*(escape_controls(each) if isinstance(each, str) else each for each in objects), **how)
        except OSError as error:
            self._buffer.clear()  # or it would be printed with what comes next
            error.filename = "the output can't be written"
            raise

    def on_broken_pipe(self) -> None:
        """Let the error pass, in whose handler this is called; rich would exit with a code of another meaning."""
        raise


def console(*, errors: bool = False) -> Console:
    return _Console(stderr=errors, soft_wrap=True, emoji=False, markup=False, highlight=False)


CellValue = str | int | float | bool | datetime | list[str] | None  # what a place in a list can hold
WIDE = 10_000  # the width of a list that goes into a file or to another program


def show_json(console: Console, value: object) -> None:
    is_unicode = console.encoding.startswith("utf")
    told = json.dumps(value, indent=2, ensure_ascii=not is_unicode, default=datetime.isoformat)
    console.print(told)


class TerminalListing:
    """Rows with named columns: a table in which nothing is cut, or a list of objects for a program (`--json`)."""

    def __init__(self, columns: str = "", **headings: str) -> None:
        """Name the columns: those whose heading is their name, and those with another heading."""
        self._headings = {name: name.replace("_", " ") for name in columns.split()} | headings
        self._rows: list[tuple[CellValue, ...]] = []

    def __bool__(self) -> bool:
        return bool(self._rows)

    def add(self, *values: CellValue) -> None:
        self._rows.append(values)

    def show(
        self, console: Console, nothing: str = "", *, as_json: bool = False, page: int = 1, more: bool = False
    ) -> None:
        """Print it, or the words for an empty list; and that there are more, if it is a page of a longer one."""
        if as_json:
            show_json(console, [dict(zip(self._headings, row, strict=True)) for row in self._rows])
            return
        if nothing and not self._rows:
            console.print(nothing if page == 1 else "the list has no such page")
            return
        table = Table()
        for heading in self._headings.values():
            table.add_column(heading, overflow="fold")
        for row in self._rows:
            table.add_row(*(escape_controls(shown(value)) for value in row))
        usual = console.width
        console.width = usual if console.is_terminal else WIDE
        console.print(table)
        console.width = usual
        if more:
            console.print(f"there are more: --page {page + 1}")


def shown(value: CellValue) -> str:
    """Return the value as a person reads it."""
    match value:
        case None:
            return ""
        case datetime():
            return f"{value:%Y-%m-%d %H:%M:%S}"
        case list():
            return ", ".join(value)
        case _:
            return str(value)
