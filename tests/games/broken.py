"""Noughts, broken on purpose: each fault in one call of the game, where a3 is concerned."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pbem_noughts import NOUGHTS as PACK
from pbem_noughts import engine, notation

from engines.core import Played
from engines.diagram import Diagram
from notation.games import GamePack

TRIGGER = "a3"


def loop() -> Any:
    """Never end, and take no exception for an answer but one."""
    while True:
        with suppress(Exception):  # as careless authors write it
            while True:
                pass


def crash() -> Any:
    """Raise what no game should."""
    raise RuntimeError("a bug of the package")


def leave() -> Any:
    """End the process, as far as that goes."""
    raise SystemExit(1)


def hungry() -> Any:
    """Ask for more memory than there is."""
    return [0] * (1 << 60)


def nonsense() -> Any:
    """Return what fits nowhere."""
    return [object()]


@dataclass(frozen=True, slots=True)
class Broken(engine.NoughtsPosition):
    """A position that is broken once a3 is taken."""

    call: str = ""
    fault: Callable[[], Any] = crash

    def breaks(self, call: str) -> bool:
        """Return whether that call is to fail here."""
        return call == self.call and any(TRIGGER in side for side in self.marks)

    def moves(self) -> Iterator[engine.Turn]:
        """Yield the turns, or fail."""
        return self.fault() if self.breaks("moves") else engine.NoughtsPosition.moves(self)

    def play(self, move: engine.Turn) -> "Broken":
        """Play, or fail."""
        if self.call == "play" and move.cell == TRIGGER:
            return self.fault()  # type: ignore[no-any-return]
        plain = engine.NoughtsPosition(self.avoid, self.turn, self.marks, self.outcome).play(move)
        return Broken(plain.avoid, plain.turn, plain.marks, plain.outcome, self.call, self.fault)

    def diagram(self, last: Played[Any, Any] | None = None) -> Diagram:
        """Draw, or fail."""
        return self.fault() if self.breaks("diagram") else engine.NoughtsPosition.diagram(self, last)


class BrokenNotation(notation.NoughtsNotation):
    """A notation that cannot read a3."""

    __slots__ = ("fault",)

    def __init__(self, fault: Callable[[], Any]) -> None:
        self.fault = fault

    def parse(self, text: str) -> engine.Turn:
        """Read, or fail."""
        return self.fault() if TRIGGER in text else super().parse(text)


def pack(call: str, fault: Callable[[], Any]) -> GamePack:
    """Return the pack in which that call fails in that way."""
    game = replace(PACK.game, start=lambda chosen: Broken(chosen["goal"] == "avoid", call=call, fault=fault))
    return replace(PACK, game=game, notation=BrokenNotation(fault) if call == "parse" else PACK.notation)
