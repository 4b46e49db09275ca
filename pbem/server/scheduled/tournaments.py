"""Tournaments: they begin, their next rounds are paired, and they end; everybody in them is told, in one message each.

Each has a transaction of its own, which holds its matches and all that is owed: a crash leaves everything due again,
and of several daemons only one does it (see pbem.tournaments.rounds).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy import Engine, exists, or_
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col

from pbem.config import ServerSettings
from pbem.payloads.sections import TurnPlayed
from pbem.payloads.tournaments import Crosstable, RoundBegun, RoundWithoutMatch, TournamentEnded
from pbem.players import announcements
from pbem.server.scheduled.each import AT_ONCE, NOW, each
from pbem.storage.database import read_only
from pbem.storage.models import Match, Player, Tournament
from pbem.storage.outbox import Mailer
from pbem.tokens import Purpose
from pbem.tournaments import entries, rounds, shown
from pbem.tournaments.entries import State
from pbem.tournaments.field import Pair
from pbem.tournaments.rounds import Advanced, Prepared

log = structlog.get_logger()

ARE_DUE = or_(
    exists().where(col(Tournament.started).is_(None), col(Tournament.ended).is_(None), col(Tournament.closes) <= NOW),
    exists().where(col(Match.tournament).is_not(None), col(Match.ended).is_not(None), col(Match.reported).is_(None)),
)
"""Whether there are any in which something may follow."""


def advance(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    """Do what is due in each tournament. Return in how many something was done."""
    prepared = dict(_prepared(engine, now, stopped))
    act = partial(_advance, prepared=prepared, server=server, now=now)
    return each(engine, prepared, act, stopped, doing="tournaments")


def _prepared(engine: Engine, now: datetime, stopped: Callable[[], bool]) -> Iterator[tuple[int, Prepared]]:
    """Yield what is due, worked out without any lock: to pair many players can take seconds."""
    with read_only(engine) as session:
        numbers = rounds.due(session, now, AT_ONCE)
    for number in numbers:
        if stopped():
            return
        try:
            with read_only(engine) as session:
                found = rounds.prepare(session, number, now)
        except DBAPIError:
            raise
        except Exception:  # a bug: other tournaments must not wait for this one
            log.exception("a tournament can't go on", tournament=number)
            continue
        if found is not None:
            yield number, found


def _advance(
    session: Session, number: int, prepared: Mapping[int, Prepared], server: ServerSettings, now: datetime
) -> bool:
    """Do what is due in a tournament, and queue the messages about it. Return whether anything was done."""
    advanced = rounds.advance(session, prepared[number], now)
    if advanced is None:  # another daemon is at it
        return False
    over = advanced.tournament.ended is not None
    new = prepared[number].step.pairs
    if over:
        _tell_the_end(session, server, advanced, now)
    else:
        _tell_the_round(session, server, advanced, new, now)
    log.info("tournament", tournament=number, matches=len(advanced.begun), over=over)
    return True


def _tell_the_round(
    session: Session, server: ServerSettings, advanced: Advanced, new: tuple[Pair, ...], now: datetime
) -> None:
    """Tell everybody who meets whom, with the first message of their match, or with one of its own for a bye."""
    tournament, names = advanced.tournament, shown.names_of(advanced.names.values())
    number, title, last = tournament.id or 0, tournament.title, tournament.rounds or 0
    matches = [event.match for event in advanced.begun]
    several = {player for player in names if sum(player in (match.seat0, match.seat1) for match in matches) > 1}
    games = {match.id: pair.game for match, pair in zip(matches, _to_play(new), strict=True)}
    for notice in announcements.notices(session, advanced.begun):
        assert isinstance(notice.payload, TurnPlayed)  # noqa: S101 - that is the news of a match that begins
        player, match = notice.player.id or 0, notice.match
        begun = RoundBegun(
            number=number,
            title=title,
            round=match.round or 0,
            rounds=last,
            game=games[match.id],
            table=_table(advanced, names, player) if player not in several else None,
        )
        told = replace(notice, payload=replace(notice.payload, tournament=begun), is_collected=player in several)
        announcements.notify(session, server, now, told)
    busy = {player for match in matches for player in (match.seat0, match.seat1)}
    mailer = Mailer(session, server, now)
    for pair in new:
        for player in _without_match(advanced, pair, busy):
            opponent = pair.opponent_of(player)
            idle = RoundWithoutMatch(
                number=number,
                title=title,
                round=pair.round,
                rounds=last,
                why="bye" if opponent is None else "forfeit",
                opponent=names[opponent] if opponent is not None else "",
                table=_table(advanced, names, player),
            )
            mailer.to_player(advanced.names[player], idle, purpose=Purpose.PERSONAL, is_notice=True)


def _to_play(pairs: tuple[Pair, ...]) -> Iterator[Pair]:
    """Yield the pairings that have a match."""
    return (pair for pair in pairs if pair.result is None)


def _without_match(advanced: Advanced, pair: Pair, busy: set[int]) -> Iterator[int]:
    """Yield who of a pairing without a match is to be told of it: who plays on, and has no other match."""
    for player in pair.players if pair.result is not None else ():
        is_there = advanced.field.entrant(player).is_playing and wants_news(advanced.names[player])
        if is_there and player not in busy:
            yield player


def wants_news(player: Player) -> bool:
    """Return whether a player is to be told of tournaments."""
    return player.stopped is None and player.deleted is None and player.banned is None


def _table(advanced: Advanced, names: Mapping[int, str], reader: int) -> Crosstable | None:
    """Return the crosstable for a reader; none in the first round, of which it says nothing."""
    if advanced.field.last_round <= advanced.field.at_once:
        return None
    return shown.shown(advanced.table, names, reader, shown.MOST_ROWS)


def _tell_the_end(session: Session, server: ServerSettings, advanced: Advanced, now: datetime) -> None:
    """Send everybody the final report, or the news that there were too few of them."""
    tournament, names = advanced.tournament, shown.names_of(advanced.names.values())
    is_over = entries.state_of(tournament) is State.OVER
    mailer = Mailer(session, server, now)
    results = shown.all_rounds(advanced.field, names) if is_over else ()
    for number, player in advanced.names.items():
        if not wants_news(player):
            continue
        table = shown.shown(advanced.table, names, number) if is_over else None
        told = TournamentEnded(
            line=shown.line(tournament, len(names), now, round_=advanced.field.last_round),
            place=shown.place_of(advanced.table, number),
            winners=shown.winners(advanced.table, names) if is_over else (),
            table=table,
            results=results,
        )
        mailer.to_player(player, told, purpose=Purpose.PERSONAL, is_notice=True)
