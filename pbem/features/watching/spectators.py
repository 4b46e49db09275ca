"""Spectators: they are shown a match that has moved on, in a transaction of its own that notes what they have seen.

That locks the match, so after a crash it is still to be shown, and only one of several daemons shows it. Several turns
since the last look are told in one message.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import structlog
from sqlalchemy import Engine, exists, or_
from sqlmodel import Session, col, func, select

from pbem.config import ServerSettings
from pbem.features.watching import watches
from pbem.features.watching.messages import WatchedPlayer, WatchedTurn
from pbem.features.watching.watches import Spectator
from pbem.matches import watched
from pbem.matches.naming import name
from pbem.matches.queries import people_of, taken_back
from pbem.messages import kinds
from pbem.players import blocks, schedule, sight
from pbem.players.directory import is_reachable
from pbem.players.sight import Sight
from pbem.storage.clock import within
from pbem.storage.database import lock_if_free, read_only, transaction
from pbem.storage.due import Due, act_on
from pbem.storage.models import Match, Outgoing, Player, Watch
from pbem.storage.outbox import Mailer
from pbem.storage.preferences import OFF
from pbem.storage.setbacks import at_once
from pbem.tokens import Purpose

log = structlog.get_logger()

TEMPLATE = "watched"
MOST_PER_HOUR = 30
"""How many messages about matches that they watch somebody gets in an hour. Then boards are left out; the end isn't."""

ARE_UNSEEN = or_(exists().where(*watched.IS_UNSEEN), exists().where(col(Watch.noticed).is_(None)))
"""Whether there is anything to be shown, or to be marked as watched."""


def show(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    with read_only(engine) as session:
        new = watches.unnoticed(session, at_once(session, "what players watch"))
        has_begun = watched.has_begun(session)
    act_on(engine, new, partial(_notice, now=now), stopped, now, doing="what players watch")
    if has_begun:
        with transaction(engine) as session:
            watched.notice_begun(session)
    with read_only(engine) as session:
        numbers = watched.unseen(session, at_once(session, "spectators"))
    return act_on(engine, numbers, partial(_show, server=server, now=now), stopped, now, doing="spectators")


def _notice(session: Session, number: int, now: datetime) -> bool:
    watch = lock_if_free(session, Watch, number)
    if watch is not None and watch.noticed is None:
        watched.mark_all(session, watch, now)
    return False


def _show(session: Session, number: int, server: ServerSettings, now: datetime) -> bool:
    match = lock_if_free(session, Match, number)
    if match is None or not watched.is_unseen(match):  # another daemon is at it
        return False
    spectators = watches.spectators(session, match)
    people = people_of(session, (match,))
    seen = sight.of(match, people.values())
    told = 0
    if spectators and seen is not Sight.NOTHING:
        undone = taken_back(session, match) if match.shift else ()
        news = watched.news_of(match, undone, late=seen is Sight.LATE)
        if news is not None:
            shown = WatchedTurn(
                match=number,
                ply=news.ply,
                since=news.since,
                taken_back=news.taken_back,
                late=seen is Sight.LATE and match.ended is None,
            )
            readers = _readers(session, match, spectators, now)
            told = _tell(session, server, match, shown, people, readers, now)
    watched.settle(match, is_watched=bool(spectators))
    if match.ended is not None:
        watches.close(session, match)
    if told:
        log.info("shown to spectators", match=number, players=told)
    return told > 0


def _readers(
    session: Session, match: Match, spectators: dict[int, Spectator], now: datetime
) -> Iterator[tuple[Player, Spectator]]:
    apart = blocks.around(session, (match.seat0, match.seat1))
    for player in session.exec(select(Player).where(col(Player.id).in_(spectators)).order_by(col(Player.id))).all():
        is_other = player.id not in (match.seat0, match.seat1) and player.id not in apart
        is_wanted = kinds.way(player.settings, TEMPLATE, None) != OFF
        is_there = player.confirmed is not None and is_reachable(player)
        if is_other and is_wanted and is_there and (match.ended is not None or not _has_enough(session, player, now)):
            yield player, spectators[player.id or 0]


def _is_collected(player: Player) -> bool:
    return schedule.defers(kinds.way(player.settings, TEMPLATE, None), player.stopped)


def _has_enough(session: Session, player: Player, now: datetime) -> bool:
    if _is_collected(player):
        return False
    theirs = (Outgoing.player == player.id, within(Outgoing.created, timedelta(hours=1), now))
    shown = select(func.count()).select_from(Outgoing).where(*theirs, Outgoing.template == TEMPLATE)
    return session.exec(shown).one() >= MOST_PER_HOUR


def _tell(
    session: Session,
    server: ServerSettings,
    match: Match,
    shown: WatchedTurn,
    people: dict[int, Player],
    readers: Iterator[tuple[Player, Spectator]],
    now: datetime,
) -> int:
    mailer, told = Mailer(session, server, now), 0
    for player, why in readers:
        theirs = replace(
            shown,
            players=tuple(WatchedPlayer(player=name(people[number])) for number in sorted(why.players)),
            tournament=why.tournament,
        )
        mailer.to_player(
            player,
            theirs,
            purpose=Purpose.NOTICES,
            match=match,
            ply=shown.ply,
            is_notice=True,
            is_batched=_is_collected(player),
        )
        told += 1
    return told


DUE = (Due(name="spectators.show", when=ARE_UNSEEN, act=show),)
