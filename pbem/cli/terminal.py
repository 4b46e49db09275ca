"""The operator's terminal, which nothing in a message can control.

Messages contain whatever their senders like, including escape sequences that move the cursor, hide lines, or put text
into the operator's next command. Everything printed here has them escaped, except for what rich adds for colours.
"""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment

from pbem.reading.text.normalize import escape_controls


def console(*, errors: bool = False) -> Console:
    """Return a console that prints to standard output, or to standard error."""
    made = Console(stderr=errors, soft_wrap=True)
    made.push_render_hook(_Harmless())
    return made


class _Harmless(RenderHook):
    """Wrap everything that is printed in `_Shown`."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Return the wrapped renderables."""
        return [_Shown(each) for each in renderables]


class _Shown:
    """A renderable whose control characters are escaped."""

    def __init__(self, what: ConsoleRenderable) -> None:
        self._what = what

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        pieces: Iterable[Segment] = console.render(self._what, options)
        return (piece if piece.control else Segment(escape_controls(piece.text), piece.style) for piece in pieces)
