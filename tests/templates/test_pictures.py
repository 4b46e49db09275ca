"""Pictures of boards, read back pixel by pixel: different content looks different."""

import pytest

from pbem.messages.boards.board_image import BROADEST, HIGHEST, LARGEST, LAST_FRAME_MS, WIDTH, animation, painted
from tests.cases import quick_where
from tests.diagrams import NAMES, diagrams
from tests.drawn import assert_alike_where_the_same_stands, distance, image

QUICK = ("quadraphages", "hexaphages", "quadrature", "quadrupel", "kvadratik")


@pytest.mark.parametrize("name", quick_where(QUICK.__contains__, NAMES))
def test_cells_look_alike_where_the_same_stands_there_and_else_different_in_grey_too(name: str) -> None:
    for diagram in diagrams(name)[::8]:
        assert_alike_where_the_same_stands(diagram)
        assert_alike_where_the_same_stands(diagram, "L")


def test_an_animation_shows_every_board_and_holds_the_last() -> None:
    boards = diagrams("quadraphages")
    captions = [f"{number}." for number, _ in enumerate(boards)]
    moving = image(animation(boards, captions=captions, largest=10 * LARGEST))

    assert (moving.format, moving.n_frames, moving.info["loop"]) == ("GIF", len(boards), 0)  # type: ignore[attr-defined]
    for number in (0, 17, len(boards) - 1):
        moving.seek(number)
        assert distance(painted(boards[number], moving.width / WIDTH, [captions[number]], 1), moving) < 2, number
    assert moving.info["duration"] == LAST_FRAME_MS
    moving.seek(1)
    assert moving.info["duration"] < LAST_FRAME_MS


@pytest.mark.parametrize("name", quick_where(QUICK[:1].__contains__, NAMES))
def test_an_animation_is_small_enough_for_filters_and_phones(name: str) -> None:
    boards = diagrams(name)
    content = animation(boards, captions=["A caption that is much too long for a single line below it"] * len(boards))

    assert len(content) <= LARGEST
    assert image(content).width <= BROADEST
    assert image(content).height <= HIGHEST
