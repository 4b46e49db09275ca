"""Pictures of boards, read back pixel by pixel: different content looks different."""

from io import BytesIO

import pytest
from PIL import Image, ImageChops, ImageStat

from engines.diagram import Diagram
from pbem.messages.boards.animation import LARGEST, LAST_FRAME_MS, SCALES, animation
from pbem.messages.boards.board_image import NAME_SIZE, SCALE, Layout, drawn, is_alike, lines, png, redrawn
from pbem.messages.boards.looks import lit_in
from pbem.messages.boards.palette import LIT_EDGE
from tests.diagrams import NAMES, diagrams


def opened(content: bytes) -> Image.Image:
    return Image.open(BytesIO(content))


def picture_of(diagram: Diagram) -> Image.Image:
    """Return the picture of the board in RGBA."""
    return opened(png(diagram)).convert("RGBA")


def cells(diagram: Diagram, picture: Image.Image, mode: str) -> dict[bytes, set[tuple[str, str, int]]]:
    """Return the content of cells by their appearance, with how they are lit and the area they are in."""
    layout = Layout.of(diagram, 0, SCALE)
    kinds = diagram.legend.by_text()
    levels = {name: level for level, area in enumerate(diagram.legend.areas, start=1) for name in area}
    width, height = layout.cell
    whole, hexagon = (0, 0, width, height), (width // 8, height // 4, width - width // 8, height - height // 4)
    above_name = (*hexagon[:3], int(height / 2 - width * NAME_SIZE * 0.6))
    shown = picture.convert(mode)
    alike: dict[bytes, set[tuple[str, str, int]]] = {}
    for row, (_, names) in enumerate(diagram.rows):
        for name, mark in names:
            x, y = layout.place(diagram, name, row)
            inset = whole if diagram.shape == "square" else above_name if kinds[mark].kind == "empty" else hexagon
            crop = shown.crop((x + inset[0], y + inset[1], x + inset[2], y + inset[3]))
            alike.setdefault(crop.tobytes(), set()).add((mark, lit_in(diagram, name), levels.get(name, 0)))
    return alike


@pytest.mark.parametrize("mode", ["RGB", "L"])
@pytest.mark.parametrize("name", NAMES)
def test_cells_look_alike_where_the_same_stands_there_and_else_different_in_grey_too(name: str, mode: str) -> None:
    for diagram in diagrams(name)[::4]:
        alike = cells(diagram, picture_of(diagram), mode)
        told = [what for each in alike.values() for what in each]

        assert len(told) == len(set(told)), "the same looks different"
        # A comma and a period differ only in the area; a stone covers both.
        assert all(len(each) == 1 for each in alike.values()), "what differs looks alike"


@pytest.mark.parametrize("name", ["quadraphages", "hexaphages", "quadrature", "quadrupel", "kvadratik"])
def test_the_sides_differ_clearly_in_lightness(name: str) -> None:
    diagram = diagrams(name)[2]
    picture = picture_of(diagram).convert("L")
    layout = Layout.of(diagram, 0, SCALE)
    kinds = diagram.legend.by_text()
    seen: dict[int, list[int]] = {0: [], 1: []}
    for row, (_, names) in enumerate(diagram.rows):
        for cell, text in names:
            if kinds[text].kind == "piece":
                x, y = layout.place(diagram, cell, row)
                beside = (x + layout.cell[0] // 2, y + layout.cell[1] // 2 - int(layout.cell[0] * 0.3))  # its sign
                seen[kinds[text].side or 0].append(int(picture.getpixel(beside)))  # type: ignore[arg-type]

    assert min(seen[1]) - max(seen[0]) > 100


def test_what_the_last_turn_left_and_where_it_came_to_have_two_tints_of_one_colour() -> None:
    """And both have a frame, of another breadth, so that they can be told apart without colours."""
    for diagram in diagrams("hexaphages")[5:15]:
        layout, picture = Layout.of(diagram, 0, SCALE), picture_of(diagram).convert("RGB")
        frames: dict[str, set[int]] = {"left": set(), "reached": set(), "": set()}
        for row, (_, names) in enumerate(diagram.rows):
            for name, _ in names:
                x, y = layout.place(diagram, name, row)
                line = [picture.getpixel((x + each, y + layout.cell[1] // 2)) for each in range(layout.cell[0] // 4)]
                frames[lit_in(diagram, name)].add(line.count(LIT_EDGE))
        assert frames[""] == {0}
        assert 0 < max(frames["left"]) < min(frames["reached"])


def test_what_the_font_has_not_is_left_out_of_the_caption() -> None:
    (odd,), (plain,) = lines("\N{SNOWMAN}\n1. c1b1\x00", 2), lines("1. c1b1", 2)

    assert odd.tobytes() == plain.tobytes()


def test_an_animation_shows_every_board_and_holds_the_last() -> None:
    boards = diagrams("quadraphages")
    captions = [f"{number}." for number, _ in enumerate(boards)]
    content = animation(boards, captions=captions)
    moving = opened(content)

    assert (moving.format, moving.n_frames, moving.info["loop"]) == ("GIF", len(boards), 0)  # type: ignore[attr-defined]
    layout = Layout.of(boards[0], 1, SCALES[0])
    for number in (0, 1, 17, len(boards) - 1):
        moving.seek(number)
        still = drawn(layout, boards[number], lines(captions[number], SCALES[0])).convert("RGB")
        box = (20, 10, still.width - 20, still.height - 10)
        apart = ImageStat.Stat(ImageChops.difference(still.crop(box), moving.convert("RGB").crop(box)))
        assert max(apart.mean) < 1, number
        assert max(high for _, high in apart.extrema) < 60, number
    assert moving.info["duration"] == LAST_FRAME_MS
    moving.seek(1)
    assert moving.info["duration"] < LAST_FRAME_MS


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_that_is_changed_is_as_one_that_is_drawn_anew(name: str) -> None:
    boards = [board for board in diagrams(name) if board.lit][:12]
    words = [lines(f"{number}. " + "c1b1 g9h9 " * (number % 5 * 3), SCALES[0]) for number, _ in enumerate(boards)]
    layout = Layout.of(boards[0], max(map(len, words)), SCALES[0])
    picture = drawn(layout, boards[0], words[0])
    for before, after, below in zip(boards, boards[1:], words[1:], strict=False):
        assert is_alike(before, after)
        earlier = picture.convert("RGB")
        box = redrawn(picture, layout, before, after, below)
        anew = drawn(layout, after, below).convert("RGB")
        assert ImageChops.difference(picture.convert("RGB"), anew).getbbox() is None
        earlier.paste(anew.crop(box), box)
        assert ImageChops.difference(earlier, anew).getbbox() is None


def test_an_animation_keeps_within_its_size_and_still_ends_with_the_last_board() -> None:
    boards = diagrams("kvadratik")
    captions = [f"{number}." for number, _ in enumerate(boards)]
    whole = animation(boards, captions=captions)
    tiny = animation(boards, captions=captions, largest=40_000)

    assert len(whole) <= LARGEST == 200_000
    assert opened(whole).n_frames == len(boards)  # type: ignore[attr-defined]
    assert len(tiny) <= 40_000
    moving = opened(tiny)
    assert 1 < moving.n_frames < len(boards)  # type: ignore[attr-defined]
    moving.seek(moving.n_frames - 1)  # type: ignore[attr-defined]
    alone = opened(animation(boards[-1:], captions=captions[-1:], largest=1)).convert("RGB")
    assert alone.size[0] == moving.size[0]
    apart = ImageStat.Stat(ImageChops.difference(alone, moving.convert("RGB").crop((0, 0, *alone.size))))
    assert max(apart.mean) < 1
