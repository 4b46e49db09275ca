"""Tournaments by time: they begin, their rounds are paired, they end, and ladders change; everybody in them is told.

A round is paired in one transaction, and then a few of its matches begin in each, with all that is owed; a ladder has a
transaction of its own, in which its matches are noted. So a crash leaves the others due, and of several daemons, only
one does it (see `rounds` and `ladders`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from math import ceil
from typing import Any, TypeVar

import structlog
from sqlalchemy import Engine, exists, or_
from sqlmodel import Session, col

from pbem.config import ServerSettings
from pbem.features.tournaments import entries, ladders, openings, rounds, tournament_views
from pbem.features.tournaments.ladders import Rungs
from pbem.features.tournaments.matchups import Format
from pbem.features.tournaments.openings import TournamentState
from pbem.features.tournaments.rounds import BegunPairing, PreparedRound, TournamentNews
from pbem.features.tournaments.tournament_views import RoundWithoutMatch, RungChanged, TournamentEnded
from pbem.matches import tournament_and_branched_matches
from pbem.matches.shown_names import name
from pbem.messages import delivery_choices
from pbem.messages.contents.answer_sections import Crosstable, RoundBegun, TurnNews
from pbem.players import match_event_notices
from pbem.players.queue_match_news import notify
from pbem.storage.database import read_only
from pbem.storage.due_rows import NOW, Due, act_on
from pbem.storage.mailer import NEWS, Mailer
from pbem.storage.models import Entry, Match, Player, Tournament
from pbem.storage.preference_definition import ON
from pbem.storage.setbacks import Setbacks, at_once
from pbem.tokens import Purpose

log = structlog.get_logger()
Finding = TypeVar("Finding")

ROUNDS_ARE_DUE = or_(
    exists().where(col(Tournament.started).is_(None), col(Tournament.ended).is_(None), col(Tournament.closes) <= NOW),
    exists().where(*tournament_and_branched_matches.ARE_UNREPORTED),
    exists().where(col(Tournament.told).is_not(None)),
)
FEW = 2  # how many matches begin, and how many players get a final report, in a transaction: others wait meanwhile


def advance(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    with read_only(engine) as session:
        numbers = rounds.due(session, now, at_once(session, "tournaments"))
    due = dict(_read(engine, numbers, stopped, now, partial(rounds.prepare, now=now)))
    acted = act_on(engine, due, partial(_advance, due=due, now=now), stopped, now, doing="tournaments")
    news = dict(_read(engine, numbers, stopped, now, rounds.news_of))
    parts = [number for number, of_one in news.items() for _ in range(max(1, ceil(of_one.waiting / FEW)))]
    tell = partial(_tell_some, news=news, server=server, now=now)
    return acted + act_on(engine, parts, tell, stopped, now, doing="rounds of tournaments")


def _read(
    engine: Engine,
    numbers: Iterable[int],
    stopped: Callable[[], bool],
    now: datetime,
    read: Callable[[Session, int], Finding | None],
) -> Iterator[tuple[int, Finding]]:
    """Yield what is read of tournaments, without any lock: to pair many players can take seconds."""
    setbacks = Setbacks(engine, "tournaments that are looked at", now)
    for number in setbacks.ready(numbers):
        if stopped():
            return
        finding = None
        with setbacks.noting(number), read_only(engine) as session:
            finding = read(session, number)
        if finding is not None:
            yield number, finding


def _advance(session: Session, number: int, due: Mapping[int, PreparedRound], now: datetime) -> bool:
    """Return whether anything was done; if not, another daemon is at it."""
    has_acted = rounds.advance(session, due[number], now)
    if has_acted:
        log.info("tournament", tournament=number, pairings=len(due[number].pairs), over=due[number].is_last)
    return has_acted


def _tell_some(
    session: Session, number: int, news: Mapping[int, TournamentNews], server: ServerSettings, now: datetime
) -> bool:
    """Begin some matches of a round and tell their players, or tell some that it is over. Return whether any."""
    if news[number].tournament.ended is not None:
        recipients = rounds.tell_some(session, number, FEW)
        _tell_the_end(session, server, news[number], recipients, now)
        return bool(recipients)
    boards = rounds.begin_some(session, number, FEW, now)
    for board in boards:
        _tell_the_round(session, server, news[number], board, now)
    return bool(boards)


def _tell_the_round(
    session: Session, server: ServerSettings, news: TournamentNews, board: BegunPairing, now: datetime
) -> None:
    tournament, names = news.tournament, tournament_views.names_of(news.names.values())
    own = (board.pair.round, board.pair.board, board.pair.game)
    running = [pair for pair in news.field.pairs if pair.result is None]
    others = {player for pair in running if (pair.round, pair.board, pair.game) != own for player in pair.players}
    this: dict[str, Any] = {"number": tournament.id or 0, "title": tournament.title}
    this |= {"round": board.pair.round, "rounds": tournament.rounds or 0}
    for notice in match_event_notices.notices(session, [board.event] if board.event is not None else []):
        assert isinstance(notice.payload, TurnNews)  # noqa: S101 - that is the news of a match that begins
        reader = notice.player.id or 0
        table = None if reader in others else _table(news, names, reader)
        begun = RoundBegun(**this, game=board.pair.game, table=table)
        payload = replace(notice.payload, tournament=begun)
        notify(session, server, now, replace(notice, payload=payload, is_collected=reader in others))
    for player in board.players if board.event is None else ():
        reader = player.id or 0
        if not wants_news(player) or not news.field.entrant(reader).is_playing or reader in others:
            continue
        opponent = board.pair.opponent_of(reader)
        why, name = ("bye", "") if opponent is None else ("forfeit", names[opponent])
        idle = RoundWithoutMatch(**this, why=why, opponent=name, table=_table(news, names, reader))
        Mailer(session, server, now).to_player(player, idle, purpose=Purpose.PERSONAL, delivery=NEWS)


def wants_news(player: Player) -> bool:
    is_wanted = delivery_choices.TOURNAMENTS.of(player.settings) == ON
    return is_wanted and player.stopped is None and player.deleted is None and player.banned is None


def _table(news: TournamentNews, names: Mapping[int, str], reader: int) -> Crosstable | None:
    if news.field.last_round <= news.field.at_once:
        return None
    return tournament_views.shown(news.table, names, reader, tournament_views.MOST_ROWS)


def _tell_the_end(
    session: Session, server: ServerSettings, news: TournamentNews, people: Iterable[Player], now: datetime
) -> None:
    tournament, names = news.tournament, tournament_views.names_of(news.names.values())
    is_over = openings.state_of(tournament) is TournamentState.OVER
    mailer = Mailer(session, server, now)
    for player in filter(wants_news, people):
        number = player.id or 0
        report = TournamentEnded(
            line=tournament_views.line(tournament, len(names), now, round_=news.field.last_round),
            place=next((row.place for row in news.table.rows if row.entrant.player == number), 0),
            winners=tournament_views.winners(news.table, names) if is_over else (),
            table=tournament_views.shown(news.table, names, number) if is_over else None,
        )
        mailer.to_player(player, report, purpose=Purpose.PERSONAL, delivery=NEWS)


TOP = 10  # how many rungs a message about the end of a ladder shows, besides the reader's
LADDERS_ARE_DUE = or_(
    exists().where(
        *tournament_and_branched_matches.ARE_UNREPORTED,
        *(col(Tournament.id) == col(Match.tournament), col(Tournament.kind) == Format.LADDER),
    ),
    exists().where(col(Entry.rung).is_not(None), col(Entry.withdrawn).is_not(None)),
)


def settle_ladders(
    engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False
) -> int:
    """Apply to ladders what has happened on them. Return how many changed."""
    with read_only(engine) as session:
        numbers = ladders.due(session, at_once(session, "ladders"))
    return act_on(engine, numbers, partial(_settle_ladder, server=server, now=now), stopped, now, doing="ladders")


def _settle_ladder(session: Session, number: int, server: ServerSettings, now: datetime) -> bool:
    """Settle a ladder, and queue the messages about it. Return whether anything was done."""
    settled = ladders.settle(session, number, now)
    if settled is None:  # another daemon is at it
        return False
    people = entries.locked_people(session, {player for step in settled.steps for player in step.challenge.players})
    mailer = Mailer(session, server, now)
    for step in settled.steps:
        for player in sorted(step.challenge.players):
            before, after = _rung(step.before, player), _rung(step.after, player)
            if before != after and wants_news(people[player]):
                (opponent,) = step.challenge.players - {player}
                has_won, title = step.challenge.winner == player, settled.ladder.title
                other = name(people[opponent])
                change = RungChanged(number=number, title=title, opponent=other, rung=after, won=has_won)
                mailer.to_player(people[player], change, purpose=Purpose.PERSONAL, delivery=NEWS)
    log.info("ladder", tournament=number, matches=len(settled.steps))
    return True


def end_ladder(session: Session, server: ServerSettings, tournament: Tournament, now: datetime) -> int:
    """End a ladder that is locked, and queue the messages about it. Return how many players are told."""
    ladders.settle(session, tournament.id or 0, now)
    tournament.ended = now
    session.flush()
    ladder = ladders.on(session, tournament)
    line = tournament_views.line(tournament, len(ladder), now)
    _, rungs, _ = tournament_views.rungs_for(session, tournament, None, now, len(ladder))
    mailer = Mailer(session, server, now)
    recipients = [player for player in entries.locked_people(session, ladder).values() if wants_news(player)]
    for player in recipients:
        own = _rung(ladder, player.id or 0)
        rows = tuple(replace(row, own=row.rung == own) for row in rungs if row.rung == own or row.rung <= TOP)
        report = TournamentEnded(line=line, place=own, rungs=rows)
        mailer.to_player(player, report, purpose=Purpose.PERSONAL, delivery=NEWS)
    return len(recipients)


def _rung(ladder: Rungs, player: int) -> int:
    return ladder.index(player) + 1 if player in ladder else 0


DUE = (
    Due(name="tournaments.advance", when=ROUNDS_ARE_DUE, act=advance),
    Due(name="ladders.settle", when=LADDERS_ARE_DUE, act=settle_ladders),
    openings.OPEN_AGAIN,
)
