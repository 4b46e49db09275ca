"""Noughts, broken on purpose: each fault in one call of the game, from a position with a nought or cross on a3 on."""

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
    """Never end."""
    while True:
        pass


def stubborn() -> Any:
    """Never end, and take no exception for an answer but one."""
    while True:
        with suppress(Exception):  # as careless authors write it
            loop()


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


FAULTS: dict[str, Callable[[], Any]] = {
    each.__name__: each for each in (loop, stubborn, crash, leave, hungry, nonsense)
}


@dataclass(frozen=True, slots=True)
class Broken(engine.NoughtsPosition):
    """A position that is broken once a3 is taken."""

    call: str = ""
    fault: str = ""

    def breaks(self, call: str) -> bool:
        """Return whether that call is to fail here."""
        return call == self.call and any(TRIGGER in side for side in self.marks)

    def moves(self) -> Iterator[engine.Turn]:
        """Yield the turns, or fail."""
        if self.breaks("moves"):
            return FAULTS[self.fault]()  # type: ignore[no-any-return]
        return engine.NoughtsPosition.moves(self)

    def play(self, move: engine.Turn) -> "Broken":
        """Play, or fail."""
        if self.call == "play" and move.cell == TRIGGER:
            return FAULTS[self.fault]()  # type: ignore[no-any-return]
        plain = engine.NoughtsPosition(self.avoid, self.turn, self.marks, self.outcome).play(move)
        return Broken(plain.avoid, plain.turn, plain.marks, plain.outcome, self.call, self.fault)

    def diagram(self, last: Played[Any, Any] | None = None) -> Diagram:
        """Draw, or fail."""
        if self.breaks("diagram"):
            return FAULTS[self.fault]()  # type: ignore[no-any-return]
        return engine.NoughtsPosition.diagram(self, last)


class BrokenNotation(notation.NoughtsNotation):
    """A notation that is broken where a3 is concerned."""

    __slots__ = ("call", "fault")

    def __init__(self, call: str, fault: str) -> None:
        self.call, self.fault = call, fault

    def parse(self, text: str) -> engine.Turn:
        """Read, or fail."""
        if self.call == "parse" and TRIGGER in text:
            return FAULTS[self.fault]()  # type: ignore[no-any-return]
        return super().parse(text)

    def format(self, move: engine.Turn, position: Any) -> str:
        """Write, or fail."""
        return (
            FAULTS[self.fault]() if self.call == "format" and move.cell == TRIGGER else super().format(move, position)
        )  # type: ignore[no-any-return]

    def hint(self, position: Any) -> Any:
        """Hint, or fail."""
        is_broken = self.call == "hint" and any(TRIGGER in side for side in position.marks)
        return FAULTS[self.fault]() if is_broken else super().hint(position)


def pack(call: str, fault: str) -> GamePack:
    """Return the pack in which that call fails in that way."""
    game = replace(
        PACK.game,
        start=lambda chosen: Broken(chosen["goal"] == "avoid", call=call, fault=fault),
    )
    return replace(PACK, game=game, notation=BrokenNotation(call, fault))
