"""Matches that are lost, restored from messages about them: the newest message about each match says how it stands.

Only what this server sealed is believed (see `carried`), and it is replayed before it is stored. A match that is here,
from an older backup, is brought up to date unless it was played on since.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import text as sql
from sqlmodel import Session, col, select

from engines.core import BadOption
from notation.guarded import PackFault
from notation.record import BadRecord, Record, replay
from pbem.matches import prepared, queries, replays
from pbem.matches.clock import timekeeping
from pbem.matches.clock.clock import Restored, SideRestored, TurnsTakenBack
from pbem.matches.watched import UNNOTICED
from pbem.messages.carried import FIELDS, UNDONE, CarriedMatch, Person
from pbem.storage.models import ANONYMOUS, HOUSE, IMPORTED, Match, MatchState, Player, Ply, TakenBack

AFRESH: dict[str, Any] = {"part": None, "offers": {}, "paused": None, "resumes": None}
"""What messages don't say, for a match that has gone on."""
NO_ADDRESS = (ANONYMOUS, IMPORTED)
"""How the names of rows begin that have no address, but their name once more."""


class NotRestorable(Exception):
    """Why a match can't be restored, as a sentence."""


class Salvaged(StrEnum):
    """What became of a match that messages are about."""

    RESTORED = "restored"
    UPDATED = "brought up to date"
    HERE = "already here"


@dataclass(frozen=True, slots=True)
class FoundMessages:
    """What messages say: the newest state of each match, and the newest address of each of their readers."""

    matches: tuple[CarriedMatch, ...]
    addresses: Mapping[int, str]


def newest(carried: Iterable[CarriedMatch]) -> FoundMessages:
    """Return what those messages say together."""
    matches: dict[int, CarriedMatch] = {}
    addresses: dict[int, str] = {}
    for each in sorted(carried, key=lambda each: (each.written, len(each.turns) + each.shift)):
        matches[each.number], addresses[each.reader] = each, each.address
    return FoundMessages(tuple(matches[number] for number in sorted(matches)), addresses)


def restore(
    session: Session, carried: CarriedMatch, addresses: Mapping[int, str], told: Mapping[str, str], now: datetime
) -> Salvaged:
    """Store the match and its players as they were, unless it is here as it was then. Raises NotRestorable.

    `addresses` are known from messages, by the number of the player, and `told` by the operator, by name.
    """
    there = queries.locked(session, carried.number)
    turns = [] if there is None else _turns(session, there)
    if there is not None:
        _require_same(there, turns, carried)
        if not _is_older(there, carried):
            return Salvaged.HERE
    texts = tuple(turn.text for turn in carried.turns)
    try:
        record = Record(carried.game, carried.options, _names(carried), texts, version=carried.rules)
        positions = replay(record)
    except (BadOption, BadRecord, PackFault) as bad:
        raise NotRestorable(f"match #{carried.number}: {bad}") from bad
    players = [_player(session, carried, person, addresses, told, now) for person in carried.people]
    is_over = carried.termination is not None
    known: dict[str, Any] = {name: getattr(carried, name) for name in FIELDS} | {
        "seat0": players[0].id,
        "seat1": players[1].id,
        "state": MatchState.OVER if is_over else MatchState.RUNNING,
        "plies": len(carried.turns),
        "to_move": None if is_over else positions[-1].turn,
    }
    if there is None:
        match, shift, kept = Match(**known, id=carried.number, shown=None if is_over else UNNOTICED), 0, 0
        session.add(match)
        session.flush()
    else:
        match, shift, kept = there, there.shift, _kept(session, there, turns, carried)
        for name, value in (known | AFRESH).items():
            setattr(match, name, value)
        prepared.drop(session, match)
    played = [(at.turn or 0, turn.text, turn.played) for turn, at in zip(carried.turns, positions, strict=False)]
    undone = [each for each in carried.undone if each.shift >= shift]
    session.add_all(
        TakenBack(match=carried.number, **{name: getattr(each, name) for name in UNDONE}) for each in undone
    )
    replays.store_turns(session, carried.number, played[kept:], after=kept)
    _set_clock(session, match, carried)
    _count_on(session)
    return Salvaged.RESTORED if there is None else Salvaged.UPDATED


