"""What spectators are sent when a match that they watch moves on."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import ClassVar

import structlog
from sqlalchemy import Engine, exists
from sqlmodel import Session, col, delete, func, select

from pbem.config import ServerSettings
from pbem.features.watching.watches import spectators
from pbem.matches import news_for_spectators
from pbem.matches.queries import people_of, taken_back
from pbem.messages import preferences
from pbem.players import blocks, watching_rights
from pbem.players.player_directory import is_reachable
from pbem.players.watching_rights import Visibility
from pbem.storage.database import lock_if_free, read_only
from pbem.storage.due_rows import Due, act_on
from pbem.storage.mailer import Delivery, Mailer
from pbem.storage.message_payload_base import News
from pbem.storage.models import Match, Outgoing, Player, Watch
from pbem.storage.preference_definition import OFF
from pbem.storage.retention import change
from pbem.storage.setbacks import at_once
from pbem.storage.utc import within
from pbem.tokens import Purpose


class WatchedTurn(News, template="watched"):
    """Shows a spectator how a match stands after a turn, or after turns were taken back, or at its end."""

    match: int
    ply: int
    since: int | None = None  # the number of the first turn that is news; None if none is
    taken_back: tuple[str, ...] = ()  # the turns that the reader has seen and that were taken back
    late: bool = False  # whether the reader sees the match without its last turn, as its players wish
    is_long: ClassVar = True


log = structlog.get_logger()


TEMPLATE = "watched"


MOST_PER_HOUR = 30
"""How many messages about matches that they watch somebody gets in an hour. Then boards are left out; the end isn't."""


def show(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    with read_only(engine) as session:
        numbers = news_for_spectators.unseen(session, at_once(session, "spectators"))
    return act_on(engine, numbers, partial(_show, server=server, now=now), stopped, now, doing="spectators")


def _show(session: Session, number: int, server: ServerSettings, now: datetime) -> bool:
    match = lock_if_free(session, Match, number)
    if match is None or not news_for_spectators.is_unseen(match):  # another daemon is at it
        return False
    readers = spectators(session, match)
    seen, told = watching_rights.of(match, people_of(session, (match,)).values()), 0
    if readers and seen is not Visibility.NOTHING:
        undone = taken_back(session, match) if match.shift else ()
        news = news_for_spectators.news_of(match, undone, late=seen is Visibility.LATE)
        if news is not None:
            late = seen is Visibility.LATE and match.ended is None
            shown = WatchedTurn(match=number, ply=news.ply, since=news.since, taken_back=news.taken_back, late=late)
            mailer = Mailer(session, server, now)
            for player in _readers(session, match, readers, now):
                delivery = Delivery(is_notice=True, is_batched=_is_collected(player))
                mailer.to_player(player, shown, purpose=Purpose.NOTICES, match=match, ply=shown.ply, delivery=delivery)
                told += 1
    news_for_spectators.settle(match, is_watched=bool(readers))
    if match.ended is not None:
        change(session, delete(Watch).where(col(Watch.match) == match.id))
    if told:
        log.info("shown to spectators", match=number, players=told)
    return told > 0


def _readers(session: Session, match: Match, spectators: Sequence[int], now: datetime) -> Iterator[Player]:
    apart = blocks.around(session, (match.seat0, match.seat1))
    for player in session.exec(select(Player).where(col(Player.id).in_(spectators)).order_by(col(Player.id))).all():
        is_wanted = preferences.way(player.settings, TEMPLATE, None) != OFF
        is_there = player.confirmed is not None and is_reachable(player) and player.id not in apart
        if is_wanted and is_there and (match.ended is not None or not _has_enough(session, player, now)):
            yield player


def _is_collected(player: Player) -> bool:
    return player.stopped is not None or preferences.way(player.settings, TEMPLATE, None) != "each"


def _has_enough(session: Session, player: Player, now: datetime) -> bool:
    if _is_collected(player):
        return False
    theirs = (Outgoing.player == player.id, within(Outgoing.created, timedelta(hours=1), now))
    shown = select(func.count()).select_from(Outgoing).where(*theirs, Outgoing.template == TEMPLATE)
    return session.exec(shown).one() >= MOST_PER_HOUR


DUE = (Due(name="spectators.show", when=exists().where(*news_for_spectators.IS_UNSEEN), act=show),)
