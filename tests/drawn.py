"""Pictures of boards as they are read back, pixel by pixel."""

from io import BytesIO

from PIL import Image, ImageChops, ImageStat

from engines.diagram import Diagram
from pbem.messages.boards.board_image import SCALE, Layout, png
from pbem.messages.boards.svg_board_parts import CELL, NAME_SIZE, boxes, tall
from pbem.messages.palette import lit_in


def image(content: bytes) -> Image.Image:
    """Return an image file as an image."""
    return Image.open(BytesIO(content))


def picture_of(diagram: Diagram) -> Image.Image:
    """Return the picture of the board."""
    return image(png(diagram)).convert("RGB")


def cell_size(diagram: Diagram) -> tuple[int, int]:
    """Return how many dots the box of a cell has."""
    layout = Layout.of(diagram, SCALE)
    return round(CELL * layout.across), round(tall(diagram.shape) * layout.down)


def cells(diagram: Diagram, picture: Image.Image, mode: str) -> dict[bytes, set[tuple[str, str, int]]]:
    """Return the content of cells by their appearance, with how they are lit and the area they are in."""
    layout = Layout.of(diagram, SCALE)
    kinds = diagram.legend.by_text()
    levels = {name: level for level, area in enumerate(diagram.legend.areas, start=1) for name in area}
    width, height = cell_size(diagram)
    whole, hexagon = (2, 2, width - 2, height - 2), (width // 8, height // 4, width - width // 8, height - height // 4)
    above_name = (*hexagon[:3], int(height / 2 - width * NAME_SIZE / CELL * 0.6))
    shown = picture.convert(mode)
    alike: dict[bytes, set[tuple[str, str, int]]] = {}
    places = boxes(diagram)
    for _, names in diagram.rows:
        for name, mark in names:
            x, y = layout.place(places[name])
            inset = whole if diagram.shape == "square" else above_name if kinds[mark].kind == "empty" else hexagon
            crop = shown.crop((x + inset[0], y + inset[1], x + inset[2], y + inset[3]))
            alike.setdefault(crop.tobytes(), set()).add((mark, lit_in(diagram, name), levels.get(name, 0)))
    return alike


def assert_alike_where_the_same_stands(diagram: Diagram, mode: str = "RGB") -> None:
    """Assert that cells look alike where the same stands there, and else different."""
    alike = cells(diagram, picture_of(diagram), mode)
    told = [what for each in alike.values() for what in each]
    assert len(told) == len(set(told)), "the same looks different"
    # A comma and a period differ only in the area; a stone covers both.
    assert all(len(each) == 1 for each in alike.values()), "what differs looks alike"


def distance(one: Image.Image, other: Image.Image) -> float:
    """Return how much the middles of two pictures of a size differ, as the largest mean of a colour."""
    box = (20, 10, one.width - 20, one.height - 10)
    apart = ImageChops.difference(one.convert("RGB").crop(box), other.convert("RGB").crop(box))
    return max(ImageStat.Stat(apart).mean)
