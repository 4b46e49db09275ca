"""Rounds: a tournament begins, its next matches are paired and begin, and it ends.

What follows is worked out before, in a transaction that only reads: pairing many players may take long. The one that
writes locks the tournament, looks at everything again, and does nothing if anything has changed since. So a round is
never paired twice; that a player is in it twice, the tables rule out as well.

Of a round that is paired, a few matches begin in each transaction, so that no other message waits for all of them. It
locks the tournament, and moves on what that says of how far this has come. So a match begins once, and its players are
told once, whatever crashes between, and with any number of daemons.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session, and_, col, func, select

from notation.ending import WITHOUT_RESULT, Termination
from notation.games import GAMES
from pbem.features.tournaments import entries, openings
from pbem.features.tournaments.matchups import Entrant, Field, Format, Matchup, Score
from pbem.features.tournaments.pairing import ROUNDS, following
from pbem.features.tournaments.standings import Table, crosstable
from pbem.matches import tournament_and_branched_matches
from pbem.matches.events import MatchStarted
from pbem.storage.database import lock_if_free
from pbem.storage.models import Entry, Match, Pairing, Player, PlayerRating, Tournament


@dataclass(frozen=True, slots=True)
class PreparedRound:
    number: int
    field: Field
    pairs: tuple[Matchup, ...]

    @property
    def is_last(self) -> bool:
        """Whether the tournament is over, since no match of it goes on or begins."""
        return not self.field.with_pairs(self.pairs).is_open


def due(session: Session, now: datetime, most: int) -> list[int]:
    """Return the tournaments that must begin, go on or end. Those of a game that isn't there stand still."""
    offered = col(Tournament.game).in_(tuple(GAMES))
    is_open = (offered, col(Tournament.started).is_(None), col(Tournament.ended).is_(None))
    closed = session.exec(select(Tournament.id).where(*is_open, Tournament.closes <= now).limit(most)).all()
    has_rounds = and_(col(Tournament.id) == col(Match.tournament), Tournament.kind != Format.LADDER, offered)
    changed = (
        select(Match.tournament)
        .join(Tournament, has_rounds)
        .where(*tournament_and_branched_matches.ARE_UNREPORTED)
        .distinct()
        .limit(most)
    )
    begins = select(Tournament.id).where(offered, col(Tournament.told).is_not(None)).limit(most)
    return [number or 0 for number in dict.fromkeys((*closed, *session.exec(changed), *session.exec(begins)))]


def prepare(session: Session, number: int, now: datetime) -> PreparedRound | None:
    tournament = session.get(Tournament, number)
    if tournament is None:
        return None
    field = _field(session, tournament, now)
    if field is None:
        return None
    return PreparedRound(number, field, following(field) if len(field.entrants) >= openings.FEWEST else ())


def advance(session: Session, prepared: PreparedRound, now: datetime) -> bool:
    """Do what is due. False if another daemon is at it, or if anything has changed meanwhile: then it is due again."""
    tournament = lock_if_free(session, Tournament, prepared.number)
    if tournament is None:
        return False
    entries.locked_people(session, session.exec(select(Entry.player).where(Entry.tournament == tournament.id)).all())
    over = tournament_and_branched_matches.unreported(session, prepared.number)
    if _field(session, tournament, now) != prepared.field:
        return False
    tournament_and_branched_matches.report(session, over, now)
    if tournament.started is None and len(prepared.field.entrants) >= openings.FEWEST:
        _begin(session, tournament, prepared.field, now)
    last = session.exec(select(func.max(Pairing.id)).where(Pairing.tournament == tournament.id)).one() or 0
    for pair in prepared.pairs:
        row = Pairing(tournament=prepared.number, round=pair.round, board=pair.board, game=pair.game, first=pair.first)
        row.second, row.result = pair.second, None if pair.result is None else pair.result.value
        session.add(row)
    if prepared.is_last:
        tournament.ended, tournament.told = now, 0
    elif tournament.told is None or tournament.told >= last:
        tournament.told = last if prepared.pairs else None
    session.flush()
    return True


