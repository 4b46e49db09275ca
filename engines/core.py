"""What every game consists of: Game, Option, Position, Outcome, and the two ways to refuse."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, Literal, NamedTuple, Never, Protocol, Self, TypeVar

from engines.diagram import Diagram

Seat = Literal[0, 1]
"""The two seats of a match: 0 has the first of a game's sides."""
Move = TypeVar("Move")
Before = TypeVar("Before")


class Reason(Enum):
    """The base of each game's catalogue of refusals. A value is a sentence with placeholders for the details."""


class IllegalMove(Exception):
    """A readable move that the rules forbid: the reason, and the details that fill in its sentence.

    The detail `token` is the wrong word of the turn, if one word is wrong; `late` says that it is the last such word.
    """

    def __init__(self, reason: Reason, **details: object) -> None:
        self.reason = reason
        self.details = details
        super().__init__(reason.value.format(**details))

    @property
    def token(self) -> str:
        """The wrong word of the turn; "" if it isn't a single word."""
        return str(self.details.get("token", ""))

    def span_in(self, text: str) -> tuple[int, int] | None:
        """Return where the wrong word starts and ends in the turn's canonical text; None if it isn't there.

        >>> refusal = IllegalMove(Enum("Reason", {"IDLE": "{token} moves nothing"}).IDLE, token="3")
        >>> refusal.span_in("a3b3 ---- 3")
        (10, 11)
        """
        found = [word.span() for word in re.finditer(r"\S+", text) if word[0] == self.token]
        return found[-1 if self.details.get("late") else 0] if found else None


class Over(Reason):
    """Why every game refuses a turn after its end."""

    GAME_OVER = "the game is over: {outcome}"


class BadOption(Exception):
    """An option that the game doesn't have, or a choice that the option doesn't have. The text lists the valid ones."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: the winner's seat (None for a draw) and the reason in words ("39 marked cells to 31")."""

    winner: Seat | None
    reason: str


class GameOver(IllegalMove):
    """A move after the end of the game; the outcome says how that was."""

    def __init__(self, outcome: Outcome | None) -> None:
        super().__init__(Over.GAME_OVER, outcome=outcome.reason if outcome else "")


@dataclass(frozen=True, slots=True)
class Option:
    """A choice that the players make before a game starts. The first choice is the default."""

    name: str
    choices: tuple[str, ...]
    help: str
    needs: tuple[str, str] | None = None
    """Another option and the choice of it without which this one changes nothing."""

    @property
    def spelled(self) -> str:
        """The choices in short: a full range of whole numbers is written as its first and last number.

        >>> Option("first", ("x", "o"), "").spelled, Option("size", ("9", "7", "8", "10"), "").spelled
        ('x|o', '7...10')
        """
        if len(self.choices) > 2 and all(choice.isdecimal() for choice in self.choices):
            numbers = sorted(map(int, self.choices))
            if numbers == list(range(numbers[0], numbers[-1] + 1)):
                return f"{numbers[0]}...{numbers[-1]}"
        return "|".join(self.choices)


class Played(NamedTuple, Generic[Before, Move]):
    """A move, or a part of a turn, that was just played, and the position before it."""

    before: Before
    move: Move


class Position(Protocol[Move]):
    """The state of a game at one moment. Implementations are frozen, hashable dataclasses; nothing changes one."""

    @property
    def turn(self) -> Seat | None:
        """The seat to move; None when the game is over."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on."""

    @property
    def part(self) -> Move | None:
        """The part of a turn that the player to move has already played; None between turns."""

    def moves(self) -> Iterator[Move]:
        """Yield every legal complete turn once; after a part of a turn, every way to complete it."""

    def parts(self) -> Iterator[Move]:
        """Yield every first part of a turn that can be played on its own, once each."""

    def play(self, move: Move) -> Self:
        """Return the position after the move; raise IllegalMove. Never enumerates moves().

        After a part of a turn the same seat is to move.
        """

    def diagram(self, last: Played[Self, Move] | None = None) -> Diagram:
        """Return the board as data, for every way of drawing it.

        With `last`, the move that led to this position, the diagram highlights its cells and has notes about it.
        """


class PlayedWhole:
    """A base for positions of games in which a turn is always played whole, never in parts."""

    __slots__ = ()

    @property
    def part(self) -> None:
        """None: no turn is played in parts."""
        return

    def parts(self) -> Iterator[Never]:
        """Yield nothing: no turn is played in parts."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Game:
    """A rule book: its key, title and options, how a game starts, the names of the two sides, and what it is like."""

    key: str
    title: str
    options: tuple[Option, ...]
    start: Callable[[Mapping[str, str]], Position[Any]]
    sides: tuple[str, str]
    summary: str
    """What the game is like, in at most 54 characters, for people who don't know it."""
    decisive: tuple[tuple[str, str], ...] = ()
    """The choices of options under which the rules go on until somebody has won."""
    draws: bool = True
    """Whether a match can be a draw; if not, the rules go on until somebody has won under all options."""
    rated: tuple[tuple[str, str], ...] = ()
    """The choices of options that every rated match and every tournament has, so that it is fair."""
    difficulty: Literal[1, 2, 3] = 2
    """How hard it is to begin with: 1 where a child plays at once, 3 where it takes some learning."""

    in_pairs: bool = False
    """Whether two turns have one number, as in chess: "1. e4 e5". Then a turn is a word, and nobody moves twice."""

    def number(self, ply: int) -> int:
        """Return the number of a turn in lists and records; `ply` counts all turns, from 1."""
        return (ply + 1) // 2 if self.in_pairs else ply

    @property
    def introduction(self) -> str:
        """The summary, with how hard the game is to begin with, where that isn't usual."""
        return f"{self.summary}{('; easy to begin with', '', '; takes some learning')[self.difficulty - 1]}"

    def can_be_drawn(self, chosen: Mapping[str, str]) -> bool:
        """Return whether the players can agree on a draw under those options."""
        return self.draws and not any(chosen.get(name) == choice for name, choice in self.decisive)

    def chosen(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return every option of the game with its choice, adding the defaults; raise BadOption."""
        known = {option.name: option for option in self.options}
        for name, choice in given.items():
            if name not in known:
                there_are = ", ".join(f"{o.name}={o.spelled}" for o in self.options) or "none"
                raise BadOption(f"{self.title} has no option {name}; its options: {there_are}")
            if choice not in known[name].choices:
                fits = " or ".join(f"{name}={fit}" for fit in known[name].spelled.split("|"))
                raise BadOption(f"{self.title} has no {name}={choice}; use {fits}")
        return {name: given.get(name, option.choices[0]) for name, option in known.items()}

    def shown(self, chosen: Mapping[str, str]) -> dict[str, str]:
        """Return what tells this match from others of the game: no choice that changes nothing, or is the usual one.

        The choice of the first option is always shown, and so is one that another choice asks for.
        """
        shown = {}
        for number, option in enumerate(self.options):
            choice = chosen.get(option.name, option.choices[0])
            applies = option.needs is None or chosen.get(option.needs[0]) == option.needs[1]
            if applies and (number == 0 or option.needs is not None or choice != option.choices[0]):
                shown[option.name] = choice
        return shown

    def options_in_words(self, chosen: Mapping[str, str]) -> tuple[str, ...]:
        """Return the choices that are shown, each as a command says it: `variant=small`."""
        return tuple(f"{option}={choice}" for option, choice in self.shown(chosen).items())

    def position(self, chosen: Mapping[str, str]) -> Position[Any]:
        """Return the position before the first turn; omitted options take their defaults. Raise BadOption."""
        return self.start(self.chosen(chosen))
