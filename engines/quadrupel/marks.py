"""What the marks of Quadrupel mean: stones with their dots, and empty squares by zone where a variant counts zones."""

from collections.abc import Iterator, Mapping

from engines.diagram import Legend, Mark
from engines.quadrupel.board import NAMES, SIDES, ZONES

MARKS = "xo"
MOST_DOTS = 4

Empty = tuple[str, str, str]
"""The marks of empty squares of zone 1, 2 and 3."""

ALIKE: Empty = (".", ".", ".")
ZONED: Empty = (".", ",", ":")
SECOND_APART: Empty = (".", ",", ".")

NOTES: Mapping[Empty, tuple[str, ...]] = {
    ALIKE: (),
    ZONED: ("empty squares: . zone 1  , zone 2  : zone 3",),
    SECOND_APART: ("empty squares: , zone 2  . others",),
}
"""What the notes beside the board say about empty squares."""
SAID: Mapping[Empty, str] = {
    ZONED: "Stones in zones 2 and 3 are said to be there; all others are in zone 1.",
    SECOND_APART: "Stones in zone 2 are said to be there.",
}


def _stones() -> Iterator[Mark]:
    for seat in (0, 1):
        yield Mark(MARKS[seat], "piece", seat, ("stone", "stones"))
        for dots in range(1, MOST_DOTS + 1):
            with_dots = f"with {dots} dot{'s' if dots > 1 else ''}"
            words = (f"stone {with_dots}", f"stones {with_dots}")
            yield Mark(f"{MARKS[seat]}{dots}", "piece", seat, words, str(dots))


def _legend(empty: Empty) -> Legend:
    """Return the legend for these marks of empty squares: zones are named and tinted if their marks differ."""
    second = Mark(",", "empty", None, ("empty square in zone 2", "empty squares in zone 2"))
    third = Mark(":", "empty", None, ("empty square in zone 3", "empty squares in zone 3"))
    zones = [mark for mark in (second, third) if mark.text in empty]
    areas = tuple(zone for zone in (2, 3) if empty[zone - 1] != ".")
    return Legend(
        SIDES,
        (Mark(".", "empty", None, ("empty", "empty")), *zones, *_stones()),
        areas=tuple(frozenset(n for n, z in zip(NAMES, ZONES, strict=True) if z == zone) for zone in areas),
        area_names=tuple(f"zone {zone}" for zone in areas),
        said=(SAID[empty],) if areas else (),
        names_areas=bool(areas),
    )


LEGENDS: Mapping[Empty, Legend] = {empty: _legend(empty) for empty in NOTES}
