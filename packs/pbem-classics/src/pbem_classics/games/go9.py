"""Go on a small board: surround territory."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from pbem import gamekit as kit
from pbem_classics import RULES
from pbem_classics.fields import Field, groups, two_sides
from pbem_classics.notation import CellNotation
from pbem_classics.spiel import SpielPosition, Told, Turn

SIDES = ("Black", "White")
LETTERS = "abcdefghj"
"""The columns: Go leaves out the i."""
KOMI = 7.5
PASS = 81
"""The action of a pass."""
PLACES = {f"{letter}{row}": (2 * at, 9 - row) for row in range(1, 10) for at, letter in enumerate(LETTERS)}
FIELD = Field(kit.Board.of("square", PLACES), two_sides(SIDES, "BW", ("stone", "stones"), ("dark", "light")))


class Reason(kit.Reason):
    """Why a turn is refused."""

    NO_LIBERTY = "a stone on {token} would have no liberty, and take nothing; {instead}"
    AGAIN = "with a stone on {token} the board would be as it was before (the rule of ko); {instead}"


class GoPosition(SpielPosition):
    """The state of a game. OpenSpiel ends a match that repeats a position, and here such turns are refused."""

    __slots__ = ()
    signs = "+XO"
    rollouts = 3
    aim: ClassVar[str] = (
        "{side} puts a stone on a free point, or passes. Stones that have no free point beside them are taken. When "
        "both pass, every stone and every point that only one side reaches count: take dead stones first."
    )

    @property
    def field(self) -> Field:
        return FIELD

    @staticmethod
    def allowed(state: Any) -> list[int]:
        """Return the legal actions that repeat no position; the last of OpenSpiel's is the pass."""
        *places, skip = state.legal_actions()
        return [*(action for action in places if not state.child(action).is_terminal()), skip]

    @staticmethod
    def drawing(state: Any) -> str:
        return str(state).partition("\n")[2]

    def word(self, state: Any, actions: Sequence[int]) -> str:
        return super().word(state, actions) or str(kit.Special.PASS)

    def score(self) -> tuple[int, int]:
        """Return how many points each side has or surrounds alone."""
        near, marks = self.board.neighbours(), self.marks()
        areas = [sum(self.owner(cell) == seat for cell in marks) for seat in kit.SEATS]
        for empty in groups([cell for cell in self.board.names if cell not in marks], near):
            owners = {self.owner(cell) for each in empty for cell in near[each]} - {None}
            for owner in owners if len(owners) == 1 else ():
                areas[owner or 0] += len(empty)
        return areas[0], areas[1]

    def ended(self, winner: kit.Seat | None) -> str:
        black, white = self.score()
        return f"Black has {black} points and White {white} + {KOMI}"

    def why(self, move: str, cells: Sequence[str]) -> kit.IllegalMove:
        near, marks = self.board.neighbours(), self.marks()
        theirs = groups([cell for cell in marks if self.owner(cell) not in (self.turn, None)], near)
        stuck = (chain for chain in theirs if {free for cell in chain for free in near[cell]} - marks.keys() == {move})
        reason = Reason.AGAIN if next(stuck, None) else Reason.NO_LIBERTY
        return self.placing(move) or self.refused(reason, token=move)

    @property
    def pass_passage(self) -> kit.Passage:
        """What a hint says: after a pass, that another one ends the match, and how it is counted then."""
        if len(self.actions) < 2 or self.actions[-1] != PASS:
            return kit.PASS_PASSAGE
        black, white = self.score()
        return kit.Passage(
            f"Your opponent has passed. If you pass too, the match ends, and is counted as it stands: Black "
            f"{black}, White {white} + {KOMI}.",
            (str(kit.Special.PASS),),
        )

    def told(self, before: Self, move: Turn) -> Told:
        return ((), (), "a pass") if move is kit.Special.PASS else super().told(before, move)


def _start(_: Mapping[str, str]) -> GoPosition:
    return GoPosition(f"go(board_size=9,komi={KOMI},max_game_length=1000)")


GO9 = kit.GamePack(
    game=kit.Game(
        "go9", "Go 9x9", (), _start, SIDES, "9x9: surround more than your opponent", draws=False, difficulty=3
    ),
    notation=CellNotation("the point for your stone, or pass", "e5", words=(kit.Special.PASS,)),
    rules=RULES,
)
