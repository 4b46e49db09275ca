"""Digests: a player's batched news becomes one message once the oldest has waited long enough.

Each player's news is gathered in a separate transaction that locks the player's row, so after a crash it is still
waiting, and only one of several daemons gathers it. `pbem.players.schedule` decides when it is due.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import structlog
from sqlalchemy import ColumnElement, Engine, String, cast, exists
from sqlmodel import Session, col, func, select

from pbem.config import ServerSettings
from pbem.failpoints import Step
from pbem.features.seeks import seeks
from pbem.matches.clock.timekeeping import expected_due
from pbem.matches.queries import awaiting, plies, seat_of, since_when, version
from pbem.messages import preferences
from pbem.messages.said.messages import Digest, DigestMatch, DigestRow, DigestTurn, WaitingMatch
from pbem.players import schedule
from pbem.storage import facts, outbox
from pbem.storage.database import lock_if_free, read_only
from pbem.storage.due import act_on
from pbem.storage.models import Match, MatchState, Outgoing, OutgoingContent, OutgoingState, Player, Ply
from pbem.storage.outbox import Mailer
from pbem.storage.payloads import News, load
from pbem.tokens import Purpose

NEVER = datetime.max.replace(tzinfo=UTC)
log = structlog.get_logger()

MOST_PIECES = 5_000
"""How many pieces of news are looked at together."""
LARGEST = 200_000
"""How many characters of news go into one message, at least one piece; what is beyond goes into the next."""
NO_TURN = ("taken_back", "given", "ran_out", "reminder")
"""What a message that shows a match can tell instead of a turn."""
WATCHED = "watched"
"""The template of what spectators are shown, and the state of such a match for them."""
STAGES = ("yours", "asked", "theirs", WATCHED, MatchState.OVER, MatchState.DECLINED, MatchState.WITHDRAWN)
"""The state of a match for the reader, most urgent first: their turn, a challenge to answer, the opponent's turn, …"""

IS_NEWS = exists().where(col(Outgoing.state) == OutgoingState.BATCHED)
"""Whether any news waits."""


