"""Ultimate Tic-tac-toe: nine small boards on a large one; where you mark decides where your opponent plays."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pbem import gamekit as kit
from pbem_classics import RULES
from pbem_classics.fields import Field
from pbem_classics.notation import CellNotation
from pbem_classics.spiel import SpielPosition

SIDES = ("X", "O")
BOARD = kit.rectangle(9, 9)
SMALL = tuple(
    tuple(
        f"{letter}{row}"
        for row in range(3 * down + 1, 3 * down + 4)
        for letter in "abcdefghi"[3 * right : 3 * right + 3]
    )
    for down in range(3)
    for right in range(3)
)
"""The squares of each small board, row by row."""
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
FIELD = Field(
    BOARD,
    kit.Legend(
        SIDES,
        (
            kit.Mark(".", "empty", None, ("empty", "empty")),
            kit.Mark("X", "piece", 0, ("cross", "crosses"), "x"),
            kit.Mark("O", "piece", 1, ("ring", "rings"), "o"),
        ),
        ("blue", "yellow"),
        areas=(frozenset(cell for at in (1, 3, 5, 7) for cell in SMALL[at]),),
        area_names=("every other small board",),
        said=("The nine small boards have three rows and three columns each.",),
    ),
)


class Reason(kit.Reason):
    """Why a turn is refused."""

    ELSEWHERE = "you must play on the small board from {first} to {last}; {instead}"
    DECIDED = "the small board of {token} is over; {instead}"


class UltimatePosition(SpielPosition):
    """The state of a game. In OpenSpiel, who can choose the small board does so in an action of its own."""

    __slots__ = ()
    signs = ".xo"
    piece = "mark"
    in_steps = True
    aim: ClassVar[str] = (
        "{side} marks an empty square. Its place on the small board says on which small board {other} plays next. "
        "Three in a line win a small board, and three small boards in a line win the match."
    )

    @property
    def field(self) -> Field:
        return FIELD

    def word(self, state: Any, actions: Sequence[int]) -> str:
        board = actions[0] if len(actions) > 1 else _forced(state)
        return SMALL[board or 0][actions[-1]]

    def won(self) -> list[kit.Seat | None]:
        """Return who has won each small board."""
        owners = [[self.owner(cell) for cell in board] for board in SMALL]
        return [_in_line(each) for each in owners]

    def ended(self, winner: kit.Seat | None) -> str:
        if winner is None:
            return "no small board is left to play on"
        return f"{SIDES[winner]} has won three small boards in a line"

    def why(self, move: str, cells: Sequence[str]) -> kit.IllegalMove:
        forced = _forced(self.here)
        if forced is not None and move not in SMALL[forced]:
            return self.refused(Reason.ELSEWHERE, token=move, first=SMALL[forced][0], last=SMALL[forced][-1])
        return self.placing(move) or self.refused(Reason.DECIDED, token=move)

    def remarks(self) -> Sequence[tuple[str, str]]:
        said = []
        for seat, side in enumerate(SIDES):
            if own := [_spanned(at) for at, owner in enumerate(self.won()) if owner == seat]:
                said.append((f"{side}: {', '.join(own)}", f"{side} has won the small boards {kit.together(own)}."))
        if self.turn is not None:
            forced = _forced(self.here)
            where = "any small board" if forced is None else f"the small board {_spanned(forced)}"
            said.append((f"next: {where.removeprefix('the small board ')}", f"The next turn is on {where}."))
        return said


def _forced(state: Any) -> int | None:
    """Return the small board on which the next mark must go; None for any."""
    board = str(state).rpartition("Forced board: ")[2].strip()
    return None if board == "any" else int(board)


def _in_line(owners: Sequence[kit.Seat | None]) -> kit.Seat | None:
    return next((owners[a] for a, b, c in LINES if owners[a] is not None and owners[a] == owners[b] == owners[c]), None)


def _spanned(board: int) -> str:
    return f"{SMALL[board][0]}-{SMALL[board][-1]}"


def _start(_: Mapping[str, str]) -> UltimatePosition:
    return UltimatePosition("ultimate_tic_tac_toe")


ULTIMATE = kit.GamePack(
    game=kit.Game(
        "ultimate",
        "Ultimate Tic-tac-toe",
        (),
        _start,
        SIDES,
        "9x9: nine small boards; your square sends the other",
        difficulty=1,
    ),
    notation=CellNotation("the square to mark", "e5"),
    rules=RULES,
)
