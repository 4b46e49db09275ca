"""The outer sides of a board that belong to a side, for all pictures."""

from collections.abc import Mapping

from engines.board import WAYS, Place
from engines.diagram import Diagram, Shape, Tone, Towards

FACING: Mapping[Shape, Mapping[Towards, tuple[int, ...]]] = {
    "square": {"top": (0,), "right": (1,), "bottom": (2,), "left": (3,)},
    "hex": {"top": (0, 5), "right": (0, 1, 2), "bottom": (2, 3), "left": (3, 4, 5)},
}
"""The numbers of the sides of a cell that face a way: clockwise from the top, or of a hexagon from the top right."""
_STEPS: Mapping[Shape, tuple[Place, ...]] = {
    "square": WAYS["square"],
    "hex": (*WAYS["hex"][1:], WAYS["hex"][0]),
}
"""The steps over these sides."""

Sides = tuple[tuple[int, Tone], ...]
"""Sides of a cell, by their numbers, with the tones of their owners."""


def outer_sides(diagram: Diagram) -> dict[str, Sides]:
    """Return the outer sides of cells that are part of an edge. A side that two edges claim belongs to the first."""
    if not diagram.legend.edges:
        return {}
    places = {name: (diagram.place(name), row) for row, (_, cells) in enumerate(diagram.rows) for name, _ in cells}
    taken, steps = frozenset(places.values()), _STEPS[diagram.shape]
    found: dict[str, dict[int, Tone]] = {}
    for edge in diagram.legend.edges:
        for name in sorted(edge.cells & places.keys()):
            place, row = places[name]
            for side in FACING[diagram.shape][edge.towards]:
                right, down = steps[side]
                if (place + right, row + down) not in taken:
                    found.setdefault(name, {}).setdefault(side, diagram.legend.tones[edge.side])
    return {name: tuple(sorted(sides.items())) for name, sides in found.items()}