def gather(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    players, act = _due(engine, now), partial(_gather, server=server, now=now)
    return act_on(engine, players, act, stopped, now, doing="digests", before=Step.GATHERING, after=Step.GATHERED)


def _due(engine: Engine, now: datetime) -> list[int]:
    with read_only(engine) as session:
        waiting = session.exec(
            select(Player, Outgoing.template, Outgoing.match, func.min(Outgoing.created))
            .join(Outgoing, col(Outgoing.player) == col(Player.id))
            .where(Outgoing.state == OutgoingState.BATCHED)
            .group_by(col(Player.id), col(Outgoing.template), col(Outgoing.match))
            .order_by(col(Player.id))
        ).all()
    news: dict[int, list[Sequence[Any]]] = {}
    players = {player.id or 0: player for player, *_ in waiting}
    for player, *piece in waiting:
        news.setdefault(player.id or 0, []).append(piece)
    return [number for number, pieces in news.items() if _ways_due(players[number], pieces, now)]


def _ways_due(player: Player, news: Iterable[Sequence[Any]], now: datetime) -> set[str]:
    """Return in which ways (see kinds) there is news for a player that is due; the first of each counts.

    Each piece is the template and the match of some news, and when it happened.
    """
    choices, firsts = preferences.with_defaults(player.settings), dict[str, datetime]()
    for template, match, created in news:
        way = preferences.way(player.settings, template, match)
        firsts[way] = min(created, firsts.get(way, created))
    return {way for way, first in firsts.items() if _is_time(player, choices, way, first, now)}


def _is_time(player: Player, choices: Mapping[str, str], way: str, first: datetime, now: datetime) -> bool:
    """Return whether a player's news is due that comes in that way, if the oldest is from `first`."""
    at = schedule.due_at(way, choices, player.stopped, first)
    return at is not None and at <= now


def _gather(session: Session, player_id: int, server: ServerSettings, now: datetime) -> bool:
    """Enqueue one message to the player. Return whether there still was news that is due."""
    player = lock_if_free(session, Player, player_id)
    if player is None:  # another daemon is gathering it
        return False
    waiting = select(Outgoing.template, Outgoing.match, Outgoing.created, Outgoing.id)
    waiting = waiting.where(Outgoing.player == player_id, Outgoing.state == OutgoingState.BATCHED)
    pieces: Any = session.exec(waiting.order_by(col(Outgoing.id)).limit(MOST_PIECES)).all()
    due = _ways_due(player, (piece for *piece, _ in pieces), now)
    # With several ways, what is due in one of them is told, and the rest goes on waiting.
    told = [row for template, match, _, row in pieces if preferences.way(player.settings, template, match) in due]
    news = (col(Outgoing.id).in_(told),)
    fit = col(Outgoing.id) <= _last_that_fits(session, *news)
    rows = session.exec(
        select(Outgoing).where(*news, fit).order_by(col(Outgoing.id)).options(outbox.WITH_CONTENT)
    ).all()
    if not rows:
        return False
    rows = _without_stale_reminders(session, rows)
    if not rows:
        return False
    if len(rows) == 1 and _still_stands(session, rows[0]):
        (row,) = rows
        row.state, row.due, row.created, row.epoch = OutgoingState.OWED, now, now, player.epoch
        current = facts.gather(session, player, [row.match] if row.match else [])  # names and preferences of now
        outbox.kept_content(row).facts = current
    else:
        digest = _owe(session, server, player, rows, now)
        for row in rows:
            row.state, row.merged_into = OutgoingState.MERGED, digest
    return True


def _last_that_fits(session: Session, *news: ColumnElement[bool] | bool) -> int:
    """Return the number of the newest of that news that one message can hold along with all before it."""
    size = func.length(cast(OutgoingContent.payload, String))
    held = col(OutgoingContent.outgoing) == col(Outgoing.id)
    sizes = select(Outgoing.id, size).join(OutgoingContent, held, isouter=True).where(*news)
    last, total = 0, 0
    for number, length in session.exec(sizes.order_by(col(Outgoing.id))):
        total += length or 0
        if last and total > LARGEST:
            break
        last = number or 0
    return last


def _without_stale_reminders(session: Session, rows: Sequence[Outgoing]) -> Sequence[Outgoing]:
    """Drop reminders of turns that were played meanwhile, or are no longer to be, and return the other news."""
    stale = [row for row in rows if row.payload.get("reminder") and not _is_still_due(session, row)]
    for row in stale:
        row.state = OutgoingState.DROPPED
    return [row for row in rows if row not in stale]


def _is_still_due(session: Session, reminder: Outgoing) -> bool:
    return session.get_one(Match, reminder.match).state == MatchState.RUNNING and _still_stands(session, reminder)


def _still_stands(session: Session, row: Outgoing) -> bool:
    """Return whether the message is still current: nothing has happened in its match since."""
    match = session.get_one(Match, row.match)
    if row.template == "challenge":
        return match.state == MatchState.OFFERED
    return (row.ply, row.shift) == (match.plies, match.shift)


def _owe(session: Session, server: ServerSettings, player: Player, rows: Sequence[Outgoing], now: datetime) -> int:
    """Enqueue a message with all the news, and return its id. If it is about one match, it belongs to that match."""
    by_match: dict[int, list[Outgoing]] = {}
    for row in rows:
        by_match.setdefault(row.match or 0, []).append(row)
    items = sorted((_item(session, player, number, news, now) for number, news in by_match.items()), key=_urgency)
    matches = tuple(item for *_, item in items)
    choices = preferences.with_defaults(player.settings)
    mailer = Mailer(session, server, now)
    if len(matches) == 1:
        (only,) = matches
        match = session.get_one(Match, only.match)
        digest = Digest(matches=matches)
        purpose = Purpose.NOTICES if only.stage == WATCHED else Purpose.PLAY
        return mailer.to_player(player, digest, purpose=purpose, match=match, ply=only.ply, is_notice=True)
    others = [other for other in awaiting(session, player) if other.id not in by_match]
    since = since_when(session, others)
    urgent = {other.id or 0: _by_time(other, since[other.id or 0], now) for other in others}
    others.sort(key=lambda other: urgent[other.id or 0])
    waiting = tuple(WaitingMatch(match=other.id or 0, ply=other.plies) for other in others)
    numbers = (*(item.match for item in matches), *(item.match for item in waiting))
    now_at = {number: version(session.get_one(Match, number)) for number in numbers}
    entries = [(urgency, time, item.match, item.ply, item.stage) for urgency, time, item in items]
    entries += [(STAGES.index("yours"), urgent[item.match], item.match, item.ply, "still yours") for item in waiting]
    overview = tuple(
        DigestRow(
            match=number,
            ply=ply,
            stage=stage,
            since=schedule.day(choices, time.since, now),
            due=schedule.day(choices, time.due, now) if time.is_limited else "",
        )
        for _, time, number, ply, stage in sorted(entries)
    )
    offered = seeks.newest(session, player, now)
    digest = Digest(matches=matches, waiting=waiting, overview=overview, plies=now_at, seeks=offered)
    return mailer.to_player(player, digest, purpose=Purpose.PERSONAL, is_notice=True)


@dataclass(frozen=True, slots=True, order=True)
class _Time:
    """What sorts matches in the same state: when the turn is due, and since when it has been like that."""

    due: datetime
    since: datetime

    @property
    def is_limited(self) -> bool:
        return self.due != NEVER


Item = tuple[int, _Time, DigestMatch]
"""The urgency of a match, what sorts it among those as urgent, and its part of the digest."""


def _by_time(match: Match, since: datetime, now: datetime) -> _Time:
    return _Time(expected_due(match, now) or NEVER, since)


def _urgency(item: Item) -> tuple[int, _Time]:
    stage, time, _ = item
    return stage, time


def _item(session: Session, player: Player, number: int, news: Sequence[Outgoing], now: datetime) -> Item:
    match = session.get_one(Match, number)
    turns = plies(session, match)
    if all(row.template == WATCHED for row in news):
        return _watched(match, turns, news)
    boards = [row for row in news if row.template == "turn"]
    tells_turn = (row for row in boards if not any(row.payload.get(each) for each in NO_TURN))
    told = [row.payload.get("since") or row.ply for row in tells_turn]
    stage = _stage(match, player)
    since = match.ended or (turns[-1].played if turns else match.started) or match.created
    fresh = turns[max(0, min(told) - 1) :] if told else ()
    item = DigestMatch(
        match=number,
        ply=match.plies,
        stage=stage,
        turns=tuple(DigestTurn(seat=ply.seat, text=ply.text) for ply in fresh),
        has_board=bool(boards) or stage in ("yours", "asked"),
        news=tuple(load(News, row.payload) for row in news),
    )
    return STAGES.index(stage), _by_time(match, since, now), item


def _watched(match: Match, turns: Sequence[Ply], news: Sequence[Outgoing]) -> Item:
    """Return the item about a match that the player watches: no more of it than they were to be shown."""
    last = news[-1]
    ply = min(last.ply, match.plies)
    since = [row.payload["since"] for row in news if row.payload.get("since")]
    fresh = turns[min(since) - 1 : ply] if since else ()
    item = DigestMatch(
        match=match.id or 0,
        ply=ply,
        stage=WATCHED,
        turns=tuple(DigestTurn(seat=row.seat, text=row.text) for row in fresh),
        has_board=True,
        news=tuple(load(News, row.payload) for row in news),
    )
    return STAGES.index(WATCHED), _Time(NEVER, last.created), item


def _stage(match: Match, player: Player) -> str:
    match match.state:
        case MatchState.OFFERED:
            return "theirs" if match.challenger == player.id else "asked"
        case MatchState.RUNNING:
            return "yours" if match.to_move == seat_of(match, player) else "theirs"
    return match.state
