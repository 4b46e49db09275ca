"""Matches that are lost, restored from messages about them: the newest message about each match says how it stands.

Only what this server sealed is believed (see `carried`), and it is replayed before it is stored.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text as sql
from sqlmodel import Session, select

from notation.record import BadRecord, Record, replay
from pbem.matches import earlier_turns
from pbem.matches.clock import timekeeping
from pbem.matches.clock.clock import Restored, SideRestored
from pbem.matches.watched import UNNOTICED
from pbem.messages.carried import FIELDS, CarriedMatch, Person
from pbem.storage.models import ANONYMOUS, HOUSE, IMPORTED, Match, MatchState, Player

NO_ADDRESS = (ANONYMOUS, IMPORTED)
"""How the names of rows begin that have no address, but their name once more."""


class NotRestorable(Exception):
    """Why a match can't be restored, as a sentence."""


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
) -> bool:
    """Store the match and its players as they were; return False if it is here already. Raises NotRestorable.

    `addresses` are known from messages, by the number of the player, and `told` by the operator, by name.
    """
    there = session.get(Match, carried.number)
    if there is not None:
        if (there.game, there.created) != (carried.game, carried.created):
            raise NotRestorable(f"there is another match #{carried.number}")
        return False
    record = Record(carried.game, carried.options, _names(carried), tuple(turn.text for turn in carried.turns))
    try:
        positions = replay(record)
    except BadRecord as bad:
        raise NotRestorable(f"match #{carried.number}: {bad}") from bad
    players = [_player(session, carried, person, addresses, told, now) for person in carried.people]
    is_over = carried.termination is not None
    match = Match(
        **{name: getattr(carried, name) for name in FIELDS},
        id=carried.number,
        seat0=players[0].id or 0,
        seat1=players[1].id or 0,
        state=MatchState.OVER if is_over else MatchState.RUNNING,
        plies=len(carried.turns),
        to_move=None if is_over else positions[-1].turn,
        shown=None if is_over else UNNOTICED,
    )
    session.add(match)
    session.flush()
    turns = zip(carried.turns, positions, strict=False)
    earlier_turns.store(session, carried.number, ((at.turn or 0, turn.text, turn.played) for turn, at in turns))
    if carried.left is not None:
        left = (SideRestored(each.bank, each.turns, each.used) for each in carried.left)
        timekeeping.start(session, match, carried.started)
        timekeeping.note(session, match, Restored(max(carried.written, carried.started), (next(left), next(left))))
    _count_on(session)
    return True


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
