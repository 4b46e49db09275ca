"""Nine Men's Morris: close mills, and take men."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

from pbem import gamekit as kit
from pbem_classics import RULES
from pbem_classics.fields import Field, two_sides
from pbem_classics.notation import MillNotation
from pbem_classics.spiel import SpielPosition, Told, Turn

SIDES = ("White", "Black")
POINTS = (
    *("a7", "d7", "g7", "b6", "d6", "f6", "c5", "d5", "e5", "a4", "b4", "c4"),
    *("e4", "f4", "g4", "c3", "d3", "e3", "b2", "d2", "f2", "a1", "d1", "g1"),
)
"""The points, in OpenSpiel's order."""
MILLS = (
    *("a7d7g7", "b6d6f6", "c5d5e5", "a4b4c4", "e4f4g4", "c3d3e3", "b2d2f2", "a1d1g1"),
    *("a7a4a1", "b6b4b2", "c5c4c3", "d7d6d5", "d3d2d1", "e5e4e3", "f6f4f2", "g7g4g1"),
)
LINES = [(line[:2], line[2:4], line[4:]) for line in MILLS]
OFF = [name for name in kit.rectangle(7, 7).names if name not in POINTS]
BOARD = kit.rectangle(7, 7, without=OFF, first_on_top=False)
JOINED = tuple((line[at], line[at + 1]) for line in LINES for at in (0, 1))
FIELD = Field(BOARD, replace(two_sides(SIDES, "WB", ("man", "men"), ("light", "dark")), lines=JOINED))
PER_SIDE = 9


class Reason(kit.Reason):
    """Why a turn is refused."""

    PLACE = "you still have men to place: write the point for one; {instead}"
    MOVE = "all your men are placed, so write where one goes, as in a1a4; {instead}"
    NOT_BESIDE = "a man goes along a line to the next point, and not from {origin} to {target}; {instead}"
    NO_MILL = "{turn} closes no mill, so it takes no man; {instead}"
    MILL = "{turn} closes a mill, so name the man that you take, as in {fits}"
    NOT_THEIRS = "there is no man of {other} on {taken}; {instead}"
    IN_A_MILL = "{taken} is in a mill, and can't be taken while {other} has men that aren't; {instead}"


class MorrisPosition(SpielPosition):
    """The state of a game. A turn that closes a mill names the man that it takes."""

    __slots__ = ()
    signs = ".WB"
    piece = "man"
    in_steps = True
    aim: ClassVar[str] = (
        "Three men of {side} along a line are a mill, and take a man of {other}. Write the point for your man, or "
        "once all are placed, where a man stands and goes; after a mill, also the man that you take."
    )

    @property
    def field(self) -> Field:
        return FIELD

    def is_midway(self, before: Any, after: Any) -> bool:
        return "Capture time" in str(after)

    def drawn_cells(self) -> Sequence[str]:
        return POINTS

    def word(self, state: Any, actions: Sequence[int]) -> str:
        first, *taken = actions
        step = POINTS[first] if first < len(POINTS) else "".join(POINTS[at] for at in divmod(first - 24, 24))
        return " ".join((step, *(POINTS[at] for at in taken)))

    @classmethod
    def estimate(cls, state: Any) -> float:
        """Return a guess of the outcome for White: the men of both sides, and how freely who is to move can move."""
        white, black = map(int, re.findall(r"\d+", str(state).rpartition("Num men:")[2])[:2])
        turns = len(state.legal_actions()) * (1 if state.current_player() == 0 else -1)
        return max(-0.95, min(0.95, (white - black) / 5 + turns / 200))

    def hand(self) -> tuple[int, int]:
        """Return how many men each side has yet to place."""
        white, black = re.findall(r"Men to deploy: (\d+) (\d+)", str(self.here))[0]
        return int(white), int(black)

    def ended(self, winner: kit.Seat | None) -> str:
        if winner is None:
            return "200 turns have been played"
        loser = SIDES[1 - winner]
        left = sum(self.owner(cell) == 1 - winner for cell in self.marks()) + self.hand()[1 - winner]
        return f"{loser} has two men left" if left < 3 else f"{loser} can't move"

    def why(self, move: str, cells: Sequence[str]) -> kit.IllegalMove:
        step, _, taken = move.partition(" ")
        origin, target = step[:2], step[-2:]
        seat = self.turn or 0
        other, instead = SIDES[1 - seat], self.instead(origin)
        if len(step) == 2 and not self.hand()[seat]:
            return self.refused(Reason.MOVE)
        if len(step) == 4 and self.hand()[seat]:
            return self.refused(Reason.PLACE)
        if len(step) == 4 and self.owner(origin) != seat:
            return self.nothing_on(origin, step)
        if refusal := self.placing(target):
            return refusal
        fits = [text for text in self.legal() if text.partition(" ")[0] == step]
        if not fits:
            return kit.IllegalMove(Reason.NOT_BESIDE, token=step, origin=origin, target=target, instead=instead)
        if not taken:
            return kit.IllegalMove(Reason.MILL, token=step, turn=step, fits=fits[0])
        details = {
            "token": taken,
            "turn": step,
            "taken": taken,
            "other": other,
            "instead": f"you can play {kit.either(fits)}",
        }
        if " " not in fits[0]:
            return kit.IllegalMove(Reason.NO_MILL, **details)
        return kit.IllegalMove(Reason.IN_A_MILL if self.owner(taken) == 1 - seat else Reason.NOT_THEIRS, **details)

    def remarks(self) -> Sequence[tuple[str, str]]:
        white, black = self.hand()
        if not white + black:
            return ()
        return ((f"to place: W {white}, B {black}", f"White has {white} men to place, Black {black}."),)

    def told(self, before: Self, move: Turn) -> Told:
        step, _, taken = str(move).partition(" ")
        cells = [step[at : at + 2] for at in range(0, len(step), 2)]
        said = " to ".join(cells) if len(cells) > 1 else f"a man on {step}"
        left = (*cells[:-1], *([taken] if taken else []))
        return (*cells, *([taken] if taken else [])), left, said + (f", taking {taken}" if taken else "")


def _start(_: Mapping[str, str]) -> MorrisPosition:
    return MorrisPosition("nine_mens_morris")


MORRIS = kit.GamePack(
    game=kit.Game("morris", "Nine Men's Morris", (), _start, SIDES, "three men in a line are a mill, and take a man"),
    notation=MillNotation("where a man is placed, or goes, and after a mill the man that it takes", "a1a4 d7"),
    rules=RULES,
)
