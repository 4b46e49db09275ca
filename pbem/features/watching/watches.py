"""What players watch: a match, the matches of a player, or those of a tournament; and who watches a match.

Nothing is said here of whether they may see it, which their players can change at any time (see sight).
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog
from sqlalchemy import ColumnElement, Engine, exists, or_
from sqlmodel import Session, col, delete, func, select

from pbem.config import ServerSettings
from pbem.features.watching.messages import WatchedPlayer, WatchedTurn
from pbem.matches import watched
from pbem.matches.queries import name, people_of, taken_back
from pbem.messages import kinds
from pbem.players import blocks, directory, schedule
from pbem.players.directory import Sight, is_reachable
from pbem.storage.clock import within
from pbem.storage.database import lock_if_free, read_only, transaction
from pbem.storage.due import Due, act_on
from pbem.storage.models import Entry, Match, Outgoing, Player, Tournament, Watch
from pbem.storage.outbox import Mailer
from pbem.storage.preferences import OFF
from pbem.storage.retention import change
from pbem.storage.setbacks import at_once
from pbem.tokens import Purpose

MOST = 30
"""How many things a player can watch."""
MOST_SPECTATORS = 25
"""How many players can watch the same thing."""
AFTER = timedelta(hours=1)
Subject = Match | Player | Tournament
"""What can be watched."""


@dataclass(slots=True)
class Spectator:
    players: set[int] = field(default_factory=set)
    """Which of its players they watch."""
    tournament: int | None = None
    left_out: bool = False


def _is(subject: Subject) -> tuple[str, int]:
    match subject:
        case Match():
            return "match", subject.id or 0
        case Player():
            return "whom", subject.id or 0
        case Tournament():
            return "tournament", subject.id or 0


def find(session: Session, player: Player, subject: Subject) -> Watch | None:
    """Return what the player has noted about a subject; also that they don't want to see it."""
    column, number = _is(subject)
    return session.exec(select(Watch).where(Watch.player == player.id, getattr(Watch, column) == number)).first()


def begin(session: Session, player: Player, subject: Subject, now: datetime) -> bool:
    row = find(session, player, subject)
    if row is not None and not row.left_out:
        return False
    column, number = _is(subject)
    row = row or Watch(player=player.id or 0, created=now)
    setattr(row, column, number)
    row.left_out = False
    if isinstance(subject, Match):
        watched.mark(session, subject)
        row.noticed = now
    session.add(row)
    session.flush()
    return True


def end(session: Session, player: Player, subject: Subject, now: datetime) -> bool:
    """Let the player see nothing of the subject any more. Return whether they did.

    A match that they see because they watch a player or a tournament is left out from now on.
    """
    row = find(session, player, subject)
    if row is not None and row.left_out:
        return False
    if isinstance(subject, Match):
        why = spectators(session, subject).get(player.id or 0, Spectator())
        if why.players or why.tournament is not None:
            row = row or Watch(player=player.id or 0, match=subject.id, created=now, noticed=now)
            row.left_out = True
            session.add(row)
            session.flush()
            return True
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


def number_of_spectators(session: Session, subject: Subject) -> int:
    column, number = _is(subject)
    return session.exec(select(func.count()).select_from(Watch).where(getattr(Watch, column) == number)).one()


def of_player(session: Session, player: Player) -> Sequence[Watch]:
    return session.exec(select(Watch).where(Watch.player == player.id).order_by(col(Watch.id))).all()


def spectators(session: Session, match: Match) -> dict[int, Spectator]:
    found: dict[int, Spectator] = {}
    ways = [col(Watch.match) == match.id, col(Watch.whom).in_((match.seat0, match.seat1))]
    if match.tournament is not None:
        ways.append(col(Watch.tournament) == match.tournament)
    rows = select(Watch.player, Watch.whom, Watch.tournament, Watch.left_out).where(or_(*ways))
    for player, whom, tournament, left_out in session.exec(rows):
        why = found.setdefault(player, Spectator())
        why.left_out |= left_out
        why.players |= set() if whom is None else {whom}
        why.tournament = why.tournament or tournament
    return {player: why for player, why in sorted(found.items()) if not why.left_out}


def are_of(tournament: Tournament) -> tuple[ColumnElement[bool], ...]:
    entered = select(Entry.player).where(Entry.tournament == tournament.id)
    return col(Match.seat0).in_(entered), col(Match.tournament) == tournament.id


def unnoticed(session: Session, most: int) -> list[int]:
    rows = select(Watch.id).where(col(Watch.noticed).is_(None)).order_by(col(Watch.id)).limit(most)
    return [number or 0 for number in session.exec(rows)]


def close(session: Session, match: Match) -> None:
    change(session, delete(Watch).where(col(Watch.match) == match.id))


def tidy(session: Session, player: Player, now: datetime) -> None:
    """Forget that the player watches tournaments that were over an hour ago: their last matches are shown by then."""
    for row in of_player(session, player):
        tournament = session.get_one(Tournament, row.tournament) if row.tournament is not None else None
        if tournament is not None and tournament.ended is not None and tournament.ended < now - AFTER:
            session.delete(row)
    session.flush()


def forget(session: Session, player: Player, addresses: Collection[str], now: datetime) -> None:
    change(session, delete(Watch).where(or_(col(Watch.player) == player.id, col(Watch.whom) == player.id)))


def export(session: Session, player: Player) -> dict[str, Any]:
    return {"watches": [_as_facts(session, row) for row in of_player(session, player)]}


def _as_facts(session: Session, row: Watch) -> dict[str, Any]:
    whom = session.get_one(Player, row.whom) if row.whom is not None else None
    return {
        "match": row.match,
        "player": None if whom is None else name(whom),
        "tournament": row.tournament,
        "left_out": row.left_out,
        "since": row.created,
    }


# Spectators: they are shown a match that has moved on, in a transaction of its own that notes what they have seen.
#
# That locks the match, so after a crash it is still to be shown, and only one of several daemons shows it. Several
# turns since the last look are told in one message.
log = structlog.get_logger()

TEMPLATE = "watched"
MOST_PER_HOUR = 30
"""How many messages about matches that they watch somebody gets in an hour. Then boards are left out; the end isn't."""

ARE_UNSEEN = or_(exists().where(*watched.IS_UNSEEN), exists().where(col(Watch.noticed).is_(None)))
"""Whether there is anything to be shown, or to be marked as watched."""


def show(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    with read_only(engine) as session:
        new = unnoticed(session, at_once(session, "what players watch"))
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
    found = spectators(session, match)
    people = people_of(session, (match,))
    seen = directory.of(match, people.values())
    told = 0
    if found and seen is not Sight.NOTHING:
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
            readers = _readers(session, match, found, now)
            told = _tell(session, server, match, shown, people, readers, now)
    watched.settle(match, is_watched=bool(found))
    if match.ended is not None:
        close(session, match)
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
