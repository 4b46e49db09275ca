"""The rules of the Game of the Amazons: move an amazon, then shoot an arrow; a side that can't do so loses."""

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import NamedTuple, Self

from pbem import gamekit as kit

SIDES = ("White", "Black")
START = (("a4", "d1", "g1", "j4"), ("a7", "d10", "g10", "j7"))
BOARD = kit.rectangle(10, 10, first_on_top=False)
RAYS = BOARD.rays(kit.QUEEN)
"""Of each square the eight lines that leave it, the nearest square first."""
LEGEND = kit.Legend(
    SIDES,
    (
        kit.Mark(".", "empty", None, ("empty", "empty")),
        kit.Mark("W", "piece", 0, ("amazon", "amazons")),
        kit.Mark("B", "piece", 1, ("amazon", "amazons")),
        kit.Mark("*", "piece", None, ("arrow", "arrows"), "x"),
    ),
    ("light", "dark"),
)


class Turn(NamedTuple):
    """A turn: the step of an amazon, and the square of her arrow.

    In a part, whose arrow is still to come, `arrow` is None. In a completion, which is only the arrow, `step` is None.
    """

    step: kit.Step | None
    arrow: str | None

    def __str__(self) -> str:
        """Return the turn as players write it, without what it lacks."""
        return " ".join(str(word) for word in self if word is not None)


class Reason(kit.Reason):
    """Why a turn is refused."""

    OFF_BOARD = "{square} is not on this board; its squares are a1 to j10"
    NO_STEP = "{token} alone is no turn: first an amazon moves, then she shoots, as in {fits}"
    OTHER_STEP = "you have already moved {begun}, and only the arrow is left (undo takes the move back); {instead}"
    NO_AMAZON = "{side} has no amazon on {square}, but on {own}"
    NOT_STRAIGHT = "{what} can't go from {origin} to {square}, which is no straight line; {instead}"
    BLOCKED = "{what} can't go from {origin} to {square}, because {at} is taken; {instead}"


