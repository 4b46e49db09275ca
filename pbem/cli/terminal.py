"""The operator's terminal: what is printed there, and that nothing in a mail can steer it.

Mails hold what their senders like, escape sequences as well: these move the cursor, hide lines, or put words into the
operator's next command. Whatever is printed here has them spelt out, and what rich adds for colours stays.
"""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment

from pbem.reading.text.normalize import escape_controls


def console(*, errors: bool = False) -> Console:
    """A console that prints to standard output, or to standard error."""
    made = Console(stderr=errors, soft_wrap=True)
    made.push_render_hook(_Harmless())
    return made


class _Harmless(RenderHook):
    """Puts everything that is printed through `_Shown`."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """What is printed in place of what was to be."""
        return [_Shown(each) for each in renderables]


class _Shown:
    """Something to be printed, without what steers terminals."""

    def __init__(self, what: ConsoleRenderable) -> None:
        self._what = what

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        pieces: Iterable[Segment] = console.render(self._what, options)
        return (piece if piece.control else Segment(escape_controls(piece.text), piece.style) for piece in pieces)
