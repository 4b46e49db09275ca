"""Boards: the matches of a round begin, a few in each transaction, so that no other message waits for all of them.

A transaction that begins some locks the tournament, and moves on what it says of how far that has come. So a match
begins once, and its players are told once, whatever crashes between, and with any number of daemons.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session, col, func, select

from pbem.features.tournaments import crosstable, entries, rounds
from pbem.features.tournaments.crosstable import Table
from pbem.features.tournaments.field import Entrant, Field, Format, Matchup
from pbem.matches import arranged
from pbem.matches.events import MatchStarted
from pbem.storage.database import lock_if_free
from pbem.storage.models import Entry, Match, Pairing, Player, Tournament


@dataclass(frozen=True, slots=True)
class Untold:
    """What players of a tournament are to be told: whom they meet in a round, or that it is over."""

    tournament: Tournament
    field: Field
    """As it was paired, or in the end; without entrants where the tournament was called off."""
    tables: tuple[Table, ...]
    """The crosstable of each group."""
    names: Mapping[int, Player]
    """Everybody who is in it, by number."""
    waiting: int
    """How many pairings are to be told of, or, at the end, players."""
    next_season: Tournament | None = None
    """The season of a league that has opened with the end of this one."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A pairing and its match; none for a bye, and where one of the two has withdrawn."""

    pair: Matchup
    event: MatchStarted | None
    players: tuple[Player, ...]


def untold(session: Session, number: int) -> Untold | None:
    """Return what players of a tournament are to be told; None if there is nothing."""
    tournament = session.get(Tournament, number)
    if tournament is None or tournament.told is None:
        return None
    names = {player.id or 0: player for _, player in entries.players_of(session, tournament)}
    is_off = tournament.started is None
    field = Field(Format(tournament.kind), (), 0) if is_off else rounds.field_of(session, tournament)
    following = session.exec(select(Tournament).where(Tournament.previous == number)).first()
    if tournament.ended is not None:
        waiting = sum(player > tournament.told for player in names)
    else:
        of_it = (Pairing.tournament == number, col(Pairing.id) > tournament.told)
        waiting = session.exec(select(func.count()).select_from(Pairing).where(*of_it)).one()
        first = session.exec(select(Pairing).where(*of_it).order_by(col(Pairing.id)).limit(1)).first()
        field = field if first is None else _as_paired(field, first)
    return Untold(tournament, field, crosstable.tables(field), names, waiting, following)


def _as_paired(field: Field, first: Pairing) -> Field:
    """Return the field without the results of matches that have begun with those that still wait."""
    since = (first.round, first.game)
    pairs = (
        replace(pair, result=None) if pair.is_played and (pair.round, pair.game) >= since else pair
        for pair in field.pairs
    )
    return replace(field, pairs=tuple(pairs))


def begin_some(session: Session, number: int, most: int, now: datetime) -> tuple[Begun, ...]:
    """Begin the matches of the next pairings; none if another daemon is at it, or if there are no more."""
    tournament = lock_if_free(session, Tournament, number)
    if tournament is None or tournament.told is None or tournament.ended is not None:
        return ()
    of_it = (Pairing.tournament == number, col(Pairing.id) > tournament.told)
    found = session.exec(select(Pairing).where(*of_it).order_by(col(Pairing.id)).limit(most + 1)).all()
    rows = found[:most]
    people = entries.locked_people(session, {player for row in rows for player in (row.first, row.second) if player})
    theirs = select(Entry).where(Entry.tournament == number, col(Entry.player).in_(people))
    left = {entry.player: rounds.left(entry, people[entry.player]) for entry in session.exec(theirs)}
    field = Field(Format(tournament.kind), tuple(Entrant(player, 0, since) for player, since in left.items()), 0)
    begun = tuple(_begin(session, tournament, row, field, people, now) for row in rows)
    if rows:
        tournament.told = rows[-1].id
    if len(found) <= most and _is_waited_for(session, number):
        tournament.told = None
    session.flush()
    return begun


def _begin(
    session: Session, tournament: Tournament, row: Pairing, field: Field, people: Mapping[int, Player], now: datetime
) -> Begun:
    """Begin the match of a pairing, or store how that is decided without one, if it is."""
    pair = rounds.pair_of(row, None, {})
    pair = pair if pair.result is not None else field.settled(pair)
    event = None
    if pair.result is not None:
        row.result = pair.result.value
    elif pair.second is not None:
        event = arranged.begin(session, tournament, people[pair.first], people[pair.second], now, pair.round)
        row.match = event.match.id
    session.flush()
    return Begun(pair, event, tuple(people[player] for player in pair.players))


def _is_waited_for(session: Session, number: int) -> bool:
    """Return whether the end of a match of the tournament hasn't been noted yet: the tournament goes on when it is."""
    match = select(Match.id).join(Pairing, col(Pairing.match) == col(Match.id)).where(Pairing.tournament == number)
    return session.exec(match.where(col(Match.reported).is_(None)).limit(1)).first() is not None


def tell_some(session: Session, number: int, most: int) -> tuple[Player, ...]:
    """Return the next players to tell of the end; none if another daemon is at it, or if all know."""
    tournament = lock_if_free(session, Tournament, number)
    if tournament is None or tournament.told is None or tournament.ended is None:
        return ()
    theirs = select(Entry.player).where(Entry.tournament == number, col(Entry.player) > tournament.told)
    found = session.exec(theirs.order_by(col(Entry.player)).limit(most + 1)).all()
    tournament.told = found[most - 1] if len(found) > most else None
    people = entries.locked_people(session, found[:most])
    session.flush()
    return tuple(people.values())