@dataclass(frozen=True, slots=True)
class AmazonsPosition:
    """The state of a game. `amazons` are the squares of each side, sorted; `part` is a move that has yet to shoot."""

    turn: kit.Seat | None = 0
    amazons: tuple[tuple[str, ...], tuple[str, ...]] = START
    arrows: frozenset[str] = frozenset()
    part: Turn | None = None
    outcome: kit.Outcome | None = None

    @property
    def begun(self) -> kit.Step | None:
        """The move whose arrow is still to come."""
        return None if self.part is None else self.part.step

    @property
    def taken(self) -> frozenset[str]:
        """The squares that nothing can enter or cross."""
        return self.arrows.union(*self.amazons)

    def moves(self) -> Iterator[Turn]:
        """Yield every legal turn once; after a part, every arrow that completes it."""
        if self.begun is not None:
            yield from (Turn(None, arrow) for arrow in reached(self.begun.target, self.taken))
            return
        for step in self.steps():
            yield from (Turn(step, arrow) for arrow in reached(step.target, self.taken - {step.origin}))

    def parts(self) -> Iterator[Turn]:
        """Yield every move that can be sent without its arrow; nothing after a part."""
        return (Turn(step, None) for step in self.steps()) if self.part is None else iter(())

    def steps(self) -> Iterator[kit.Step]:
        """Yield every move of an amazon. Each begins a turn, because an arrow can always go back to where she was."""
        taken = self.taken
        for square in () if self.turn is None else self.amazons[self.turn]:
            yield from (kit.Step(square, target) for target in reached(square, taken))

    def play(self, move: Turn) -> Self:
        """Return the position after the turn, or after a part of it (then the same seat is to move).

        After a part, the arrow completes the turn, and so does the whole turn. The part alone changes nothing.
        """
        seat, begun, (step, arrow) = self.turn, self.begun, move
        if seat is None:
            raise kit.GameOver(self.outcome)
        if begun is None:
            if step is None:
                raise kit.IllegalMove(Reason.NO_STEP, token=arrow, fits=next(self.moves()))
            here = self.stepped(seat, step)
            return here if arrow is None else here.shot(seat, step.target, arrow)
        if step not in (None, begun):
            instead = self._instead(begun.target)
            raise kit.IllegalMove(Reason.OTHER_STEP, token=str(step), begun=begun.spoken, instead=instead)
        return self if arrow is None else self.shot(seat, begun.target, arrow)

    def stepped(self, seat: kit.Seat, step: kit.Step) -> Self:
        """Return the position after the move of an amazon; raise IllegalMove."""
        if step.origin not in self.amazons[seat]:
            own = kit.together(self.amazons[seat])
            raise kit.IllegalMove(Reason.NO_AMAZON, token=str(step), side=SIDES[seat], square=step.origin, own=own)
        self._check("an amazon", *step, str(step))
        moved = tuple(sorted({*self.amazons[seat]} - {step.origin} | {step.target}))
        return type(self)(seat, kit.with_entry(self.amazons, seat, moved), self.arrows, Turn(step, None))

    def shot(self, seat: kit.Seat, origin: str, arrow: str) -> Self:
        """Return the position after the arrow of the amazon on a square; raise IllegalMove."""
        self._check("an arrow", origin, arrow, arrow)
        after = type(self)(kit.other(seat), self.amazons, self.arrows | {arrow})
        if next(after.steps(), None) is not None:
            return after
        stuck = kit.Outcome(seat, f"no amazon of {SIDES[kit.other(seat)]} can move")
        return type(self)(None, after.amazons, after.arrows, None, stuck)

    def _check(self, what: str, origin: str, target: str, token: str) -> None:
        """Refuse a way that isn't a straight line of free squares."""
        if target not in RAYS:
            raise kit.IllegalMove(Reason.OFF_BOARD, token=token, square=target)
        details = {"token": token, "what": what, "origin": origin, "square": target, "instead": self._instead(origin)}
        line = next((ray for ray in RAYS[origin] if target in ray), None)
        if line is None:
            raise kit.IllegalMove(Reason.NOT_STRAIGHT, **details)
        for at in line[: line.index(target) + 1]:
            if at in self.taken:
                raise kit.IllegalMove(Reason.BLOCKED, **details, at=at)

    def _instead(self, origin: str) -> str:
        """Return in words where an amazon can go, or shoot, from a square."""
        return f"from {origin} there is a way to {kit.either(reached(origin, self.taken)) or 'no square'}"

    def diagram(self, last: kit.Played[Self, Turn] | None = None) -> kit.Diagram:
        """Return the board with the amazons of both sides and the arrows."""
        marks = dict.fromkeys(self.arrows, "*")
        for side, squares in zip(SIDES, self.amazons, strict=True):
            marks |= dict.fromkeys(squares, side[0])
        if last is None:
            return BOARD.diagram(marks, LEGEND)
        step, arrow = last.before.begun or last.move.step, last.move.arrow
        said = ([step.spoken] if step else []) + ([f"arrow to {arrow}"] if arrow else [])
        lit = {*(step or ()), *([arrow] if arrow else [])}
        left = {step.origin} - {arrow} if step else ()
        return BOARD.diagram(marks, LEGEND, lit=lit, left=left, told=", ".join(said))


def reached(origin: str, taken: Set[str]) -> Iterator[str]:
    """Yield the squares to which a queen in chess could go, the nearest first on each line.

    >>> list(reached("a1", {"c1", "a2", "c3"}))
    ['b1', 'b2']
    """
    for ray in RAYS[origin]:
        for square in ray:
            if square in taken:
                break
            yield square


SUMMARY = "10x10: queens shoot arrows; who can't move loses"
GAME = kit.Game("amazons", "Amazons", (), lambda _: AmazonsPosition(), SIDES, SUMMARY, draws=False)
