"""The boards of a match as an animated GIF.

A GIF and not an APNG: Gmail, Apple Mail, Outlook and the viewers of phones all play a GIF, while an APNG stands still
in Outlook and in most viewers of attachments. A board has few colours, so a GIF loses nothing that shows.
"""

from collections.abc import Sequence
from io import BytesIO
from math import ceil

from PIL import Image

from engines.diagram import Diagram
from pbem.messages.boards.board_image import WIDTH, few_colours, painted, wrapped

FRAME_MS, LAST_FRAME_MS = 900, 4000
LARGEST = 43_000
"""In bytes: an animation comes unasked with the last message of a match, which has 80 KB at most."""
MOST_BOARDS = 200
"""Three minutes to watch, and a second to draw."""
COLOURS = 15
"""And one for what stays as it was: with 16 instead of all shades, an animation is half as large."""
BROADEST, TALLEST = 400, 440
"""In dots. Filters take an animation of 180,000 dots and few words for a picture of an advertisement."""
SMALLER = 0.7
"""The share of that which the boards of long matches have."""

Steps = list[tuple[Diagram, str]]
"""Boards with their captions."""


def animation(diagrams: Sequence[Diagram], *, captions: Sequence[str] = (), largest: int = LARGEST) -> bytes:
    """Return the boards of a match as an animated GIF of at most 43 KB; the last one is shown longer.

    Where they take too much room they are drawn smaller, and of long matches every second board or fewer is shown.
    """
    steps = list(zip(diagrams, captions or [""] * len(diagrams), strict=True))
    steps = _thinned(steps, ceil(len(steps) / MOST_BOARDS))
    scale = BROADEST / WIDTH
    lines = max(len(wrapped(caption, scale)) for _, caption in steps)
    scale *= min(1, TALLEST / (painted(steps[0][0], scale, (), lines).height + 4))  # sizes are rounded
    content = _animated(steps, scale)
    if len(content) > largest:
        content = _animated(steps, scale * SMALLER)
    each = ceil(len(content) / largest)
    while len(content) > largest and each <= len(steps):
        content = _animated(_thinned(steps, each), scale * SMALLER)
        each += 1
    return content


def _thinned(steps: Steps, each: int) -> Steps:
    """Return the last step, and every second, third or nth of those before it.

    >>> [caption for _, caption in _thinned([(Diagram("square", (), ()), each) for each in "abcde"], 3)]
    ['b', 'e']
    """
    return steps[::-each][::-1]


def _animated(steps: Steps, scale: float) -> bytes:
    """Return the boards with their captions as an animated GIF."""
    words = [wrapped(caption, scale) for _, caption in steps]
    lines = max(map(len, words))
    samples = [painted(steps[at][0], scale, words[at], lines) for at in (0, len(steps) // 2, -1)]
    beside = Image.new("RGB", (sum(each.width for each in samples), samples[0].height))
    for number, each in enumerate(samples):
        beside.paste(each, (number * each.width, 0))
    palette = few_colours(beside, COLOURS)
    frames = (
        painted(board, scale, below, lines).quantize(palette=palette, dither=Image.Dither.NONE)
        for (board, _), below in zip(steps, words, strict=True)
    )
    content, times = BytesIO(), [FRAME_MS] * (len(steps) - 1) + [LAST_FRAME_MS]
    next(frames).save(content, "GIF", save_all=True, append_images=frames, duration=times, loop=0)
    return content.getvalue()
