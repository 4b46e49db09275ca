"""The boards of a match as an animated GIF.

A GIF and not an APNG: Gmail, Apple Mail, Outlook and the viewers of phones all play a GIF, while an APNG stands still
in Outlook and in most viewers of attachments. A board has few colours, so a GIF loses nothing that shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from math import ceil, dist, inf
from typing import Self

from PIL import Image

from engines.diagram import Diagram
from pbem.messages.boards.board_image import Layout, drawn, is_alike, lines, redrawn
from pbem.messages.boards.gif import Frames
from pbem.messages.boards.tiles import CLEAR

FRAME_MS, LAST_FRAME_MS = 900, 4000
LARGEST = 200_000
"""In bytes: an animation comes unasked with the last message of a match."""
MOST_BOARDS = 200
"""Three minutes to watch, and a second to draw."""
COLOURS = 40
SCALES = (0.9, 0.64)
"""The scales of animations: one for phones, and one for long matches."""

Steps = list[tuple[Diagram, str]]
"""Boards with their captions."""


def animation(diagrams: Sequence[Diagram], *, captions: Sequence[str] = (), largest: int = LARGEST) -> bytes:
    """Return the boards of a match as an animated GIF of at most 200 KB; the last one is shown longer.

    Where they take too much room they are drawn smaller, and of long matches every second board or fewer is shown.
    """
    steps = list(zip(diagrams, captions or [""] * len(diagrams), strict=True))
    steps = _thinned(steps, ceil(len(steps) / MOST_BOARDS))
    whole = _animated(steps, SCALES[0], largest)
    if whole:
        return whole
    while len(content := _animated(steps, SCALES[1])) > largest and len(steps) > 1:
        steps = _thinned(steps, ceil(len(content) / largest))
    return content


@dataclass(frozen=True, slots=True)
class FewerColours:
    """The colours used most: with 40 instead of all shades, an animation is a third smaller."""

    table: tuple[int, ...]
    """The number of the nearest of them for each colour of a picture; 0 stays clear."""
    palette: tuple[int, ...]

    @classmethod
    def of(cls, samples: Sequence[Image.Image]) -> Self:
        """Return the colours that these pictures, which have one palette, use most."""
        palette = samples[0].getpalette() or []
        counts = [sum(each) for each in zip(*(sample.histogram() for sample in samples), strict=True)]
        colours = {number: palette[3 * number : 3 * number + 3] for number in range(CLEAR, len(palette) // 3)}
        most = sorted(colours, key=lambda number: -counts[number])[: COLOURS - 1]
        near = {
            number: min(range(len(most)), key=lambda at: dist(colour, colours[most[at]]))
            for number, colour in colours.items()
        }
        clear = palette[:3]
        return cls(
            tuple(near[number] + 1 if number in near else 0 for number in range(256)),
            (*clear, *chain.from_iterable(colours[number] for number in most)),
        )

    def applied(self, image: Image.Image) -> Image.Image:
        """Return the picture in these colours."""
        image = image.point(self.table)
        image.putpalette(self.palette)
        return image


def _thinned(steps: Steps, each: int) -> Steps:
    """Return the last step, and every second, third or nth of those before it.

    >>> [caption for _, caption in _thinned([(Diagram("square", (), ()), each) for each in "abcde"], 3)]
    ['b', 'e']
    """
    return steps[::-each][::-1]


def _animated(steps: Steps, scale: float, most: float = inf) -> bytes:
    """Return the boards with their captions as an animated GIF; nothing if that has more bytes than it may have."""
    words = [lines(caption, scale) for _, caption in steps]
    layout = Layout.of(steps[0][0], max(map(len, words)), scale)
    picture = drawn(layout, steps[0][0], words[0])
    later = (drawn(layout, steps[number][0], words[number]) for number in {len(steps) // 2, len(steps) - 1} - {0})
    fewer = FewerColours.of([picture, *later])
    times = [FRAME_MS] * (len(steps) - 1) + [LAST_FRAME_MS]
    frames = Frames(fewer.applied(picture), times[0])
    for number, (before, after) in enumerate(pairwise(board for board, _ in steps), start=1):
        if is_alike(before, after):
            box = redrawn(picture, layout, before, after, words[number])
        else:
            picture, box = drawn(layout, after, words[number]), (0, 0, *picture.size)
        frames.add(fewer.applied(picture.crop(box)), box, times[number])
        if frames.size > most:
            break
    return frames.content() if frames.size <= most else b""
