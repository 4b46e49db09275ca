"""Digests: a player's batched news becomes one message, in a transaction of its own, once the oldest has waited enough.

The transaction locks the player's row, so that only one of several daemons gathers it.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Engine, String, cast, exists
from sqlalchemy import select as columns
from sqlmodel import Session, col, func, select

from pbem.config import ServerSettings
from pbem.failpoints import Step
from pbem.features.seeks import seeks
from pbem.matches.clock.timekeeping import expected_due
from pbem.matches.queries import awaiting, plies, seat_of, since_when, version
from pbem.messages import delivery_choices, general_preferences, times_shown
from pbem.messages.contents.message_payloads import Digest, DigestMatch, DigestRow, DigestTurn, WaitingMatch
from pbem.players import news_times_and_pauses
from pbem.storage import facts_when_queued, mailer
from pbem.storage.database import lock_if_free, read_only
from pbem.storage.due_rows import act_on
from pbem.storage.mailer import NEWS, Mailer
from pbem.storage.message_payload_base import News, load
from pbem.storage.models import Match, MatchState, Outgoing, OutgoingContent, OutgoingState, Player
from pbem.tokens import Purpose

NEVER = datetime.max.replace(tzinfo=UTC)

MOST_PIECES = 5_000  # how many pieces of news are looked at together
LARGEST = 200_000
"""How many characters of news go into one message, at least one piece; what is beyond goes into the next."""
NO_TURN = ("taken_back", "given", "ran_out", "reminder")  # what a message that shows a match can tell instead of a turn
WATCHED = "watched"
STAGES = ("yours", "asked", "theirs", WATCHED, MatchState.OVER, MatchState.DECLINED, MatchState.WITHDRAWN)
"""The state of a match for the reader, most urgent first: their turn, a challenge to answer, the opponent's turn, …"""
IS_NEWS = exists().where(col(Outgoing.state) == OutgoingState.BATCHED)


