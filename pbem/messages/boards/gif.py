"""An animated GIF, written frame by frame: each has only what differs from the one before.

Pillow writes animations too, but it has to compare whole pictures for that; whoever draws them knows where they differ.
"""

from collections.abc import Sequence

from PIL import GifImagePlugin, Image, ImageChops

Box = tuple[int, int, int, int]
FOR_EVER = 0
STAYS = 1
"""What a frame leaves to the next one: itself."""

SAME = [255, *[0] * 255]
"""What is of the same colour as before, from how far colours are apart."""


class Frames:
    """Adds frames, one after another. The pictures have the colours of one palette, of which the first is clear."""

    def __init__(self, first: Image.Image, duration: int) -> None:
        header, _ = GifImagePlugin.getheader(first.copy(), info={"loop": FOR_EVER, "transparency": 0})
        self._parts = header
        self._shown = first
        self.size = sum(map(len, header))
        """How many bytes there are by now."""
        self._put(first, (0, 0), duration)

    def add(self, changed: Image.Image, box: Box, duration: int) -> None:
        """Add a frame that is like the last one, but for this picture in a box of that place."""
        same = ImageChops.difference(_plain(changed), _plain(self._shown.crop(box))).point(SAME)
        frame = changed.copy()
        frame.paste(0, mask=same)
        self._shown.paste(changed, box)
        self._put(frame, box[:2], duration)

    def content(self) -> bytes:
        """Return the file."""
        return b"".join((*self._parts, b";"))

    def _put(self, frame: Image.Image, place: tuple[int, int], duration: int) -> None:
        parts: Sequence[bytes] = GifImagePlugin.getdata(frame, place, transparency=0, duration=duration, disposal=STAYS)
        self._parts += parts
        self.size += sum(map(len, parts))


def _plain(image: Image.Image) -> Image.Image:
    """Return the numbers of the colours as shades of grey, which can be compared."""
    return Image.frombytes("L", image.size, image.tobytes())
