"""Answers that wait: that to a turn against the house, to tell the house's turn too, and that to "hint", for the hint.

So a turn is answered by one message where the house is quick, and where it isn't, the receipt goes out alone.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Engine, exists, update
from sqlmodel import Session, col, select

from pbem.matches.queries import seat_of
from pbem.messages.contents.answer_sections import Hint, TurnNews
from pbem.messages.contents.message_payloads import Answer
from pbem.players.queue_match_news import Notice, rewrite
from pbem.storage import mailer
from pbem.storage.database import transaction
from pbem.storage.due_rows import NOW
from pbem.storage.leases import ENDED
from pbem.storage.message_payload_base import Payload, dump, load
from pbem.storage.models import Match, MatchState, Outgoing, OutgoingState, Player, Search, SearchKind

WAIT = timedelta(seconds=20)  # how long an answer waits for the house
_WAITS = (col(Outgoing.state) == OutgoingState.WAITING, col(Outgoing.removed).is_(None))
HAVE_WAITED = exists().where(*_WAITS, col(Outgoing.due) <= NOW)
_AWAIT_HINTS = (*_WAITS, col(Outgoing.template) == "answer")
ARE_AWAITED = exists().where(*_AWAIT_HINTS)


def due(match: Match, player: Player, payload: Payload, now: datetime) -> datetime | None:
    if asked_hint(payload) is not None:
        return now + WAIT
    if not isinstance(payload, TurnNews):
        return None
    is_house_to_move = match.level is not None and match.state == MatchState.RUNNING and match.paused is None
    return now + WAIT if is_house_to_move and match.to_move != seat_of(match, player) else None


def retell(session: Session, notice: Notice, now: datetime) -> bool:
    """Add the news to the player's waiting receipt, and send it. Return whether one was waiting."""
    player, match = notice.player, notice.match
    waits = (Outgoing.match == match.id, Outgoing.player == player.id, Outgoing.state == OutgoingState.WAITING)
    turns = select(Outgoing).where(*waits, Outgoing.template == "turn")
    row = session.exec(turns.options(mailer.WITH_CONTENT).with_for_update(of=Outgoing)).first()
    if row is None or not isinstance(notice.payload, TurnNews):
        return False
    before = load(TurnNews, row.payload)
    row.state, row.due = OutgoingState.OWED, now
    rewrite(session, row, notice, replace(notice.payload, since=before.since or before.ply or None))
    return True


def asked_hint(payload: Payload) -> Hint | None:
    """Return the hint that an answer is about, if it says nothing else and the house hasn't found it yet."""
    sections = payload.sections if isinstance(payload, Answer) else ()
    only = sections[0] if len(sections) == 1 else None
    return only if isinstance(only, Hint) and only.turn is None else None


def awaited_hints(session: Session, most: int) -> list[int]:
    answers = select(Outgoing.id).where(*_AWAIT_HINTS).order_by(col(Outgoing.due)).limit(most)
    return [number or 0 for number in session.exec(answers)]


def give_hint(session: Session, number: int, turn: str, now: datetime) -> bool:
    """Add the hint to a waiting answer, send it, and count it for the day. Return whether one was waiting."""
    row = session.get(Outgoing, number, with_for_update=True, populate_existing=True)
    if row is None or row.state != OutgoingState.WAITING or row.match is None or row.player is None:
        return False
    answer = load(Answer, row.payload)
    hint = asked_hint(answer)
    if hint is None:
        return False
    mailer.kept_content(row).payload = dump(replace(answer, sections=(replace(hint, turn=turn),)))
    row.state, row.due, row.leased_until, row.holder = OutgoingState.OWED, now, None, None
    this: dict[str, Any] = {"match": row.match, "kind": SearchKind.HINT, "version": row.ply + row.shift}
    if session.exec(select(Search.id).filter_by(**this)).first() is None:
        session.add(Search(**this, player=row.player, asked=now, due=now, done=now, attempts=1))
    session.flush()
    return True


def release(session: Session, match: Match, now: datetime) -> None:
    """Send the receipts in a match as they are, before another message about it."""
    waits = (col(Outgoing.match) == match.id, col(Outgoing.state) == OutgoingState.WAITING)
    session.exec(update(Outgoing).where(*waits).values(state=OutgoingState.OWED, due=now, **ENDED))


def release_due(engine: Engine, now: datetime) -> int:
    """Send the receipts that have waited long enough. Return how many."""
    with transaction(engine) as session:
        receipts = update(Outgoing).where(*_WAITS, col(Outgoing.due) <= now)
        return int(session.exec(receipts.values(state=OutgoingState.OWED, due=now, **ENDED)).rowcount)
