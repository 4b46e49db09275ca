"""Pictures of boards, read back pixel by pixel: different content looks different."""

from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageStat

from engines.diagram import Diagram
from notation.games import GAMES
from pbem.messages.boards.animation import LARGEST, LAST_FRAME_MS, MOST_BOARDS, SCALES, animation
from pbem.messages.boards.board_image import NAME_SIZE, SCALE, Layout, drawn, is_alike, lines, png, redrawn
from pbem.messages.boards.looks import lit_in
from pbem.messages.boards.palette import FIELDS, LEFT, LIT, LIT_EDGE
from tests.diagrams import NAMES, diagrams

SMALL = 28_000


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


@pytest.mark.sampled(1)
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


@pytest.mark.sampled(11)
@pytest.mark.parametrize("name", NAMES)
def test_what_a_thing_shows_is_easily_seen_on_it(name: str) -> None:
    diagram = diagrams(name)[-1]
    picture = picture_of(diagram).convert("L")
    layout = Layout.of(diagram, 0, SCALE)
    marks = diagram.legend.by_text()
    for row, (_, names) in enumerate(diagram.rows):
        for cell, text in names:
            if marks[text].shown:
                (x, y), (width, height) = layout.place(diagram, cell, row), layout.cell
                middle = (x + width * 3 // 8, y + height * 3 // 8, x + width * 5 // 8, y + height * 5 // 8)
                darkest, lightest = picture.crop(middle).getextrema()
                assert int(lightest) - int(darkest) > 100  # type: ignore[arg-type]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_for_a_phone_and_small(name: str) -> None:
    for diagram in (diagrams(name)[0], diagrams(name)[-1]):
        content = png(diagram)
        picture = opened(content)

        assert picture.format == "PNG"
        assert picture.width == 675
        assert opened(png(diagram, scale=1)).width == 500
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


def test_a_free_hexagon_has_its_name_in_its_middle_and_no_stone_has() -> None:
    diagram = GAMES["hexaphages"].game.position({}).diagram()
    picture, layout = picture_of(diagram).convert("L"), Layout.of(diagram, 0, SCALE)
    (width, height), names, stones = layout.cell, {}, {}
    for row, (_, row_cells) in enumerate(diagram.rows):
        for name, mark in row_cells:
            x, y = layout.place(diagram, name, row)
            line, half = y + height // 2, int(width * NAME_SIZE / 2)
            crop = picture.crop((x + width // 4, line - half, x + width - width // 4, line + half))
            (names if mark == "." else stones)[name] = crop.tobytes()
            darkest, lightest = crop.getextrema()
            assert int(lightest) - int(darkest) > 100, name  # type: ignore[arg-type]

    assert len(set(names.values())) == len(names)
    assert len(set(stones.values())) == 2, "stones have no names"


def test_the_key_explains_areas_and_the_last_turn_only_where_there_are_any() -> None:
    zones = GAMES["quadrupel"].game.position({"variant": "position"}).diagram()
    plain, lit = (
        GAMES["quadrupel"].game.position({}).diagram(),
        replace(GAMES["quadrupel"].game.position({}).diagram(), lit=frozenset({"c2", "c3"}), left=frozenset({"c2"})),
    )

    def colours(diagram: Diagram) -> set[Any]:
        """Return the colours below the board."""
        layout = Layout.of(diagram, 0, SCALE)
        below = picture_of(diagram).convert("RGB").crop((30, layout.key, layout.width - 30, layout.height - 10))
        return {colour for _, colour in below.getcolors(10_000) or []}

    assert FIELDS[1] in colours(zones) - colours(plain)
    assert {LIT[0], LEFT[0]} <= colours(lit) - colours(plain)


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


def test_a_caption_takes_as_many_lines_as_it_needs() -> None:
    assert len(lines("", 2)) == 0
    assert len(lines("1. 1 c1b1 g9h9", 2)) == 1
    assert len(lines(" ".join(["c1b1"] * 40), 2)) > 2


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


@pytest.mark.sampled(7)
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


@pytest.mark.slow
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


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["hexaphages", "quadrature", "quadrupel-variant-position"])
def test_an_animation_of_every_game_keeps_within_its_size(name: str) -> None:
    boards = diagrams(name)

    assert len(animation(boards, captions=[f"{number}." for number, _ in enumerate(boards)])) <= LARGEST


@pytest.mark.slow
def test_a_very_long_match_is_thinned_out() -> None:
    boards = diagrams("quadrupel")
    long = [boards[number % 2] for number in range(2 * MOST_BOARDS + 1)]

    moving = opened(animation(long, captions=[str(number) for number in range(len(long))]))

    assert moving.n_frames <= MOST_BOARDS  # type: ignore[attr-defined]
