"""Checks of stored matches by replay, which find what a rule fix, a bug or a damaged disk has broken."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from sqlmodel import Session, col, select

from engines.core import BadOption, IllegalMove
from notation.core import BadNotation
from notation.games import GAMES, GameMissing
from notation.record import BadRecord, replay
from notation.time_control import BadTime
from pbem.matches.clock import timekeeping
from pbem.matches.queries import version
from pbem.matches.replayed_match import record_of
from pbem.storage.models import ClockEvent, Match, MatchState, Player, Ply, Prepared, TakenBack


@dataclass(frozen=True, slots=True)
class Fault:
    match: int
    sentence: str


def played(session: Session) -> list[int]:
    states = (MatchState.RUNNING, MatchState.OVER)
    return list(session.scalars(select(col(Match.id)).where(col(Match.state).in_(states)).order_by(col(Match.id))))


def faults(session: Session, matches: Sequence[Match]) -> Iterator[list[Fault]]:
    """Yield for each match what is wrong with it; nothing where all is well.

    Takes five statements, and loads all that is stored of those matches: use some hundred at a time.
    """
    for stored in _gathered(session, matches):
        yield list(_faults(stored))


@dataclass(slots=True)
class _Stored:
    match: Match
    players: tuple[Player, Player]
    turns: list[Any] = field(default_factory=list)  # rows of number, seat and text
    taken_back: list[TakenBack] = field(default_factory=list)
    prepared: list[Prepared] = field(default_factory=list)
    clock: list[ClockEvent] = field(default_factory=list)


def _gathered(session: Session, matches: Sequence[Match]) -> Iterable[_Stored]:
    numbers = [match.id for match in matches]
    seats = {seat for match in matches for seat in (match.seat0, match.seat1)}
    players = {player.id: player for player in session.exec(select(Player).where(col(Player.id).in_(seats)))}
    stored = {match.id: _Stored(match, (players[match.seat0], players[match.seat1])) for match in matches}
    turns = select(Ply.match, Ply.number, Ply.seat, Ply.text).where(col(Ply.match).in_(numbers))
    for turn in session.execute(turns.order_by(col(Ply.match), col(Ply.number))):
        stored[turn.match].turns.append(turn)
    undone = select(TakenBack).where(col(TakenBack.match).in_(numbers))
    for row in session.exec(undone.order_by(col(TakenBack.shift), col(TakenBack.number))):
        stored[row.match].taken_back.append(row)
    for ready in session.exec(select(Prepared).where(col(Prepared.match).in_(numbers)).order_by(col(Prepared.seat))):
        stored[ready.match].prepared.append(ready)
    for event in timekeeping.rows_of(session, matches):
        stored[event.match].clock.append(event)
    return stored.values()


def _faults(stored: _Stored) -> Iterator[Fault]:
    match, rows = stored.match, stored.turns
    number = match.id or 0
    try:
        notation = GAMES.of_version(match.game, match.rules).notation
    except GameMissing as missing:
        yield Fault(number, str(missing))
        return
    for expected, ply in enumerate(rows, start=1):
        if ply.number != expected:
            yield Fault(number, f"turn {expected} is missing")
            return
    try:
        positions = replay(record_of(match, stored.players, tuple(ply.text for ply in rows)))
    except (BadOption, BadRecord) as error:
        yield Fault(number, str(error))
        return
    for ply, before in zip(rows, positions, strict=False):
        if ply.seat != before.turn:
            yield Fault(number, f"turn {ply.number} is stored for seat {ply.seat}, but seat {before.turn} was to move")
        canonical = notation.format(notation.parse(ply.text), before)
        if canonical != ply.text:
            yield Fault(number, f"turn {ply.number} is stored as {ply.text!r}, not as {canonical!r}")
    position = positions[-1]
    if match.part is not None:
        try:
            position.play(notation.parse(match.part))
        except (BadNotation, IllegalMove) as error:
            yield Fault(number, f"the begun turn {match.part!r}: {error}")
    outcome = position.outcome
    if match.plies != len(rows):
        yield Fault(number, f"{match.plies} turns are counted, but {len(rows)} are stored")
    shift = _shift_of(stored.taken_back)
    if match.shift != shift:
        yield Fault(number, f"its version is {match.shift} ahead of its turns, but what was taken back makes {shift}")
    to_move = position.turn if match.state == MatchState.RUNNING else None
    if match.to_move != to_move and (match.state == MatchState.RUNNING) == (outcome is None):
        yield Fault(number, f"it is stored to be the turn of {_whose(match.to_move)}, not of {_whose(to_move)}")
    if (match.state == MatchState.OVER) != (match.termination is not None):
        yield Fault(number, f"it is {match.state}, but its termination is {match.termination}")
    for row in stored.prepared:
        if row.version != version(match) or to_move in (None, row.seat):
            yield Fault(
                number, f"what seat {row.seat} has prepared is for version {row.version}, with seat {to_move} to move"
            )
    yield from _faults_of_clock(stored)
    if outcome is not None and (match.state != MatchState.OVER or match.winner != outcome.winner):
        yield Fault(number, f"the turns end the match (winner: seat {outcome.winner}), but that isn't what is stored")


def _faults_of_clock(stored: _Stored) -> Iterator[Fault]:
    match = stored.match
    number = match.id or 0
    try:
        clock, stored_clock = timekeeping.replayed(match, stored.clock), timekeeping.clock_of(match)
    except (BadTime, ValueError, KeyError) as error:
        yield Fault(number, f"its clock can't be read: {error}")
        return
    if clock != stored_clock:
        yield Fault(number, "its clock is not what its events add up to")
    elif match.due != (None if clock is None else clock.expires):
        yield Fault(number, f"it is stored to be due at {match.due}, but its clock is due at {clock and clock.expires}")


def _shift_of(rows: Sequence[TakenBack]) -> int:
    """Return the shift that a match has after those turns were taken back: each takeback adds its turns, and one."""
    shift = 0
    for before, undone in groupby(rows, key=lambda row: row.shift):
        if before == shift:  # otherwise some are missing, and the sum is wrong
            shift += len(list(undone)) + 1
    return shift


def _whose(seat: int | None) -> str:
    return "nobody" if seat is None else f"seat {seat}"