def _field(session: Session, tournament: Tournament, now: datetime) -> Field | None:
    if tournament.ended is not None or (tournament.started is None and tournament.closes > now):
        return None
    return seeded(session, tournament) if tournament.started is None else field_of(session, tournament)


def _begin(session: Session, tournament: Tournament, field: Field, now: datetime) -> None:
    """Store who takes part, and by what seed."""
    tournament.started, tournament.rounds, tournament.at_once = now, field.rounds, field.at_once
    seeds = {entrant.player: entrant.seed for entrant in field.entrants}
    for entry, _ in entries.players_of(session, tournament):
        entry.seed = seeds.get(entry.player)
    session.flush()


def seeded(session: Session, tournament: Tournament) -> Field:
    """Return the field of a tournament that begins: by ratings, those without one last; then who entered first."""
    present = [entry for entry, player in entries.players_of(session, tournament) if left(entry, player) is None]
    of_game = (PlayerRating.game == tournament.game, col(PlayerRating.superseded).is_(None))
    theirs = col(PlayerRating.player).in_([entry.player for entry in present])
    rows = session.exec(select(PlayerRating).where(theirs, *of_game))
    ratings = {row.player: row.rating for row in rows}
    in_order = sorted(present, key=lambda entry: (-ratings.get(entry.player, 0.0), entry.entered, entry.player))
    entrants = tuple(Entrant(entry.player, seed) for seed, entry in enumerate(in_order, start=1))
    kind = Format(tournament.kind)
    rounds = ROUNDS[kind](len(entrants), tournament.wanted_rounds)
    # Of a round robin, all rounds are played at the same time, unless its host wants fewer.
    at_once = min(tournament.at_once or rounds, max(rounds, 1)) if kind is Format.ROUND_ROBIN else 1
    return Field(kind, entrants, rounds, at_once)


def left(entry: Entry, player: Player) -> datetime | None:
    times = [time for time in (entry.withdrawn, player.banned, player.deleted) if time is not None]
    return min(times, default=None)


def field_of(session: Session, tournament: Tournament) -> Field:
    entrants = {
        entry.player: Entrant(entry.player, entry.seed, left(entry, player))
        for entry, player in entries.players_of(session, tournament)
        if entry.seed is not None
    }
    kind, rounds = Format(tournament.kind), tournament.rounds or 0
    pairs = tuple(pair_of(pairing, match, entrants) for pairing, match in pairings_of(session, tournament))
    return Field(kind, tuple(entrants.values()), rounds, tournament.at_once or 1, pairs)


def pairings_of(session: Session, tournament: Tournament) -> list[tuple[Pairing, Match | None]]:
    rows = select(Pairing, Match).join(Match, col(Match.id) == col(Pairing.match), isouter=True)
    in_order = (col(Pairing.round), col(Pairing.game), col(Pairing.board))
    return list(session.exec(rows.where(Pairing.tournament == tournament.id).order_by(*in_order)).all())


def pair_of(pairing: Pairing, match: Match | None, entrants: Mapping[int, Entrant]) -> Matchup:
    pair = Matchup(pairing.round, pairing.board, pairing.first, pairing.second, game=pairing.game)
    if match is None:
        return pair if pairing.result is None else replace(pair, result=Score(pairing.result), is_played=False)
    if match.ended is None:
        return pair
    if match.termination is None or Termination(match.termination) in WITHOUT_RESULT:
        # It is won by the one who stays, if the other had left by then.
        left = [(time := entrants[player].withdrawn) is not None and time <= match.ended for player in pair.players]
        result = Score.NEITHER if left.count(True) != 1 else Score.SECOND if left[0] else Score.FIRST
        return replace(pair, result=result, is_played=False)
    if match.winner is None:
        return replace(pair, result=Score.DRAW)
    winner = (match.seat0, match.seat1)[match.winner]
    return replace(pair, result=Score.FIRST if winner == pair.first else Score.SECOND)


@dataclass(frozen=True, slots=True)
class TournamentNews:
    tournament: Tournament
    field: Field  # as it was paired, or in the end; without entrants where the tournament was called off
    table: Table
    names: Mapping[int, Player]
    waiting: int  # how many pairings are to be told of, or, at the end, players


