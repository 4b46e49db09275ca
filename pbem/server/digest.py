"""Gathering news: what has waited for a player becomes one mail, once the first of it has waited long enough.

Each player's news are gathered in a transaction of their own that locks the player's row: a crash leaves them
waiting as they were, and of several daemons one gathers. Who gets what when is asked of `pace`.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, func, select

from pbem import failpoints
from pbem.config import ServerSettings
from pbem.failpoints import Step
from pbem.matches.queries import awaiting, plies, seat_of
from pbem.payloads.messages import Digest, DigestMatch, DigestTurn, WaitingMatch
from pbem.payloads.stored import load, load_news
from pbem.players import preferences, schedule
from pbem.storage import facts
from pbem.storage.clock import SLACK
from pbem.storage.database import read_only, transaction
from pbem.storage.models import Match, MatchState, Outgoing, OutgoingState, Player
from pbem.storage.outbox import Mailer
from pbem.tokens import Purpose

log = structlog.get_logger()

STAGES = ("yours", "asked", "theirs", MatchState.OVER, MatchState.DECLINED, MatchState.WITHDRAWN)
"""How a match stands for the reader, the most urgent first: his turn, a challenge to answer, the other's turn, …"""


def gather(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    """Owe one mail to each player whose news have waited long enough; how many players that were."""
    gathered = 0
    for player in _due(engine, server, now):
        if stopped():
            break
        try:
            with transaction(engine) as session:
                has_news = _gather(session, server, player, now)
                if has_news:
                    failpoints.reach(Step.GATHERING)
            if has_news:
                failpoints.reach(Step.GATHERED)
                gathered += 1
        except DBAPIError:
            raise
        except Exception:  # a bug; these news go on waiting, and other people's must go out
            log.exception("not gathered", player=player)
    return gathered


def _due(engine: Engine, server: ServerSettings, now: datetime) -> list[int]:
    """The players whose time it is."""
    with read_only(engine) as session:
        waiting = session.exec(
            select(Player, func.min(Outgoing.created))
            .join(Outgoing, col(Outgoing.player) == col(Player.id))
            .where(Outgoing.state == OutgoingState.BATCHED)
            .group_by(col(Player.id))
            .order_by(col(Player.id))
        ).all()
        return [player.id or 0 for player, first in waiting if _is_time(server, player, first, now)]


def _is_time(server: ServerSettings, player: Player, first: datetime, now: datetime) -> bool:
    """Whether a player whose first news are from then is to be told now."""
    if first > now + SLACK:  # the clock was ahead when these came, and is right again
        return player.stopped is None
    choices = preferences.with_defaults(player.settings)
    at = schedule.due_at(choices, player.stopped, first, timedelta(minutes=server.batch_minutes))
    return at is not None and at <= now


def _gather(session: Session, server: ServerSettings, player_id: int, now: datetime) -> bool:
    """Owe the player one mail; whether there still was something to tell."""
    player = session.exec(select(Player).where(Player.id == player_id).with_for_update(skip_locked=True)).first()
    if player is None:  # another daemon is at it
        return False
    rows = session.exec(
        select(Outgoing)
        .where(Outgoing.player == player_id, Outgoing.state == OutgoingState.BATCHED)
        .order_by(col(Outgoing.id))
    ).all()
    if not rows or not _is_time(server, player, min(row.created for row in rows), now):
        return False
    if len(rows) == 1 and _still_stands(session, rows[0]):
        (row,) = rows
        row.state, row.due, row.created, row.epoch = OutgoingState.OWED, now, now, player.epoch
        row.facts = facts.gather(session, player, [row.match] if row.match else [])  # names and choices of today
    else:
        digest = _owe(session, server, player, rows, now)
        for row in rows:
            row.state, row.merged_into = OutgoingState.MERGED, digest
    return True


def _still_stands(session: Session, row: Outgoing) -> bool:
    """Whether a mail would say the same today: nothing has happened in its match since."""
    match = session.get_one(Match, row.match)
    if row.template == "challenge":
        return match.state == MatchState.OFFERED
    return row.ply == match.plies


def _owe(session: Session, server: ServerSettings, player: Player, rows: Sequence[Outgoing], now: datetime) -> int:
    """Queue the message with all of it; return its row's id. About one match alone it is a message of that match."""
    by_match: dict[int, list[Outgoing]] = {}
    for row in rows:
        by_match.setdefault(row.match or 0, []).append(row)
    items = sorted((_item(session, player, number, news) for number, news in by_match.items()), key=_urgency)
    matches = tuple(item for *_, item in items)
    mailer = Mailer(session, server, now)
    if len(matches) == 1:
        (only,) = matches
        match = session.get_one(Match, only.match)
        digest = Digest(matches=matches)
        return mailer.to_player(player, digest, purpose=Purpose.PLAY, match=match, ply=only.ply, is_notice=True)
    others = (other for other in awaiting(session, player) if other.id not in by_match)
    waiting = tuple(WaitingMatch(match=other.id or 0, ply=other.plies) for other in others)
    now_at = {item.match: item.ply for item in matches} | {item.match: item.ply for item in waiting}
    digest = Digest(matches=matches, waiting=waiting, plies=now_at)
    return mailer.to_player(player, digest, purpose=Purpose.PERSONAL, is_notice=True)


Item = tuple[int, datetime, DigestMatch]
"""How urgent a match is, since when it stands so, and what the digest says of it."""


def _urgency(item: Item) -> tuple[int, datetime]:
    """The order in a digest; where matches have deadlines, they belong between the two."""
    stage, since, _ = item
    return stage, since


def _item(session: Session, player: Player, number: int, news: Sequence[Outgoing]) -> Item:
    """What happened in a match, and how it stands."""
    match = session.get_one(Match, number)
    turns = plies(session, match)
    told = [row.ply for row in news if row.template == "turn"]
    stage = _stage(match, player)
    since = match.ended or (turns[-1].played if turns else match.started) or match.created
    fresh = turns[max(0, min(told) - 1) :] if told else ()
    item = DigestMatch(
        match=number,
        ply=match.plies,
        stage=stage,
        turns=tuple(DigestTurn(seat=ply.seat, text=ply.text) for ply in fresh),
        has_board=bool(told) or stage in ("yours", "asked"),
        news=tuple(load_news(load(row.template, row.payload, row.match, row.ply)) for row in news),
    )
    return STAGES.index(stage), since, item


def _stage(match: Match, player: Player) -> str:
    """How the match stands for the player, one of STAGES."""
    match match.state:
        case MatchState.OFFERED:
            return "theirs" if match.challenger == player.id else "asked"
        case MatchState.RUNNING:
            return "yours" if match.to_move == seat_of(match, player) else "theirs"
    return match.state
