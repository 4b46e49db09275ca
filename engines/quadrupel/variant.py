"""What the variants of Quadrupel are told and what they answer: stones, what was built, what that leads to."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from engines.core import Outcome, Seat
from engines.quadrupel.board import INDEX, KINDS, SIDES, START, ZONES, Figure
from engines.quadrupel.legend import Empty
from engines.wording import either

SetUp = Literal["none", "dots", "ones"]
"""What the players set up: nothing, the dots of all four stones, or which two are the 1-stones."""

ANY_FIGURE = f"a {either(KINDS)} of all four own stones"


class Stone(NamedTuple):
    """A stone: its square, and the dots that it shows (0: none)."""

    cell: int
    dots: int = 0


Stones = tuple[Stone, ...]
"""The stones of a side, sorted by square."""

AT_START: tuple[Stones, Stones] = (
    tuple(sorted(Stone(INDEX[name]) for name in START[0])),
    tuple(sorted(Stone(INDEX[name]) for name in START[1])),
)


class Built(NamedTuple):
    """A figure that somebody built, and what it is worth in the variant that is played."""

    seat: Seat
    figure: Figure
    worth: int

    @property
    def side(self) -> str:
        """Who built it: Black or White."""
        return SIDES[self.seat]

    def __str__(self) -> str:
        """Return whose figure it is and where, in words."""
        return f"{self.side}'s {self.figure}"


class Tally(NamedTuple):
    """What was announced so far without ending the match.

    In added-value and combination the first figure, and in `extra` which extra turn is to be played (0: none);
    in maximum-points the figures of the games that are over.
    """

    announced: tuple[Built, ...] = ()
    extra: int = 0


NOTHING_YET = Tally()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a turn leads to: who moves next (None: nobody, it is over), and whether a new game begins.

    `figure` is the one that counted, and may be shown; a figure that nobody announced is never mentioned.
    """

    turn: Seat | None
    tally: Tally
    outcome: Outcome | None = None
    figure: Figure | None = None
    anew: bool = False


class Variant(Protocol):
    """A way to play Quadrupel. The stones move alike in all; a variant says what figures are good for."""

    @property
    def setup(self) -> SetUp:
        """What the players set up before a game."""

    @property
    def empty(self) -> Empty:
        """The marks of empty squares of zone 1, 2 and 3, where the picture tells them apart."""

    def worth(self, figure: Figure, stones: Stones, tally: Tally) -> int:
        """What a figure of these stones is worth now."""

    def meets(self, built: Built, tally: Tally) -> bool:
        """Whether the figure meets the goal, so that announcing it counts."""

    def loses(self, built: Built) -> bool:
        """Whether a turn that ends in this figure loses, announced or not."""

    def announced(self, built: Built, tally: Tally) -> Verdict:
        """What follows when a figure that meets the goal is announced."""

    def lost(self, built: Built) -> str:
        """Why a figure loses, in words."""

    def quiet(self, seat: Seat, tally: Tally) -> Verdict:
        """What follows when the seat has moved and nothing is announced."""

    def claim(self, tally: Tally) -> str:
        """What may be announced now, in words; nothing in it depends on where the stones stand."""

    def aim(self, tally: Tally) -> str:
        """What the player to move is after, in a sentence or two; it doesn't depend on the stones either."""

    def notes(self, tally: Tally) -> tuple[str, ...]:
        """What is said beside the board, besides what empty squares look like; lines of at most 46 columns."""


def other(seat: Seat) -> Seat:
    """The opponent's seat."""
    return 1 if seat == 0 else 0


def passed_on(seat: Seat, tally: Tally) -> Verdict:
    """The usual: the other one is to move."""
    return Verdict(other(seat), tally)


def won(seat: Seat | None, figure: Figure, tally: Tally, why: str) -> Verdict:
    """The seat has won (None: it is a draw), by this figure."""
    return Verdict(None, tally, Outcome(seat, why), figure)


def points(stones: Stones) -> int:
    """The points of a figure of these stones: the dots of each times the zone it stands in.

    Quadrupel, point game: this is the figure of the sheet's example.

    >>> from engines.quadrupel.board import INDEX
    >>> points(tuple(Stone(INDEX[name], dots) for name, dots in [("d4", 4), ("c5", 2), ("e5", 1), ("d6", 3)]))
    21
    """
    return sum(dots * ZONES[cell] for cell, dots in stones)