def gather(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
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
    due = [number for number, pieces in news.items() if _ways_due(players[number], pieces, now)]
    act = partial(_gather, server=server, now=now)
    return act_on(engine, due, act, stopped, now, doing="digests", before=Step.GATHERING, after=Step.GATHERED)


def _ways_due(player: Player, news: Iterable[Sequence[Any]], now: datetime) -> set[str]:
    """Return in which ways news is due to a player; each piece is its template, its match, and when it happened."""
    choices, firsts = general_preferences.with_defaults(player.settings), dict[str, datetime]()
    for template, match, created in news:
        way = delivery_choices.way(player.settings, template, match)
        firsts[way] = min(created, firsts.get(way, created))
    due = {way: news_times_and_pauses.due_at(way, choices, player.stopped, first) for way, first in firsts.items()}
    return {way for way, at in due.items() if at is not None and at <= now}


def _gather(session: Session, player_id: int, server: ServerSettings, now: datetime) -> bool:
    """Enqueue one message to the player. Return whether there still was news that is due."""
    player = lock_if_free(session, Player, player_id)
    if player is None:  # another daemon is gathering it
        return False
    size = func.length(cast(OutgoingContent.payload, String))
    content = col(OutgoingContent.outgoing) == col(Outgoing.id)
    waiting = columns(col(Outgoing.template), col(Outgoing.match), col(Outgoing.created), col(Outgoing.id), size)
    waiting = waiting.join(OutgoingContent, content, isouter=True).where(
        col(Outgoing.player) == player_id, col(Outgoing.state) == OutgoingState.BATCHED
    )
    pieces = session.connection().execute(waiting.order_by(col(Outgoing.id)).limit(MOST_PIECES)).all()
    due = _ways_due(player, (piece[:3] for piece in pieces), now)
    numbers, total = list[int](), 0
    for template, match, _, number, length in pieces:
        # With several ways, what is due in one of them is told, and the rest goes on waiting.
        if delivery_choices.way(player.settings, template, match) in due:
            total += length or 0
            if numbers and total > LARGEST:
                break
            numbers.append(number)
    news = select(Outgoing).where(col(Outgoing.id).in_(numbers)).order_by(col(Outgoing.id))
    rows = []
    for row in session.exec(news.options(mailer.WITH_CONTENT)).all():
        if row.payload.get("reminder") and not _is_current(session, row):
            row.state = OutgoingState.DROPPED  # the turn was played meanwhile, or isn't to be played any more
        else:
            rows.append(row)
    if not rows:
        return False
    if len(rows) == 1 and _is_current(session, rows[0]):
        (row,) = rows
        row.state, row.due, row.created, row.epoch = OutgoingState.OWED, now, now, player.epoch
        matches = [row.match] if row.match else []
        mailer.kept_content(row).facts = facts_when_queued.gather(session, player, matches)  # as they are now
    else:
        digest = _owe(session, server, player, rows, now)
        for row in rows:
            row.state, row.merged_into = OutgoingState.MERGED, digest
    return True


def _is_current(session: Session, row: Outgoing) -> bool:
    """Return whether nothing has happened in the message's match since."""
    match = session.get_one(Match, row.match)
    if row.payload.get("reminder") and match.state != MatchState.RUNNING:
        return False
    if row.template == "challenge":
        return match.state == MatchState.OFFERED
    return (row.ply, row.shift) == (match.plies, match.shift)


class _Item(NamedTuple):
    """What a digest says of a match; sorted by its state, when the turn is due, and since when that is so."""

    urgency: int
    due: datetime
    since: datetime
    match: int
    ply: int
    stage: str
    part: Any  # a DigestMatch, or a WaitingMatch where there is no news


def _owe(session: Session, server: ServerSettings, player: Player, rows: Sequence[Outgoing], now: datetime) -> int:
    """Enqueue a message with all the news, and return its id. If it is about one match, it belongs to that match."""
    by_match: dict[int, list[Outgoing]] = {}
    for row in rows:
        by_match.setdefault(row.match or 0, []).append(row)
    items = sorted(_item(session, player, number, news, now) for number, news in by_match.items())
    matches: tuple[DigestMatch, ...] = tuple(item.part for item in items)
    mailer = Mailer(session, server, now)
    if len(items) == 1:
        (only,) = items
        match, digest = session.get_one(Match, only.match), Digest(matches=matches)
        purpose = Purpose.NOTICES if only.stage == WATCHED else Purpose.PLAY
        return mailer.to_player(player, digest, purpose=purpose, match=match, ply=only.ply, delivery=NEWS)
    others = {other.id or 0: other for other in awaiting(session, player) if other.id not in by_match}
    since, urgency, waiting = since_when(session, [*others.values()]), STAGES.index("yours"), list[_Item]()
    for number, other in others.items():
        part, due = WaitingMatch(match=number, ply=other.plies), expected_due(other, now) or NEVER
        waiting.append(_Item(urgency, due, since[number], number, other.plies, "still yours", part))
    waiting.sort()
    day = partial(times_shown.day, general_preferences.with_defaults(player.settings), now=now)
    overview = []
    for item in sorted((*items, *waiting)):
        times = {"since": day(item.since), "due": day(item.due) if item.due != NEVER else ""}
        overview.append(DigestRow(match=item.match, ply=item.ply, stage=item.stage, **times))
    digest = Digest(
        matches=matches,
        waiting=tuple(item.part for item in waiting),
        overview=tuple(overview),
        plies={row.match: version(session.get_one(Match, row.match)) for row in overview},
        seeks=seeks.newest(session, player, now),
    )
    return mailer.to_player(player, digest, purpose=Purpose.PERSONAL, delivery=NEWS)


def _item(session: Session, player: Player, number: int, news: Sequence[Outgoing], now: datetime) -> _Item:
    match = session.get_one(Match, number)
    turns = plies(session, match)
    if all(row.template == WATCHED for row in news):  # no more of it than they were to be shown
        stage, ply, due, since, has_board = WATCHED, min(news[-1].ply, match.plies), NEVER, news[-1].created, True
        firsts = [row.payload["since"] for row in news if row.payload.get("since")]
    else:
        stage, ply, due = _stage(match, player), match.plies, expected_due(match, now) or NEVER
        since = match.ended or (turns[-1].played if turns else match.started) or match.created
        boards = [row for row in news if row.template == "turn"]
        has_board = bool(boards) or stage in ("yours", "asked")
        tells_turn = (row for row in boards if not any(row.payload.get(event) for event in NO_TURN))
        firsts = [row.payload.get("since") or row.ply for row in tells_turn]
    fresh = turns[max(0, min(firsts) - 1) : ply] if firsts else ()
    part = DigestMatch(
        match=number,
        ply=ply,
        stage=stage,
        turns=tuple(DigestTurn(seat=row.seat, text=row.text) for row in fresh),
        has_board=has_board,
        news=tuple(load(News, row.payload) for row in news),
    )
    return _Item(STAGES.index(stage), due, since, number, ply, stage, part)


def _stage(match: Match, player: Player) -> str:
    if match.state == MatchState.OFFERED:
        return "theirs" if match.challenger == player.id else "asked"
    if match.state == MatchState.RUNNING:
        return "yours" if match.to_move == seat_of(match, player) else "theirs"
    return match.state
