"""What the variants of Quadrupel are told and what they answer: stones, figures, and what they lead to."""

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, NamedTuple

from engines.core import Outcome, Seat
from engines.quadrupel.board import FIGURES, INDEX, KINDS, SIDES, START, ZONES, Figure
from engines.quadrupel.marks import Empty
from engines.seats import other
from engines.wording import either

SetUp = Literal["none", "dots", "ones"]
"""What the players set up: nothing, the dots of all four stones, or which two stones are the 1-stones."""

ANY_FIGURE = f"a {either(KINDS)} of all four stones"


class Stone(NamedTuple):
    """A stone: its square, and the dots that it shows (0 for none)."""

    cell: int
    dots: int = 0


Stones = tuple[Stone, ...]
"""The stones of a side, sorted by square."""

AT_START: tuple[Stones, Stones] = (
    tuple(sorted(Stone(INDEX[name]) for name in START[0])),
    tuple(sorted(Stone(INDEX[name]) for name in START[1])),
)


def squares_of(stones: Stones) -> int:
    """Return the squares of the stones of a side, as bits; without a list, which saves 8 % of playing a turn."""
    squares = 0
    for cell, _ in stones:
        squares |= 1 << cell
    return squares


def carried(stones: Stones, origin: int, target: int) -> tuple[Stones, Figure | None]:
    after = tuple(sorted([Stone(target, s.dots) if s.cell == origin else s for s in stones]))
    return after, FIGURES.get(squares_of(after))


class Formed(NamedTuple):
    seat: Seat
    figure: Figure
    worth: int

    @property
    def side(self) -> str:
        return SIDES[self.seat]

    def __str__(self) -> str:
        return f"{self.side}'s {self.figure}"


class Score(NamedTuple):
    """The figures announced so far without ending the match.

    In added-value and combination this is the first figure, and `extra` is the extra turn to be played (0 for
    none). In maximum-points these are the figures of the games that are over.
    """

    announced: tuple[Formed, ...] = ()
    extra: int = 0


NO_SCORE = Score()


class Verdict(NamedTuple):
    """What a turn leads to: the seat to move (None if the match is over), and whether a new game starts.

    `figure` is the figure that counted and can be shown. A figure that nobody announced is never mentioned.
    """

    turn: Seat | None
    score: Score
    outcome: Outcome | None = None
    figure: Figure | None = None
    anew: bool = False


class Variant(ABC):
    """A way to play Quadrupel. Stones move alike in all variants; a variant says what figures are good for.

    Implementations are frozen dataclasses. The defaults here are those of the basic game.
    """

    __slots__ = ()

    setup: ClassVar[SetUp] = "none"
    """What the players set up before a game."""
    empty: ClassVar[Empty]
    """The marks of empty squares of zone 1, 2 and 3."""

    def worth(self, figure: Figure, stones: Stones, score: Score) -> int:
        """Return what a figure of these stones is worth now."""
        return 1

    def meets(self, formed: Formed, score: Score) -> bool:
        """Return whether the figure meets the goal, so that announcing it counts."""
        return True

    def loses(self, formed: Formed) -> bool:
        """Return whether a turn that ends in this figure loses, announced or not."""
        return False

    def lost(self, formed: Formed) -> str:
        """Return in words why a figure loses."""
        return ""

    @abstractmethod
    def announced(self, formed: Formed, score: Score) -> Verdict:
        """Return what follows when a figure that meets the goal is announced."""

    def quiet(self, seat: Seat, score: Score) -> Verdict:
        """Return what follows when the seat has moved and announced nothing."""
        return Verdict(other(seat), score)

    def claim(self, score: Score) -> str:
        """Return in words what can be announced now; the words don't depend on where the stones are."""
        return ANY_FIGURE

    @abstractmethod
    def aim(self, score: Score) -> str:
        """Return what the player to move aims for, in one or two sentences that don't depend on the stones."""

    def notes(self, score: Score) -> tuple[str, ...]:
        """Return lines of at most 46 columns for the side of the board, except those about empty squares."""
        return ()


def won(seat: Seat | None, figure: Figure, score: Score, why: str) -> Verdict:
    """Return the verdict that the seat has won (None: that it is a draw) by this figure."""
    return Verdict(None, score, Outcome(seat, why), figure)


def points(stones: Stones) -> int:
    """Return the points of a figure of these stones: the dots of each stone times the zone it is in.

    Quadrupel, point game: the rule sheet's example.

    >>> from engines.quadrupel.board import INDEX
    >>> points(tuple(Stone(INDEX[name], dots) for name, dots in [("d4", 4), ("c5", 2), ("e5", 1), ("d6", 3)]))
    21
    """
    return sum(dots * ZONES[cell] for cell, dots in stones)
