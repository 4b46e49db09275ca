"""What spectators are sent when a match that they watch moves on.

A match whose version isn't the one that its spectators have seen is due to be shown, which an index of the few such
matches says. So a turn costs the same whether anybody watches or not: what its spectators are sent follows later.

A match is shown in a transaction of its own, which locks it and notes what has been seen. So after a crash it is still
to be shown, and only one of several daemons shows it. Several turns since the last look are told in one message.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import ClassVar

import structlog
from sqlalchemy import ColumnElement, Engine, exists, or_
from sqlmodel import Session, col, delete, func, select

from pbem.config import ServerSettings
from pbem.features.watching.watches import spectators
from pbem.matches.queries import people_of, taken_back, version
from pbem.messages import delivery_choices
from pbem.players import blocks, watching_rights
from pbem.players.player_directory import is_reachable
from pbem.players.watching_rights import Visibility
from pbem.storage.database import lock_if_free, read_only
from pbem.storage.due_rows import Due, act_on
from pbem.storage.mailer import Delivery, Mailer
from pbem.storage.message_payload_base import News
from pbem.storage.models import Match, Outgoing, Player, TakenBack, Watch
from pbem.storage.preference_definition import OFF
from pbem.storage.retention import change
from pbem.storage.setbacks import at_once
from pbem.storage.utc import within
from pbem.tokens import Purpose

IS_UNSEEN: tuple[ColumnElement[bool], ...] = (
    col(Match.shown).is_not(None),
    or_(col(Match.shown) != col(Match.plies) + col(Match.shift), col(Match.ended).is_not(None)),
)
"""What is true of a match with something to be shown, in the words of its index."""


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
        numbers = unseen(session, at_once(session, "spectators"))
    return act_on(engine, numbers, partial(_show, server=server, now=now), stopped, now, doing="spectators")


def _show(session: Session, number: int, server: ServerSettings, now: datetime) -> bool:
    match = lock_if_free(session, Match, number)
    if match is None or not is_unseen(match):  # another daemon is at it
        return False
    readers = spectators(session, match)
    seen, told = watching_rights.of(match, people_of(session, (match,)).values()), 0
    if readers and seen is not Visibility.NOTHING:
        undone = taken_back(session, match) if match.shift else ()
        news = news_of(match, undone, late=seen is Visibility.LATE)
        if news is not None:
            late = seen is Visibility.LATE and match.ended is None
            shown = WatchedTurn(match=number, ply=news.ply, since=news.since, taken_back=news.taken_back, late=late)
            mailer = Mailer(session, server, now)
            for player in _readers(session, match, readers, now):
                delivery = Delivery(is_notice=True, is_batched=_is_collected(player))
                mailer.to_player(player, shown, purpose=Purpose.NOTICES, match=match, ply=shown.ply, delivery=delivery)
                told += 1
    settle(match, is_watched=bool(readers))
    if match.ended is not None:
        change(session, delete(Watch).where(col(Watch.match) == match.id))
    if told:
        log.info("shown to spectators", match=number, players=told)
    return told > 0


def _readers(session: Session, match: Match, spectators: Sequence[int], now: datetime) -> Iterator[Player]:
    apart = blocks.around(session, (match.seat0, match.seat1))
    for player in session.exec(select(Player).where(col(Player.id).in_(spectators)).order_by(col(Player.id))).all():
        is_wanted = delivery_choices.way(player.settings, TEMPLATE, None) != OFF
        is_there = player.confirmed is not None and is_reachable(player) and player.id not in apart
        if is_wanted and is_there and (match.ended is not None or not _has_enough(session, player, now)):
            yield player


def _is_collected(player: Player) -> bool:
    return player.stopped is not None or delivery_choices.way(player.settings, TEMPLATE, None) != "each"


def _has_enough(session: Session, player: Player, now: datetime) -> bool:
    if _is_collected(player):
        return False
    theirs = (Outgoing.player == player.id, within(Outgoing.created, timedelta(hours=1), now))
    shown = select(func.count()).select_from(Outgoing).where(*theirs, Outgoing.template == TEMPLATE)
    return session.exec(shown).one() >= MOST_PER_HOUR


DUE = (Due(name="spectators.show", when=exists().where(*IS_UNSEEN), act=show),)


@dataclass(frozen=True, slots=True)
class WatchedNews:
    ply: int  # the number of turns after which they see it now
    since: int | None  # the number of the first turn that is new; None if none is
    taken_back: tuple[str, ...]  # the turns that they had seen and that were taken back


def unseen(session: Session, most: int) -> list[int]:
    rows = select(Match.id).where(*IS_UNSEEN).order_by(col(Match.shown)).limit(most)
    return [number or 0 for number in session.exec(rows)]


def is_unseen(match: Match) -> bool:
    return match.shown is not None and (match.shown != version(match) or match.ended is not None)


def news_of(match: Match, taken_back: Sequence[TakenBack], *, late: bool) -> WatchedNews | None:
    """`late` is for those who see a match without its last turn while it goes on.

    `taken_back` are all of its turns that were ever taken back, in the order in which they were played.
    """
    seen_version = match.shown or 0
    shift = min((row.shift for row in taken_back if row.number + row.shift >= seen_version), default=match.shift)
    after = [row for row in taken_back if row.shift >= shift]
    lag = 1 if late else 0
    seen = max(seen_version - shift - lag, match.begun_after)
    stands = min((row.number - 1 for row in after), default=match.plies)
    both = min(seen, stands)
    is_over = match.ended is not None
    ply = match.plies if is_over else max(match.plies - lag, both)
    then: dict[int, str] = {}
    for row in after:
        then.setdefault(row.number, row.text)  # the turn that it had first since then
    undone = tuple(then[number] for number in range(both + 1, seen + 1))
    if ply == both and not undone and not is_over:
        return None
    return WatchedNews(ply, both + 1 if ply > both else None, undone)


def settle(match: Match, *, is_watched: bool) -> None:
    """Note that its spectators have seen a match, which is locked, as it is now."""
    match.shown = version(match) if is_watched and match.ended is None else None
