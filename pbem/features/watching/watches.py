"""Which matches players watch; and what these spectators are shown once a match has moved on.

Whether they may see it isn't decided here: its players can change that at any time (see players.player_directory). A
match is shown in a transaction of its own, which locks it and notes what has been seen. So after a crash it is still to
be shown, and only one of several daemons shows it. Several turns since the last look are told in one message.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import ClassVar

import structlog
from sqlalchemy import Engine, exists
from sqlmodel import Session, col, delete, func, select

from pbem.config import ServerSettings
from pbem.matches import unseen_by_spectators
from pbem.matches.queries import people_of, taken_back
from pbem.messages import preferences
from pbem.players import blocks, watching_rights
from pbem.players.player_directory import is_reachable
from pbem.players.watching_rights import Visibility
from pbem.storage.database import lock_if_free, read_only
from pbem.storage.due_jobs import Due, act_on
from pbem.storage.mailer import Delivery, Mailer
from pbem.storage.message_payload_base import News, Part, Section
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


class WatchedMatch(Part):
    number: int
    title: str
    player: str
    opponent: str
    hidden: bool = False  # whether its players don't let others see it now


class Watching(Section, template="watching"):
    begun: WatchedMatch | None = None
    late: bool = False  # whether a match that they watch now is shown to them a turn late
    known: bool = False  # whether they have watched it before
    ended: WatchedMatch | None = None
    all_ended: int | None = None  # how many matches were all that they have watched, and don't any more
    rows: tuple[WatchedMatch, ...] = ()
    lists: bool = False  # whether they asked for the list


log = structlog.get_logger()

MOST, MOST_SPECTATORS = 30, 25  # how many matches a player can watch, and how many players can watch the same match
TEMPLATE = "watched"
MOST_PER_HOUR = 30
"""How many messages about matches that they watch somebody gets in an hour. Then boards are left out; the end isn't."""


def find(session: Session, player: Player, match: Match) -> Watch | None:
    return session.get(Watch, (player.id, match.id))


def begin(session: Session, player: Player, match: Match, now: datetime) -> bool:
    if find(session, player, match) is not None:
        return False
    unseen_by_spectators.mark(session, match)
    session.add(Watch(player=player.id or 0, match=match.id or 0, created=now))
    session.flush()
    return True


def end(session: Session, player: Player, match: Match) -> bool:
    row = find(session, player, match)
    if row is not None:
        session.delete(row)
        session.flush()
    return row is not None


def end_all(session: Session, player: Player) -> int:
    found = number(session, player)
    change(session, delete(Watch).where(col(Watch.player) == player.id))
    return found


def number(session: Session, player: Player) -> int:
    return session.exec(select(func.count()).select_from(Watch).where(Watch.player == player.id)).one()


def spectators(session: Session, match: Match) -> Sequence[int]:
    return session.exec(select(Watch.player).where(Watch.match == match.id).order_by(col(Watch.player))).all()


def show(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    with read_only(engine) as session:
        numbers = unseen_by_spectators.unseen(session, at_once(session, "spectators"))
    return act_on(engine, numbers, partial(_show, server=server, now=now), stopped, now, doing="spectators")


def _show(session: Session, number: int, server: ServerSettings, now: datetime) -> bool:
    match = lock_if_free(session, Match, number)
    if match is None or not unseen_by_spectators.is_unseen(match):  # another daemon is at it
        return False
    readers = spectators(session, match)
    seen, told = watching_rights.of(match, people_of(session, (match,)).values()), 0
    if readers and seen is not Visibility.NOTHING:
        undone = taken_back(session, match) if match.shift else ()
        news = unseen_by_spectators.news_of(match, undone, late=seen is Visibility.LATE)
        if news is not None:
            late = seen is Visibility.LATE and match.ended is None
            shown = WatchedTurn(match=number, ply=news.ply, since=news.since, taken_back=news.taken_back, late=late)
            mailer = Mailer(session, server, now)
            for player in _readers(session, match, readers, now):
                delivery = Delivery(is_notice=True, is_batched=_is_collected(player))
                mailer.to_player(player, shown, purpose=Purpose.NOTICES, match=match, ply=shown.ply, delivery=delivery)
                told += 1
    unseen_by_spectators.settle(match, is_watched=bool(readers))
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


DUE = (Due(name="spectators.show", when=exists().where(*unseen_by_spectators.IS_UNSEEN), act=show),)