@dataclass(frozen=True, slots=True)
class BegunPairing:
    """A pairing and its match; none for a bye, and where one of the two has withdrawn."""

    pair: Matchup
    event: MatchStarted | None
    players: tuple[Player, ...]


def news_of(session: Session, number: int) -> TournamentNews | None:
    tournament = session.get(Tournament, number)
    if tournament is None or tournament.told is None:
        return None
    names = {player.id or 0: player for _, player in entries.players_of(session, tournament)}
    is_off = tournament.started is None
    field = Field(Format(tournament.kind), (), 0) if is_off else field_of(session, tournament)
    if tournament.ended is not None:
        waiting = sum(player > tournament.told for player in names)
    else:
        of_it = (Pairing.tournament == number, col(Pairing.id) > tournament.told)
        waiting = session.exec(select(func.count()).select_from(Pairing).where(*of_it)).one()
        first = session.exec(select(Pairing).where(*of_it).order_by(col(Pairing.id)).limit(1)).first()
        if first is not None:  # results of matches that have begun with those that still wait don't count yet
            since = (first.round, first.game)
            new = {pair for pair in field.pairs if pair.is_played and (pair.round, pair.game) >= since}
            pairs = (replace(pair, result=None) if pair in new else pair for pair in field.pairs)
            field = replace(field, pairs=tuple(pairs))
    return TournamentNews(tournament, field, crosstable(field), names, waiting)


def begin_some(session: Session, number: int, most: int, now: datetime) -> tuple[BegunPairing, ...]:
    """Begin the matches of the next pairings; none if another daemon is at it, or if there are no more."""
    tournament = lock_if_free(session, Tournament, number)
    if tournament is None or tournament.told is None or tournament.ended is not None:
        return ()
    of_it = (Pairing.tournament == number, col(Pairing.id) > tournament.told)
    pairings = session.exec(select(Pairing).where(*of_it).order_by(col(Pairing.id)).limit(most + 1)).all()
    rows = pairings[:most]
    people = entries.locked_people(session, {player for row in rows for player in (row.first, row.second) if player})
    theirs = select(Entry).where(Entry.tournament == number, col(Entry.player).in_(people))
    gone = {entry.player: left(entry, people[entry.player]) for entry in session.exec(theirs)}
    field = Field(Format(tournament.kind), tuple(Entrant(player, 0, since) for player, since in gone.items()), 0)
    begun = tuple(_begin_match(session, tournament, row, field, people, now) for row in rows)
    if rows:
        tournament.told = rows[-1].id
    # Until the end of each match is noted, the tournament waits for that.
    unreported = select(Match.id).join(Pairing, col(Pairing.match) == col(Match.id))
    unreported = unreported.where(Pairing.tournament == number, col(Match.reported).is_(None)).limit(1)
    if len(pairings) <= most and session.exec(unreported).first() is not None:
        tournament.told = None
    session.flush()
    return begun


def _begin_match(
    session: Session, tournament: Tournament, row: Pairing, field: Field, people: Mapping[int, Player], now: datetime
) -> BegunPairing:
    """Begin the match of a pairing, or store how that is decided without one, if it is."""
    pair = pair_of(row, None, {})
    pair = pair if pair.result is not None else field.settled(pair)
    event = None
    if pair.result is not None:
        row.result = pair.result.value
    elif pair.second is not None:
        event = tournament_and_branched_matches.begin(
            session, tournament, people[pair.first], people[pair.second], now, pair.round
        )
        row.match = event.match.id
    session.flush()
    return BegunPairing(pair, event, tuple(people[player] for player in pair.players))


def tell_some(session: Session, number: int, most: int) -> tuple[Player, ...]:
    """Return the next players to tell of the end; none if another daemon is at it, or if all know."""
    tournament = lock_if_free(session, Tournament, number)
    if tournament is None or tournament.told is None or tournament.ended is None:
        return ()
    theirs = select(Entry.player).where(Entry.tournament == number, col(Entry.player) > tournament.told)
    numbers = session.exec(theirs.order_by(col(Entry.player)).limit(most + 1)).all()
    tournament.told = numbers[most - 1] if len(numbers) > most else None
    people = entries.locked_people(session, numbers[:most])
    session.flush()
    return tuple(people.values())
