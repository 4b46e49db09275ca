"""Games for tests of what many games, long turns and odd titles do: toys whose rules nobody would play for fun."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest

from engines import core
from engines.core import Game, IllegalMove, Outcome, Played, PlayedWhole, Position, Seat
from engines.diagram import Diagram, Legend, Mark
from engines.seats import other
from notation.core import BadNotation, Notation
from notation.games import GAMES, GamePack
from notation.hints import Hint, Passage

SIDES = ("X", "O")
LEGEND = Legend(SIDES, (Mark(".", "empty", None, ("empty", "empty")), Mark("o", "piece", 0, ("heap", "heaps"))))
RULES = "{title}\n{line}\n\nWho takes the last stone wins.\n"


class Reason(core.Reason):
    """Why a turn is refused."""

    TOO_MANY = "there are {left} stones, and a turn takes 1 to {most} of them"


@dataclass(frozen=True, slots=True)
class Heap(PlayedWhole):
    """A heap of stones, of which each turn takes up to `most`; who takes the last one wins."""

    left: int
    most: int
    turn: Seat | None = 0
    outcome: Outcome | None = None

    def moves(self) -> Iterator[int]:
        """Yield every number of stones that can be taken."""
        return iter(range(1, min(self.left, self.most) + 1)) if self.turn is not None else iter(())

    def play(self, move: int) -> Self:
        """Return the heap after the turn; raise IllegalMove."""
        if self.turn is None or not 1 <= move <= min(self.left, self.most):
            raise IllegalMove(Reason.TOO_MANY, token=str(move), left=self.left, most=self.most)
        left, seat = self.left - move, self.turn
        outcome = None if left else Outcome(seat, f"{SIDES[seat]} took the last stone")
        return type(self)(left, self.most, other(seat) if left else None, outcome)

    def diagram(self, last: Played[Self, int] | None = None) -> Diagram:
        """Return one square, in which the heap stands."""
        return Diagram("square", ("a",), (("1", (("a1", "o" if self.left else "."),)),), legend=LEGEND)


@dataclass(frozen=True)
class HeapNotation(Notation[int]):
    """A turn is a word and a number: take2."""

    word: str = "take"

    @property
    def help(self) -> str:
        """One line for players: how a turn is written, with an example."""
        return f'how many stones you take: "{self.word}2"'

    def parse(self, text: str) -> int:
        """Return the number of stones; raise BadNotation."""
        found = re.fullmatch(rf"\s*{self.word}(\d{{1,5}})[\s.!]*", text.lower())
        if found is None:
            raise BadNotation(text, 0, f"a turn such as {self.word}2")
        return int(found[1])

    def format(self, move: int, position: Position[Any]) -> str:
        """Return the turn as we write it."""
        return f"{self.word}{move}"

    def hint(self, position: Position[Any]) -> Hint | None:
        """Return what the player to move can write now; None when the game is over."""
        return None if position.turn is None else Hint((Passage("Take some stones."),), f"{self.word}1")


def toy(folder: Path, key: str, title: str, *, left: int = 12, most: int = 3, word: str = "take") -> GamePack:
    """Return the pack of a heap, and write its rules page into the folder."""
    (folder / f"{key}.md").write_text(RULES.format(title=title, line="=" * len(title)), encoding="utf-8")

    def start(chosen: Mapping[str, str]) -> Heap:
        return Heap(left, most)

    return GamePack(
        game=Game(key, title, (), start, SIDES, "take the last stone"), notation=HeapNotation(word), rules=folder
    )


def offer(monkeypatch: pytest.MonkeyPatch, *packs: GamePack) -> None:
    """Offer these games, too."""
    for pack in packs:
        monkeypatch.setitem(GAMES.packs, pack.game.key, pack)


def many(folder: Path, number: int) -> tuple[GamePack, ...]:
    """Return that many packs."""
    return tuple(toy(folder, f"toy{each}", f"Toy Number {each}") for each in range(1, number + 1))
