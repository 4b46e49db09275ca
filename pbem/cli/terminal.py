"""The operator's terminal, which nothing in a message can control; and lists, for people and for programs.

Messages contain whatever their senders like, including escape sequences that move the cursor, hide lines, or put text
into the operator's next command. Everything printed here has them escaped, except for what rich adds for colours; and
rich's own markup is printed as it is.
"""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment
from rich.table import Table

from pbem.cli import UNWRITABLE
from pbem.mail.reading.text.normalize import escape_controls


def console(*, errors: bool = False) -> Console:
    made = _Console(stderr=errors, soft_wrap=True, emoji=False, markup=False, highlight=False)
    made.push_render_hook(_Harmless())
    return made


class Unwritable(Exception):
    """What we print can't be written, for the reason in `why`."""

    def __init__(self, why: OSError) -> None:
        super().__init__(f"{UNWRITABLE}: {why.strerror}")
        self.why = why


class _Console(Console):
    def print(self, *objects: Any, **how: Any) -> None:
        try:
            super().print(*objects, **how)
        except OSError as error:
            self._buffer.clear()  # or it would be printed with what comes next
            raise Unwritable(error) from error

    def on_broken_pipe(self) -> None:
        """Let the error pass, in whose handler this is called; rich would exit with a code of another meaning."""
        raise


CellValue = str | int | float | bool | datetime | Iterable[str] | None
"""What a place in a list can hold."""
WIDE = 10_000
"""The width of a list that goes into a file or to another program."""


def show_json(console: Console, value: object) -> None:
    is_unicode = console.encoding.startswith("utf")
    told = json.dumps(value, indent=2, ensure_ascii=not is_unicode, default=datetime.isoformat)
    console.print(told)


class TerminalListing:
    """Rows with named columns: a table for a person, and a list of objects for a program (`--json`).

    Nothing in it is ever cut: what is too wide for a terminal is continued below, and elsewhere there is room enough.
    """

    def __init__(self, columns: str = "", **headings: str) -> None:
        """Name the columns: those whose heading is their name, and those with another heading."""
        self._headings = {name: name.replace("_", " ") for name in columns.split()} | headings
        self._rows: list[tuple[CellValue, ...]] = []

    def __bool__(self) -> bool:
        return bool(self._rows)

    def add(self, *values: CellValue) -> None:
        self._rows.append(tuple(map(_kept, values)))

    def objects(self) -> list[dict[str, CellValue]]:
        return [dict(zip(self._headings, row, strict=True)) for row in self._rows]

    def show(
        self, console: Console, nothing: str = "", *, as_json: bool = False, page: int = 1, more: bool = False
    ) -> None:
        """Print it, or the words for an empty list; and that there are more, if it is a page of a longer one."""
        if as_json:
            show_json(console, self.objects())
            return
        if nothing and not self._rows:
            console.print(nothing if page == 1 else "the list has no such page")
            return
        table = Table()
        for heading in self._headings.values():
            table.add_column(heading, overflow="fold")
        for row in self._rows:
            table.add_row(*map(shown, row))
        usual = console.width
        console.width = usual if console.is_terminal else WIDE
        console.print(table)
        console.width = usual
        if more:
            console.print(f"there are more: --page {page + 1}")


def _kept(value: CellValue) -> CellValue:
    return value if value is None or isinstance(value, str | int | float | datetime) else list(value)


def shown(value: CellValue) -> str:
    """Return the value as a person reads it.

    >>> [shown(value) for value in (None, 3, ["a", "b"], datetime(2026, 11, 23, 4, 5, 6))]
    ['', '3', 'a, b', '2026-11-23 04:05:06']
    """
    match value:
        case None:
            return ""
        case datetime():
            return f"{value:%Y-%m-%d %H:%M:%S}"
        case list():
            return ", ".join(value)
        case _:
            return str(value)


class _Harmless(RenderHook):
    """Wrap everything that is printed in `_Shown`."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Shown(each) for each in renderables]


class _Shown:
    """A renderable whose control characters are escaped."""

    def __init__(self, what: ConsoleRenderable) -> None:
        self._what = what

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        pieces: Iterable[Segment] = console.render(self._what, options)
        return (piece if piece.control else Segment(escape_controls(piece.text), piece.style) for piece in pieces)
