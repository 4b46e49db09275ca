"""News for a player about a match, and the one place where it is queued: at once, with other news, or after a while."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlmodel import Session, col, func, select
from sqlmodel.sql.expression import SelectOfScalar

from pbem.config import ServerSettings
from pbem.matches.clock import timekeeping
from pbem.matches.queries import seat_of, version
from pbem.messages import delivery_choices, general_preferences
from pbem.messages.contents.message_payloads import Invitation, Words
from pbem.players import news_times_and_pauses
from pbem.storage import facts_when_queued, mailer
from pbem.storage.mailer import Cause, Delivery, Mailer
from pbem.storage.message_payload_base import News, dump, load
from pbem.storage.models import UNSENT, Incoming, Match, Outgoing, Player
from pbem.storage.utc import within
from pbem.tokens import Purpose

NOTES_APART = timedelta(minutes=5)
"""After a note, further ones about the match wait that long, and go out in one message."""
LONGEST_NOTES = 100_000
"""The most characters of notes in one piece of news, so that what waits goes out in messages of bounded size."""


@dataclass(frozen=True, slots=True)
class Notice:
    player: Player
    payload: News | Invitation
    match: Match
    is_collected: bool = False  # whether it can always wait for other news of that moment
    useful_until: datetime | None = None


def notify(
    session: Session, server: ServerSettings, now: datetime, notice: Notice, incoming: Incoming | None = None
) -> None:
    player, match = notice.player, notice.match
    if isinstance(notice.payload, Words) and _joins(session, notice, notice.payload):
        return
    waits_until = _note_waits(session, notice, now) if isinstance(notice.payload, Words) else None
    is_notice = player.confirmed is not None
    if player.stopped is not None:  # unless another daemon is just handling their "start"
        session.flush()
        session.refresh(player, with_for_update={"read": True})
    is_batched = is_notice and _is_batched(now, notice)
    is_wished = _stopped(notice) is not None or (is_batched and player.unreachable is None)
    Mailer(session, server, now).to_player(
        player,
        notice.payload,
        purpose=Purpose.PLAY,
        match=match,
        cause=Cause(incoming),
        delivery=Delivery(is_notice, is_batched, waits_until),
    )
    is_timed = match.clock is not None and match.to_move is not None
    if is_wished and is_timed and seat_of(match, player) == match.to_move:
        timekeeping.hand_over(session, [(match.id or 0, version(match))], now)  # they wish that nothing is sent yet


def _joins(session: Session, notice: Notice, note: Words) -> bool:
    """Add a note to one for the same player about the match that isn't on its way yet. Return whether there was one."""
    unsent = _news_of(notice, note.template).where(col(Outgoing.state).in_(UNSENT), Outgoing.attempts == 0)
    newest = unsent.order_by(col(Outgoing.id).desc()).limit(1)
    row = session.exec(newest.with_for_update(of=Outgoing)).first()
    if row is None or row.content is None:
        return False
    before = load(Words, row.payload)
    if sum(map(len, (*before.message, *note.message))) > LONGEST_NOTES:
        return False
    rewrite(session, row, notice, replace(before, message=(*before.message, "", *note.message)))
    return True


def rewrite(session: Session, row: Outgoing, notice: Notice, payload: News) -> None:
    """Have a message that hasn't gone out show the match as it is now, with that payload."""
    content = mailer.kept_content(row)
    content.payload = dump(payload)
    content.facts = facts_when_queued.gather(session, notice.player, [notice.match.id or 0])
    row.ply, row.shift = notice.match.plies, notice.match.shift
    session.flush()


def _news_of(notice: Notice, template: str) -> SelectOfScalar[Outgoing]:
    of_match = (Outgoing.match == notice.match.id, Outgoing.player == notice.player.id)
    return select(Outgoing).where(*of_match, Outgoing.template == template).options(mailer.WITH_CONTENT)


def _note_waits(session: Session, notice: Notice, now: datetime) -> datetime | None:
    """Return until when a note waits for more; None if the last one about the match went out long ago."""
    earlier = (Outgoing.match == notice.match.id, Outgoing.player == notice.player.id, Outgoing.template == "message")
    recent = within(Outgoing.created, 2 * NOTES_APART, now)
    last = session.exec(select(func.max(Outgoing.due)).where(*earlier, recent)).one()
    return min(last, now) + NOTES_APART if last is not None and last + NOTES_APART > now else None


def _is_batched(now: datetime, notice: Notice) -> bool:
    player, choices = notice.player, general_preferences.with_defaults(notice.player.settings)
    way = delivery_choices.way(player.settings, notice.payload.template, notice.match.id)
    stopped = _stopped(notice)
    if stopped is None and player.stopped is not None:
        return False
    if not notice.is_collected and stopped is None and way == "each":
        return False
    due = news_times_and_pauses.due_at(way, choices, stopped, now)
    return due is None or notice.useful_until is None or due < notice.useful_until


def _stopped(notice: Notice) -> datetime | None:
    is_turn = notice.payload.template in mailer.TURNS
    return None if is_turn and notice.player.gets_turns_only else notice.player.stopped


def retell(session: Session, notice: Notice, incoming: Incoming) -> bool:
    """Have the news about the turn of this message show the match as it is now. Return whether there is such news."""
    turn = session.exec(_news_of(notice, "turn").where(Outgoing.incoming == incoming.id)).first()
    if turn is None:
        return False
    mailer.kept_content(turn).facts = facts_when_queued.gather(session, notice.player, [notice.match.id or 0])
    return True
