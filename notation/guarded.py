"""The games of others, behind a guard: each call is bounded, and named where it fails.

A position of such a game is wrapped, and unwrapped where it is handed back; moves and diagrams are not. Refusals pass:
IllegalMove, BadNotation and BadOption. The games of pbem itself need no guard, and have none.

A call is watched while a budget of CPU time holds. Where it has used that up, another thread interrupts it by an
exception, as `stopit` and others do (PyThreadState_SetAsyncExc). The exception never arrives later than that: on its
way out, a call waits until the watcher has done what it was about to do, and until its exception has arrived. The time
is that of the thread alone, so neither load nor a slow disk matters.

What can't be interrupted is a single long step of C, such as `10**10**9` or a regular expression that backtracks; and
memory isn't bounded at all.
"""

import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Self, TypeVar

from engines.core import BadOption, Game, IllegalMove, Outcome, Played, Position, Seat
from engines.diagram import Diagram
from notation.core import BadNotation, Notation, TolerantReader
from notation.games import GamePack
from notation.hints import Hint

SECONDS = 5.0
"""How much CPU time a game of others may take for one message."""
EVERY = 0.05
"""How often it is looked whether a call takes too long."""
AGAIN = 1.0
"""After how much more time a call is interrupted once more that has caught the exception."""
_Found = TypeVar("_Found")
_END = object()


class PackFault(Exception):
    """A game's package raised what it shouldn't, returned nonsense, or took too long."""

    def __init__(self, key: str, call: str, why: str) -> None:
        self.key = key
        self.call = call
        super().__init__(f"the package of the game {key} failed in {call}: {why}")


class Nonsense(Exception):
    """What a game returned isn't of the right type."""


class _Interrupted(BaseException):
    """A call has used up its budget. Games that catch every Exception don't catch this one."""


class Budget:
    """What the calls of a thread into each game may take, and which of them have failed."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.left: dict[str, float] = {}
        self.faults: list[PackFault] = []
        self.thread = threading.get_ident()
        self.clock = time.pthread_getcpuclockid(self.thread)


class _Call:
    """A call that is watched. Its thread and the watcher both set attributes, in an order that matters."""

    __slots__ = ("clock", "deadline", "fired", "is_over", "settled", "thread")

    def __init__(self, budget: Budget, left: float) -> None:
        self.thread, self.clock = budget.thread, budget.clock
        self.deadline = time.clock_gettime(self.clock) + left  # never compared with another clock
        self.fired = self.settled = 0
        self.is_over = False

    def check(self) -> None:
        """Interrupt the call if it has taken too long; called by the watcher."""
        try:
            used = time.clock_gettime(self.clock)
        except OSError:  # the thread has ended
            return
        if used < self.deadline:
            return
        self.deadline = used + AGAIN
        self.fired += 1  # from here until it is settled, the call doesn't end
        if not self.is_over:
            _interrupt(self.thread)
        self.settled += 1

    def end(self) -> None:
        """Have nothing arrive from now on."""
        self.is_over = True
        while self.fired != self.settled:
            os.sched_yield()
        if self.fired:
            _let_arrive(self.thread)
        _calls.pop(self.thread, None)


_here = threading.local()
_calls: dict[int, _Call] = {}
"""The calls that are watched, by thread."""
_are_any, _pause = threading.Event(), threading.Event()
_watcher = 0
"""The process whose watcher runs."""


@contextmanager
def budget(seconds: float | None = None) -> Iterator[Budget]:
    """Let the calls of this thread into a game together take no more CPU time than that (default: SECONDS)."""
    outer = getattr(_here, "budget", None)
    _here.budget = Budget(SECONDS if seconds is None else seconds)
    try:
        yield _here.budget
    finally:
        _here.budget = outer


def attempt(make: Callable[[], _Found], seconds: float | None = None) -> _Found | None:
    """Return what is made within a budget of its own; None if a game of others fails, which isn't held against it."""
    try:
        with budget(seconds):
            return make()
    except PackFault:
        return None


def forget_faults() -> None:
    """Don't hold the failures so far against the games."""
    present: Budget | None = getattr(_here, "budget", None)
    if present is not None:
        present.faults.clear()


def call(key: str, name: str, function: Callable[..., _Found], *args: Any) -> _Found:
    """Call a function of a game and return what it returns; raise PackFault, or a refusal that it raises."""
    present: Budget | None = getattr(_here, "budget", None)
    try:
        return function(*args) if present is None else _watched(present, key, function, args)
    except (IllegalMove, BadNotation, BadOption, PackFault):
        raise
    except _Interrupted:
        why = "it took too long"
        cause: BaseException | None = None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, it is a bug of that package
        why, cause = f"{type(error).__name__}: {error}"[:200], error
    fault = PackFault(key, name, why)
    if present is not None:
        present.faults.append(fault)
    raise fault from cause


def _watched(present: Budget, key: str, function: Callable[..., _Found], args: tuple[Any, ...]) -> _Found:
    """Call the function, and let it be interrupted once the budget is used up."""
    if (left := present.left.get(key, present.seconds)) <= 0:
        raise _Interrupted
    watched = _Call(present, left)
    try:
        try:
            _calls[watched.thread] = watched
            _watch()
            return function(*args)
        finally:
            watched.is_over = True
    finally:
        try:
            watched.end()
        except _Interrupted:  # it arrived on the way out; no other will
            watched.end()
        present.left[key] = 0.0 if watched.fired else watched.deadline - time.clock_gettime(watched.clock)


def _watch() -> None:
    """Wake the watcher, or start it."""
    global _watcher
    if not _are_any.is_set():
        _are_any.set()
    if _watcher != os.getpid():
        _watcher = os.getpid()
        threading.Thread(target=_keep_watching, name="games of others", daemon=True).start()


def _keep_watching() -> None:
    while True:
        _are_any.wait()
        _pause.wait(EVERY)
        _are_any.clear()
        if calls := [*_calls.values()]:
            _are_any.set()
        for each in calls:
            each.check()


def _interrupt(thread: int) -> None:
    """Raise the exception in a thread as soon as it runs Python again, in place of one that hasn't arrived."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_Interrupted))


def _let_arrive(thread: int) -> None:
    """Return once no exception can arrive any more in this thread, as the last one has.

    CPython 3.11 goes on looking for one that was taken back instead, and a profiler then loops without end.
    """
    try:  # `suppress` isn't used, as it could arrive in its midst
        _interrupt(thread)
        while True:
            pass
    except _Interrupted:
        pass


# The guard


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
        return call(self._key, "part", lambda: self.inner.part)

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
        return bool(call(self._key, "==", lambda: self.inner == other.inner))

    def __hash__(self) -> int:
        """Return the hash of the position."""
        return call(self._key, "hash", hash, self.inner)


class GuardedSearchable(GuardedPosition):
    """A position that offers states of its own to the search."""

    __slots__ = ()

    def state(self) -> Any:
        """Return the position as the search sees it."""
        return call(self._key, "state", self.inner.state)  # type: ignore[attr-defined]


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
        return bool(call(self._key, "is_shown", self.inner.is_shown, move))

    def endings(self, position: Position[Any]) -> tuple[str, ...]:
        """Return what players can add after a turn."""
        return call(self._key, "endings", lambda: tuple(self.inner.endings(unguarded(position))))

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
        found, slips = call(key, "tolerant", reader, unguarded(position), seat, text)
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

    return call(key, name, checked)


def _each(key: str, name: str, function: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    """Yield what the game yields; each step is a call."""
    found = call(key, name, lambda: iter(function()))
    while (move := call(key, name, next, found, _END)) is not _END:
        yield move
