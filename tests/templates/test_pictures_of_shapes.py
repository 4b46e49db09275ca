"""Pictures of boards of every shape, in every form: PNG, GIF, SVG and HTML."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from engines.diagram import Tone
from pbem.messages import palette
from pbem.messages.boards.board_image import SCALE, WIDTH, Layout
from pbem.messages.boards.svg_board import BoardSheet
from pbem.messages.boards.svg_board_parts import BAND, boxes
from pbem.messages.palette import FIELDS, FILLS, FRAME, RIMS, SIGNS, TRACES, Colour, css
from tests.drawn import assert_alike_where_the_same_stands, cell_size, picture_of
from tests.shapes import SHAPES, TONES


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast of two colours as WCAG 2 defines it."""

    def luminance(colour: Colour) -> float:
        parts = [part / 255 for part in colour]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def is_like(seen: object, colour: Colour) -> bool:
    """Return whether a colour of a picture, which has few, stands for that one."""
    assert isinstance(seen, tuple)
    return max(abs(one - other) for one, other in zip(seen, colour, strict=True)) <= 12


@pytest.mark.parametrize("tone", TONES)
def test_every_tone_is_seen_on_a_board_and_what_is_written_on_it_can_be_read(tone: Tone) -> None:
    assert contrast(SIGNS[tone], FILLS[tone]) >= 4.5
    assert contrast(RIMS[tone], TRACES[tone]) >= 3
    assert contrast(RIMS[tone], FIELDS[0]) >= 3
    assert all(tone in each for each in (palette.LEFT_TRACES, palette.CSS["PIECES"], palette.CSS["TRACES"]))  # type: ignore[operator] # CSS has texts there


@pytest.mark.parametrize("name", SHAPES)
def test_what_differs_looks_different_in_a_picture(name: str) -> None:
    assert_alike_where_the_same_stands(SHAPES[name])


@pytest.mark.parametrize("name", SHAPES)
def test_everything_is_inside_the_picture_and_no_cell_covers_another(name: str) -> None:
    diagram = SHAPES[name]
    layout, (width, height) = Layout.of(diagram, SCALE), cell_size(diagram)
    places = [layout.place(box) for box in boxes(diagram).values()]

    assert len(set(places)) == len(places)
    assert min(x for x, _ in places) > 0
    assert max(x for x, _ in places) + width < WIDTH * SCALE
    assert max(y for _, y in places) + height <= layout.below
    for x, y in places:
        assert not any(y == other and 0 < abs(x - beside) < width for beside, other in places)


def test_an_edge_is_a_band_in_its_owner_s_colour_outside_the_cells() -> None:
    diagram = SHAPES["square with edges"]
    picture, layout, box = picture_of(diagram), Layout.of(diagram, SCALE), boxes(diagram)
    (x, y), (size, _) = layout.place(box["c1"]), cell_size(diagram)
    (left, beside), (right, below) = layout.place(box["a3"]), layout.place(box["f6"])
    plain = picture_of(replace(diagram, legend=replace(diagram.legend, edges=())))

    for place, tone in (
        ((x + size // 2, y - 3), "red"),
        ((x + size // 2, below + size + 2), "red"),
        ((left - 3, beside + size // 2), "purple"),
        ((right + size + 2, beside + size // 2), "purple"),
    ):
        assert is_like(picture.getpixel(place), FILLS[tone])
        assert is_like(plain.getpixel(place), FRAME)


@pytest.mark.parametrize("name", SHAPES)
def test_an_svg_shows_each_cell_label_and_edge(name: str) -> None:
    diagram = SHAPES[name]
    root = ET.fromstring(BoardSheet().file(diagram, "a board"))
    used = [each.get("href") for each in root.iter("{http://www.w3.org/2000/svg}use")]
    texts = {each.text for each in root.iter("{http://www.w3.org/2000/svg}text")}
    text = ET.tostring(root, encoding="unicode")
    occupied = [mark for _, row in diagram.rows for _, mark in row if mark != "."]
    count = sum(len(row) for _, row in diagram.rows)

    assert len(used) >= 1 + count + len(occupied)
    assert {label for label, _ in diagram.rows} | {*diagram.columns} <= texts
    marks = diagram.legend.by_text()
    assert {marks[mark].shown for mark in occupied if len(marks[mark].shown) > 1} <= texts
    assert all(
        css(FILLS[diagram.legend.tone_of(marks[mark])]) in text for mark in occupied if marks[mark].kind == "piece"
    )
    assert (f'stroke-width="{2 * BAND:.0f}"' in text) == bool(diagram.legend.edges)
