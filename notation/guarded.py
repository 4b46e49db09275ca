"""The games of others, behind a guard: each call is bounded and named where it fails (see notation.allowance).

A position of such a game is wrapped, and unwrapped where it is handed back; moves and diagrams are not. Refusals pass:
IllegalMove, BadNotation and BadOption. The games of pbem itself need no guard, and have none.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Self, TypeVar

from engines.core import Game, Outcome, Played, Position, Seat
from engines.diagram import Diagram
from notation import allowance
from notation.allowance import Nonsense
from notation.core import Notation, TolerantReader
from notation.games import GamePack
from notation.hints import Hint

_END = object()
_Found = TypeVar("_Found")


def guard(pack: GamePack) -> GamePack:
    """Return the pack behind a guard, with its older versions."""
    key = pack.game.key
    return replace(
        pack,
        game=_game(pack.game),
        notation=GuardedNotation(key, pack.notation),
        tolerant=None if pack.tolerant is None else _tolerant(key, pack.tolerant),
        older=tuple(map(guard, pack.older)),
    )


class GuardedPosition:
    """A position of a game of others."""

    __slots__ = ("_key", "inner")

    def __init__(self, key: str, inner: Position[Any]) -> None:
        self._key, self.inner = key, inner

    @property
    def turn(self) -> Seat | None:
        """The seat to move."""
        return self._checked("turn", lambda: self.inner.turn, lambda turn: turn is None or turn in (0, 1))

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended."""
        return self._checked("outcome", lambda: self.inner.outcome, lambda found: isinstance(found, Outcome | None))

    @property
    def part(self) -> Any:
        """The part of a turn that was played already."""
        return allowance.call(self._key, "part", lambda: self.inner.part)

    def moves(self) -> Iterator[Any]:
        """Yield every legal complete turn."""
        return _each(self._key, "moves", self.inner.moves)

    def parts(self) -> Iterator[Any]:
        """Yield every first part of a turn."""
        return _each(self._key, "parts", self.inner.parts)

    def play(self, move: Any) -> Self:
        """Return the position after the move; raise IllegalMove."""
        return type(self)(self._key, self._checked("play", lambda: self.inner.play(move), _is_position))

    def diagram(self, last: Played[Any, Any] | None = None) -> Diagram:
        """Return the board."""
        told = None if last is None else Played(unguarded(last.before), last.move)
        return self._checked("diagram", lambda: self.inner.diagram(told), lambda found: isinstance(found, Diagram))

    def _checked(self, name: str, function: Callable[[], _Found], fits: Callable[[Any], bool]) -> _Found:
        return _checked(self._key, name, function, fits)

    def __eq__(self, other: object) -> bool:
        """Return whether the positions are equal."""
        if not isinstance(other, GuardedPosition):
            return NotImplemented
        return bool(allowance.call(self._key, "==", lambda: self.inner == other.inner))

    def __hash__(self) -> int:
        """Return the hash of the position."""
        return allowance.call(self._key, "hash", hash, self.inner)


class GuardedSearchable(GuardedPosition):
    """A position that offers states of its own to the search."""

    __slots__ = ()

    def state(self) -> Any:
        """Return the position as the search sees it."""
        return allowance.call(self._key, "state", self.inner.state)  # type: ignore[attr-defined]


class GuardedNotation(Notation[Any]):
    """The notation of a game of others."""

    __slots__ = ("_key", "inner")

    def __init__(self, key: str, inner: Notation[Any]) -> None:
        self._key, self.inner = key, inner

    @property
    def help(self) -> str:
        """One line for players."""
        return self._text("help", lambda: self.inner.help)

    def parse(self, text: str) -> Any:
        """Return the move that the text says; raise BadNotation."""
        return _checked(self._key, "parse", lambda: self.inner.parse(text), lambda move: hash(move) is not None)

    def format(self, move: Any, position: Position[Any]) -> str:
        """Return the canonical text."""
        return self._text("format", lambda: self.inner.format(move, unguarded(position)))

    def is_shown(self, move: Any) -> bool:
        """Return whether lists show the turn."""
        return bool(allowance.call(self._key, "is_shown", self.inner.is_shown, move))

    def endings(self, position: Position[Any]) -> tuple[str, ...]:
        """Return what players can add after a turn."""
        return allowance.call(self._key, "endings", lambda: tuple(self.inner.endings(unguarded(position))))

    def midway(self, chosen: str, position: Position[Any]) -> Position[Any]:
        """Return the position with the beginning of a turn on its board."""
        found = _checked(self._key, "midway", lambda: self.inner.midway(chosen, unguarded(position)), _is_position)
        return _guarded(self._key, found)

    def hint(self, position: Position[Any]) -> Hint | None:
        """Return what the player to move can write now."""
        return _checked(
            self._key,
            "hint",
            lambda: self.inner.hint(unguarded(position)),
            lambda found: isinstance(found, Hint | None),
        )

    def _text(self, name: str, function: Callable[[], Any]) -> str:
        return str(_checked(self._key, name, function, lambda found: isinstance(found, str)))


def unguarded(position: Any) -> Any:
    """Return the position as the game knows it."""
    return position.inner if isinstance(position, GuardedPosition) else position


def _game(game: Game) -> Game:
    def start(chosen: Mapping[str, str]) -> Position[Any]:
        return _guarded(game.key, _checked(game.key, "start", lambda: game.start(chosen), _is_position))

    return replace(game, start=start)


def _tolerant(key: str, reader: TolerantReader) -> TolerantReader:
    def read(position: Position[Any], seat: Seat, text: str) -> Any:
        found, slips = allowance.call(key, "tolerant", reader, unguarded(position), seat, text)
        return _guarded(key, found), slips

    return read


def _guarded(key: str, inner: Any) -> Position[Any]:
    return GuardedSearchable(key, inner) if hasattr(inner, "state") else GuardedPosition(key, inner)


def _is_position(found: Any) -> bool:
    return all(hasattr(type(found), name) for name in ("play", "moves", "diagram"))


def _checked(key: str, name: str, function: Callable[[], _Found], fits: Callable[[Any], bool]) -> _Found:
    """Return what the function of the game returns, if that fits."""

    def checked() -> _Found:
        found = function()
        if not fits(found):
            raise Nonsense(f"{name} returned {type(found).__name__}")
        return found

    return allowance.call(key, name, checked)


def _each(key: str, name: str, function: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    """Yield what the game yields; each step is a call."""
    found = allowance.call(key, name, lambda: iter(function()))
    while (move := allowance.call(key, name, next, found, _END)) is not _END:
        yield move