def _turns(session: Session, match: Match) -> Sequence[Ply]:
    return session.exec(select(Ply).where(Ply.match == match.id).order_by(col(Ply.number))).all()


def _kept(session: Session, match: Match, turns: Sequence[Ply], carried: CarriedMatch) -> int:
    """Delete the turns that were taken back since. Return the number of those that stay."""
    gone = (each.number for each in carried.undone if each.shift >= match.shift)
    kept = min(gone, default=1) - 1 if match.shift != carried.shift else len(turns)
    for turn in turns[kept:]:
        session.delete(turn)
    session.flush()
    return min(kept, len(turns))


def _require_same(match: Match, turns: Sequence[Ply], carried: CarriedMatch) -> None:
    """Raise NotRestorable if that isn't the match that the message is about, or if it was played on otherwise."""
    if (match.game, match.created) != (carried.game, carried.created):
        raise NotRestorable(f"there is another match #{carried.number}")
    pairs = zip(turns, carried.turns, strict=False)
    differs = next((here for here, there in pairs if here.text != there.text), None)
    if match.shift == carried.shift and differs is not None:
        raise NotRestorable(f"match #{carried.number} was played on otherwise since: turn {differs.number} differs")
    if match.shift < carried.shift and turns and turns[-1].played > carried.written:
        raise NotRestorable(f"match #{carried.number} was played on since the newest message about it")


def _is_older(match: Match, carried: CarriedMatch) -> bool:
    """Return whether the match here is as it was before that message; what has ended stays as it ended."""
    if match.state == MatchState.OFFERED:
        return True
    here, there = queries.version(match), len(carried.turns) + carried.shift
    is_later = here < there or (here == there and carried.termination is not None)
    return match.state == MatchState.RUNNING and is_later


def _set_clock(session: Session, match: Match, carried: CarriedMatch) -> None:
    """Let both players have the time that they had then; nobody's runs until a message is handed over."""
    if carried.left is None:
        return
    if match.clock is None:
        timekeeping.start(session, match, carried.started)
    clock = timekeeping.clock_of(match)
    at = max(carried.written, carried.started, *(() if clock is None else (clock.now,)))
    left = (SideRestored(each.bank, each.turns, each.used) for each in carried.left)
    timekeeping.note(session, match, TurnsTakenBack(at))
    timekeeping.note(session, match, Restored(at, (next(left), next(left))))


def _names(carried: CarriedMatch) -> tuple[str, str]:
    first, second = carried.people
    return first.name, second.name


def _player(
    session: Session,
    carried: CarriedMatch,
    person: Person,
    addresses: Mapping[int, str],
    told: Mapping[str, str],
    now: datetime,
) -> Player:
    """Return the row of a player of the match; add it with its number, so that reply addresses keep working."""
    found = session.get(Player, person.id)
    if found is not None:
        if found.name is None:
            raise NotRestorable(
                f"match #{carried.number}: {person.name} hasn't joined here yet; do this again once they have: "
                f'"join {person.name}"'
            )
        if found.name != person.name:
            raise NotRestorable(f"match #{carried.number}: player {person.id} is {found.name} here, not {person.name}")
        return found
    is_nobody = person.name.startswith(NO_ADDRESS)
    is_house = carried.level is not None and person.id != carried.reader
    known = HOUSE if is_house else person.name if is_nobody else None
    address = known or told.get(person.name) or addresses.get(person.id)
    if address is None:
        raise NotRestorable(
            f"match #{carried.number}: the address of {person.name} isn't known; give --player {person.name}=ADDRESS"
        )
    taken = session.exec(select(Player).where((Player.name == person.name) | (Player.address == address))).first()
    if taken is not None:
        raise NotRestorable(f"match #{carried.number}: {person.name}, {address} is somebody else here, {taken.name}")
    row = Player(
        id=person.id,
        name=person.name,
        address=address,
        epoch=person.epoch,
        confirmed=None if is_nobody else carried.started,
        deleted=now if is_nobody else None,
        created=carried.started,
    )
    session.add(row)
    session.flush()
    return row


def _count_on(session: Session) -> None:
    """Let PostgreSQL give the next player a number after those that were restored."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(sql("SELECT setval(pg_get_serial_sequence('player', 'id'), (SELECT max(id) FROM player))"))
