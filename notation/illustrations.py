"""The pictures of a rules page, as data: turns that lead to a position, and what to show there.

A page `quadrupel.md` has its pictures in `quadrupel.toml` beside it. Each is a table `[[picture]]` with these keys:

- `below`: the heading that it belongs to.
- `caption`: what it shows.
- `turns`: the turns that lead there from the start, each a legal one; the last is highlighted.
- `options`: the choices of the match, where they aren't the usual ones.
- `chosen`: the beginning of a turn, up to a stone. The board shows it as a preview does, and the cells that can follow
  are highlighted instead.
- `refused`: turns that the rules forbid there, as the caption says.
- `instead`: whether it takes the place of a board that the page draws with letters.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engines.core import Played, Position
from engines.diagram import Diagram
from notation.description import describe
from notation.games import GamePack
from notation.steps import choices

KEYS = frozenset({"below", "caption", "turns", "options", "chosen", "refused", "instead"})
LAST_TURN, CAN_GO = "last turn", "can go here"


class BadIllustration(Exception):
    """A picture that can't be made as it is written."""


@dataclass(frozen=True, slots=True)
class Illustration:
    """A picture on a rules page: the heading above it, its caption, and the board with what it highlights."""

    below: str
    caption: str
    position: Position[Any]
    diagram: Diagram
    highlight: str
    """What highlighted cells are."""
    refused: tuple[str, ...]
    """Turns that the rules forbid in the position."""
    instead: bool

    @property
    def in_words(self) -> str:
        highlighted = self.highlight == CAN_GO and ", ".join(sorted(self.diagram.lit))
        shown = replace(self.diagram, lit=frozenset()) if highlighted else self.diagram
        said = " ".join(describe(shown).splitlines())
        return f"{self.caption} {said}" + (f" Highlighted: {highlighted}." if highlighted else "")


def of(pack: GamePack) -> tuple[Illustration, ...]:
    """Return the pictures of a game's page, none for a page without; raise as `loads` does."""
    return loads(pack, pack.pictures) if pack.pictures else ()


def loads(pack: GamePack, text: str) -> tuple[Illustration, ...]:
    r"""Return the pictures that the text describes; raise BadIllustration, or what an illegal turn raises.

    >>> from notation.games import GAMES
    >>> shown, = loads(GAMES["quadraphages"], '[[picture]]\nbelow = "Goal"\ncaption = "By 3."\nchosen = "3 a7"')
    >>> shown.highlight, sorted(shown.diagram.lit)
    ('can go here', ['a4', 'd7'])
    """
    return tuple(_illustration(pack, entry) for entry in tomllib.loads(text)["picture"])


def _illustration(pack: GamePack, entry: Mapping[str, Any]) -> Illustration:
    if unknown := set(entry) - KEYS:
        raise BadIllustration(f"unknown: {', '.join(sorted(unknown))}")
    notation, last = pack.notation, None
    position: Position[Any] = pack.game.position(entry.get("options", {}))
    for turn in entry.get("turns", ()):
        move = notation.parse(turn)
        last, position = Played(position, move), position.play(move)
    diagram, highlight = position.diagram(last), LAST_TURN
    if chosen := entry.get("chosen"):
        cells = frozenset(choices(notation, position, chosen).cells)
        if not cells:
            raise BadIllustration(f"no turn begins with {chosen} and a cell")
        diagram, highlight = replace(notation.midway(chosen, position).diagram(), lit=cells), CAN_GO
    refused, instead = tuple(entry.get("refused", ())), bool(entry.get("instead", False))
    return Illustration(entry["below"], entry["caption"], position, diagram, highlight, refused, instead)
