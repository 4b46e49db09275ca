"""Pictures of boards, read back pixel by pixel: different content looks different."""

from io import BytesIO

import pytest
from PIL import Image

from engines import GAMES
from engines.diagram import Diagram
from pbem.rendering.board_image import LARGEST_ANIMATION, LAST_FRAME_MS, MOST_BOARDS, Layout, animation, png
from tests.diagrams import NAMES, diagrams

SMALL = 30_000


def opened(content: bytes) -> Image.Image:
    return Image.open(BytesIO(content))


def drawn(diagram: Diagram) -> Image.Image:
    """Return the picture of the board in RGBA."""
    return opened(png(diagram)).convert("RGBA")


def cells(diagram: Diagram, picture: Image.Image, mode: str) -> dict[bytes, set[tuple[str, bool, int]]]:
    """Return the content of cells by their appearance, with whether they are lit and the area they are in."""
    layout = Layout.of(diagram, len(diagram.remarks), 2)
    levels = {name: level for level, area in enumerate(diagram.legend.areas, start=1) for name in area}
    width, height = layout.cell
    if diagram.shape == "hex":  # the part of its box that no neighbour overlaps
        inset = (width // 8, height // 4, width - width // 8, height - height // 4)
    else:
        inset = (0, 0, width, height)
    shown = picture.convert(mode)
    alike: dict[bytes, set[tuple[str, bool, int]]] = {}
    for row, (_, names) in enumerate(diagram.rows):
        for name, mark in names:
            x, y = layout.place(diagram, name, row)
            crop = shown.crop((x + inset[0], y + inset[1], x + inset[2], y + inset[3]))
            alike.setdefault(crop.tobytes(), set()).add((mark, name in diagram.lit, levels.get(name, 0)))
    return alike


@pytest.mark.sampled(6)
@pytest.mark.parametrize("mode", ["RGB", "L"])
@pytest.mark.parametrize("name", NAMES)
def test_cells_look_alike_where_the_same_stands_there_and_else_different_in_grey_too(name: str, mode: str) -> None:
    for diagram in diagrams(name)[::4]:
        alike = cells(diagram, drawn(diagram), mode)
        told = [what for each in alike.values() for what in each]

        assert len(told) == len(set(told)), "the same looks different"
        # A comma and a period differ only in the area; a stone covers both.
        assert all(len(each) == 1 for each in alike.values()), "what differs looks alike"


@pytest.mark.parametrize("name", ["quadraphages", "hexaphages", "quadrature", "quadrupel", "kvadratik"])
def test_the_sides_differ_clearly_in_lightness(name: str) -> None:
    diagram = diagrams(name)[2]
    picture = drawn(diagram).convert("L")
    layout = Layout.of(diagram, len(diagram.remarks), 2)
    kinds = diagram.legend.by_text()
    seen: dict[int, list[int]] = {0: [], 1: []}
    for row, (_, names) in enumerate(diagram.rows):
        for cell, text in names:
            if kinds[text].kind == "piece":
                x, y = layout.place(diagram, cell, row)
                beside = (x + layout.cell[0] // 2, y + layout.cell[1] // 2 - int(layout.cell[0] * 0.3))  # its sign
                seen[kinds[text].side or 0].append(int(picture.getpixel(beside)))  # type: ignore[arg-type]

    assert min(seen[1]) - max(seen[0]) > 100


@pytest.mark.parametrize("name", NAMES)
def test_what_a_thing_shows_is_easily_seen_on_it(name: str) -> None:
    diagram = diagrams(name)[-1]
    picture = drawn(diagram).convert("L")
    layout = Layout.of(diagram, len(diagram.remarks), 2)
    marks = diagram.legend.by_text()
    for row, (_, names) in enumerate(diagram.rows):
        for cell, text in names:
            if marks[text].shown:
                (x, y), (width, height) = layout.place(diagram, cell, row), layout.cell
                middle = (x + width * 3 // 8, y + height * 3 // 8, x + width * 5 // 8, y + height * 5 // 8)
                darkest, lightest = picture.crop(middle).getextrema()
                assert int(lightest) - int(darkest) > 100  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_for_a_phone_and_small(name: str) -> None:
    for diagram in (diagrams(name)[0], diagrams(name)[-1]):
        content = png(diagram)
        picture = opened(content)

        assert picture.format == "PNG"
        assert picture.width == 720
        assert opened(png(diagram, scale=1)).width == 360
        assert len(content) < SMALL
        assert content == png(diagram), "the same diagram makes the same picture"


def test_the_picture_brings_its_own_ground_and_is_clear_only_outside_its_corners() -> None:
    picture = opened(png(diagrams("quadrature")[0])).convert("RGBA")
    right, bottom = picture.width - 1, picture.height - 1
    alphas = picture.getchannel("A")

    for corner in ((0, 0), (right, 0), (0, bottom), (right, bottom)):
        assert alphas.getpixel(corner) == 0
    assert alphas.crop((24, 0, right - 24, bottom + 1)).getextrema() == (255, 255)
    assert alphas.crop((0, 24, right + 1, bottom - 24)).getextrema() == (255, 255)
    assert {alphas.getpixel((x, y)) for x in range(24) for y in range(24)} == {0, 64, 128, 192, 255}


def test_remarks_and_caption_take_lines_below_the_board() -> None:
    diagram = GAMES["quadraphages"].position({}).diagram()
    plain = opened(png(diagram)).height

    assert opened(png(diagram, caption="1. 1 c1b1 g9h9")).height > plain
    assert opened(png(diagram, caption=" ".join(["c1b1"] * 40))).height > opened(png(diagram, caption="c1b1")).height


def test_what_the_font_has_not_is_left_out_of_the_caption() -> None:
    diagram = GAMES["quadraphages"].position({}).diagram()

    assert png(diagram, caption="\N{SNOWMAN}\n1. c1b1\x00") == png(diagram, caption="1. c1b1")


def test_an_animation_shows_every_board_and_holds_the_last() -> None:
    boards = diagrams("quadraphages")
    captions = [f"{number}." for number, _ in enumerate(boards)]
    content = animation(boards, captions=captions)
    moving = opened(content)

    assert (moving.format, moving.n_frames, moving.info["loop"]) == ("GIF", len(boards), 0)  # type: ignore[attr-defined]
    for number in (0, 1, 17, len(boards) - 1):
        moving.seek(number)
        still = opened(png(boards[number], caption=captions[number], scale=1.5)).convert("RGBA")
        top = Image.new("RGB", still.size)
        bottom = Image.new("RGB", still.size)
        top.paste(still, mask=still.getchannel("A").point(lambda value: 255 * (value == 255)))
        shown = moving.convert("RGBA").crop((0, 0, *still.size))
        bottom.paste(shown, mask=still.getchannel("A").point(lambda value: 255 * (value == 255)))
        box = (40, 0, still.width - 40, still.height - 40)
        assert top.crop(box).tobytes() == bottom.crop(box).tobytes(), number
    assert moving.info["duration"] == LAST_FRAME_MS
    moving.seek(1)
    assert moving.info["duration"] < LAST_FRAME_MS


@pytest.mark.slow
def test_an_animation_keeps_within_its_size_and_still_ends_with_the_last_board() -> None:
    boards = diagrams("kvadratik")
    captions = [f"{number}." for number, _ in enumerate(boards)]
    whole = animation(boards, captions=captions)
    small = animation(boards, captions=captions, largest=len(whole) // 2)
    tiny = animation(boards, captions=captions, largest=60_000)

    assert len(whole) <= LARGEST_ANIMATION
    assert len(small) <= len(whole) // 2
    assert opened(small).n_frames == len(boards)  # type: ignore[attr-defined]
    assert len(tiny) <= 60_000
    moving = opened(tiny)
    assert 1 < moving.n_frames < len(boards)  # type: ignore[attr-defined]
    moving.seek(moving.n_frames - 1)  # type: ignore[attr-defined]
    alone = opened(animation(boards[-1:], captions=captions[-1:], largest=1)).convert("RGB")
    assert alone.size[0] == moving.size[0]
    board = (40, 20, 230, 200)
    assert moving.convert("RGB").crop(board).tobytes() == alone.crop(board).tobytes()


def test_a_very_long_match_is_thinned_out() -> None:
    boards = diagrams("quadrupel")
    long = [boards[number % 2] for number in range(2 * MOST_BOARDS + 1)]

    moving = opened(animation(long, captions=[str(number) for number in range(len(long))]))

    assert moving.n_frames <= MOST_BOARDS  # type: ignore[attr-defined]
