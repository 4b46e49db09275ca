"""Turns that are played by themselves: what a player has prepared for the opponent's next turn, and forced turns.

What is prepared belongs to a seat and to one version of the match: the one in which the opponent is to move. Each turn
brings it up to date or makes it void, and so does whatever else moves the match on. The caller has locked the match.
"""

from dataclasses import dataclass
from itertools import islice

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from engines.core import Seat
from engines.seats import seat_of
from pbem import tokens
from pbem.matches.condition_parsing import Conditions
from pbem.matches.events import Cause, PreparedVoid, Void
from pbem.matches.queries import pack_of, version
from pbem.matches.replayed_match import Snapshot
from pbem.matches.turn_parsing import ReadTurn
from pbem.storage.models import Match, Prepared

NOTHING = Conditions()
AUTOMOVE = "automove"  # the setting for forced turns, which are played at once where it is "on"

Plans = dict[Seat, Prepared]  # what is prepared in a match, by the seat of the player who has prepared it

_SEATS = select(Prepared.seat).where(col(Prepared.match) == bindparam("match")).order_by(col(Prepared.seat))


@dataclass(frozen=True, slots=True)
class NextTurn:
    seat: Seat
    turn: ReadTurn
    why: Cause
    incoming: int | None = None


@dataclass(frozen=True, slots=True)
class Resignation:
    seat: Seat


Answer = NextTurn | Resignation | PreparedVoid


def of_match(session: Session, match: Match) -> Plans:
    seats = session.connection().execute(_SEATS, {"match": match.id}).scalars().all()  # mostly none
    return {seat_of(seat): session.get_one(Prepared, (match.id, seat)) for seat in seats}


def of_seat(session: Session, match: Match, seat: Seat) -> Conditions:
    row = session.get(Prepared, (match.id, seat))
    return _conditions(row) if row is not None and row.version == version(match) else NOTHING


def keep(session: Session, match: Match, seat: Seat, conditions: Conditions, incoming: int | None) -> Prepared:
    row = session.get(Prepared, (match.id, seat)) or Prepared(match=match.id or 0, seat=seat, version=0, lines=[])
    row.version, row.lines, row.incoming = version(match), [[*line] for line in conditions.lines], incoming
    session.add(row)
    session.flush()
    return row


def drop(session: Session, match: Match) -> tuple[Seat, ...]:
    rows = of_match(session, match)
    for row in rows.values():
        session.delete(row)
    session.flush()
    return tuple(rows)


def remove(session: Session, match: Match, seat: Seat) -> bool:
    row = session.get(Prepared, (match.id, seat))
    if row is not None:
        session.delete(row)
        session.flush()
    return row is not None


def advance(session: Session, match: Match, rows: Plans, seat: Seat, text: str) -> tuple[PreparedVoid, ...]:
    if not rows:
        return ()
    void: tuple[PreparedVoid, ...] = ()
    for owner, row in [*rows.items()]:
        left = _conditions(row).after(text) if row.version == version(match) - 1 else NOTHING
        if left.lines:
            row.version, row.lines = version(match), [[*line] for line in left.lines]
            continue
        del rows[owner]
        session.delete(row)
        if owner != seat:
            void += (PreparedVoid(match, owner, Void.OTHER_TURN),)
    session.flush()
    return void


def answer(session: Session, snapshot: Snapshot, rows: Plans, void_because: Void | None) -> Answer | None:
    """Return the turn that the player to move has prepared, or their only one, on the snapshot of the match as it is.

    Return what is void instead where `void_because` says why nothing is played by itself, or the turn isn't legal.
    """
    match, position = snapshot.match, snapshot.base
    if match.to_move is None or position.turn is None or version(match) >= tokens.LARGEST_PLY:
        return None
    seat, notation = position.turn, pack_of(match).notation
    row = rows.get(seat)
    if row is not None:
        known = _conditions(row)
        if known.resigns and void_because is None:
            return Resignation(seat)
        turn = None if void_because is not None or known.resigns else known.next_turn(notation, position)
        if turn is not None:
            return NextTurn(seat, turn, Cause.PREPARED, row.incoming)
        del rows[seat]
        session.delete(row)
        session.flush()
        return PreparedVoid(match, seat, void_because or Void.ILLEGAL)
    if void_because is not None or snapshot.players[seat].settings.get(AUTOMOVE) != "on":
        return None
    only = [*islice(position.moves(), 2)]
    if len(only) != 1:
        return None
    return NextTurn(seat, ReadTurn(notation.format(only[0], position), only[0], position.play(only[0])), Cause.FORCED)


def _conditions(row: Prepared) -> Conditions:
    return Conditions(tuple(tuple(line) for line in row.lines))
