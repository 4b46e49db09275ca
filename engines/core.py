"""What every game is made of: Game, Option, Position, Outcome, and the two ways to say no."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, Protocol, Self, TypeVar

from engines.diagram import Diagram

Seat = Literal[0, 1]
Move = TypeVar("Move")


class Reason(Enum):
    """Base of each game's catalogue of refusals: a value is a sentence with holes for the details."""


class IllegalMove(Exception):
    """A readable move that the rules forbid: the reason, and what fills the holes of its sentence."""

    def __init__(self, reason: Reason, **details: object) -> None:
        self.reason = reason
        self.details = details
        super().__init__(reason.value.format(**details))


class BadOption(Exception):
    """An option that the game has not, or a choice that the option has not; the text says which there are."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: the winner's seat (None: a draw) and why, in words ("39 marked cells to 31")."""

    winner: Seat | None
    reason: str


@dataclass(frozen=True, slots=True)
class Option:
    """A choice to be made before a game begins; the first of the choices is the default."""

    name: str
    choices: tuple[str, ...]
    help: str

    @property
    def spelled(self) -> str:
        """The choices in a word; whole numbers that leave none out are named by the first and the last.

        >>> Option("first", ("x", "o"), "").spelled, Option("size", ("9", "7", "8", "10"), "").spelled
        ('x|o', '7...10')
        """
        if len(self.choices) > 2 and all(choice.isdecimal() for choice in self.choices):
            numbers = sorted(map(int, self.choices))
            if numbers == list(range(numbers[0], numbers[-1] + 1)):
                return f"{numbers[0]}...{numbers[-1]}"
        return "|".join(self.choices)


class Position(Protocol[Move]):
    """Where a game stands. Frozen, hashable dataclasses implement it; nothing ever changes one."""

    @property
    def turn(self) -> Seat | None:
        """Whose move it is; None when the game is over."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it runs."""

    @property
    def part(self) -> Move | None:
        """What the player to move has begun of his turn; None between turns."""

    def moves(self) -> Iterator[Move]:
        """Every legal complete turn, each once; inside a begun turn, every way to complete it."""

    def parts(self) -> Iterator[Move]:
        """Every beginning of a turn that may be played by itself, each once; nothing where turns are played whole."""

    def play(self, move: Move) -> Self:
        """The position after the move; raises IllegalMove. Never enumerates moves().

        Where a part of a turn is played, the position that comes back has the same seat to move.
        """

    def diagram(self) -> Diagram:
        """The board as data, for whoever draws it."""


@dataclass(frozen=True, slots=True)
class Game:
    """A rule book: its key, title and options, how a contest starts, and what the two sides are called."""

    key: str
    title: str
    options: tuple[Option, ...]
    start: Callable[[Mapping[str, str]], Position[Any]]
    sides: tuple[str, str]

    def chosen(self, given: Mapping[str, str]) -> dict[str, str]:
        """Every option of the game with its choice, defaults filled in; raises BadOption."""
        known = {option.name: option for option in self.options}
        for name, choice in given.items():
            if name not in known:
                there_are = ", ".join(f"{o.name}={o.spelled}" for o in self.options) or "none"
                raise BadOption(f"{self.title} has no option {name}; its options: {there_are}")
            if choice not in known[name].choices:
                fits = " or ".join(f"{name}={fit}" for fit in known[name].spelled.split("|"))
                raise BadOption(f"{name}={choice} is not to be had in {self.title}; write {fits}")
        return {name: given.get(name, option.choices[0]) for name, option in known.items()}

    def position(self, chosen: Mapping[str, str]) -> Position[Any]:
        """The position before the first turn; options left out have their defaults; raises BadOption."""
        return self.start(self.chosen(chosen))
