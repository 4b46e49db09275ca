"""Retention: how long a message is kept in each of its states, and what stays of its row when it is removed.

Matches and their turns are kept forever. So are the rows of received messages, without what they say: which turn came
by which, and the keys by which one that comes again is recognised. Of somebody who never became a player nothing is
kept but that there was somebody, once no message to them is left.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any

import structlog
from sqlalchemy import Engine, String, case, cast, delete, func, literal, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select, update

from pbem.storage.database import read_only, transaction
from pbem.storage.models import (
    ANONYMOUS,
    Incoming,
    IncomingState,
    Invitee,
    Match,
    MatchState,
    Mention,
    Outgoing,
    OutgoingContent,
    OutgoingState,
    Player,
    RawMessage,
)
from pbem.tokens import OLDEST, Purpose

log = structlog.get_logger()

EVERY = timedelta(hours=1)
NEVER = datetime(1970, 1, 1, tzinfo=UTC)
BATCH = 200  # per transaction
NOWHERE = "nowhere"  # what replaces an address that is no player's
ROWS_KEPT = timedelta(days=365)  # those of outgoing messages, without what they said
KEPT_TEMPLATES = ("alert",)  # messages whose payload is needed later and has no personal data


class Rule(Enum):
    IN_WORK = "never too old: it is about to be handled or sent"
    WAITS = "waits for somebody; given up after keep_waiting_days"
    ASKS = "waits for the yes of its sender; settled after keep_mail_days"
    DONE = "done with; emptied after keep_mail_days"


INCOMING: Mapping[IncomingState, Rule] = {
    IncomingState.NEW: Rule.IN_WORK,
    IncomingState.HELD: Rule.ASKS,
    IncomingState.SHUNTED: Rule.WAITS,
    IncomingState.DONE: Rule.DONE,
}
"""The rule for each state of a received message, whose age is counted from when it was last handled."""
OUTGOING: Mapping[OutgoingState, Rule] = {
    OutgoingState.BATCHED: Rule.IN_WORK,
    OutgoingState.WAITING: Rule.IN_WORK,
    OutgoingState.OWED: Rule.IN_WORK,
    OutgoingState.PAUSED: Rule.WAITS,
    OutgoingState.SUSPENDED: Rule.WAITS,
    OutgoingState.FAILED: Rule.WAITS,
    OutgoingState.MERGED: Rule.DONE,
    OutgoingState.SENT: Rule.DONE,
    OutgoingState.DROPPED: Rule.DONE,
}
"""The rule for each state of an outgoing message, whose age is counted from when it was last due."""
SETTLED = {Rule.ASKS: "not confirmed in time", Rule.WAITS: "given up: it waited too long for the operator"}
"""The verdict on a received message that nobody claimed."""
INVITED_AGAIN = timedelta(days=180)
"""For how long nobody can invite an address again that was invited and hasn't joined; until then its hash is kept."""


def emptied(now: datetime) -> dict[str, Any]:
    """Return the columns of a received message once it is removed. Its key stays, so that a replay is recognised."""
    return {
        "sender": None,
        "recipients": [],
        "error": None,
        "source": case((col(Incoming.source).startswith("smtp"), "smtp"), else_=Incoming.source),
        "removed": now,
    }


def change(session: Session, statement: Any) -> None:
    """Change rows without synchronising the session."""
    session.flush()
    session.execute(statement.execution_options(synchronize_session=False))


@dataclass(slots=True)
class Retention:
    keep_days: int  # after how many days what is done with is removed; 0 for never
    waiting_days: int  # after how many days what waits for somebody is given up; 0 for never
    due: datetime | None = None

    def step(self, engine: Engine, now: datetime) -> int:
        """Give up and remove the next few old messages if it is time; return how many."""
        if self.due is not None and now < self.due:
            return 0
        done = now - timedelta(days=self.keep_days) if self.keep_days else NEVER
        waited = now - timedelta(days=self.waiting_days) if self.waiting_days else NEVER
        ends = {Rule.IN_WORK: NEVER, Rule.WAITS: waited, Rule.ASKS: done, Rule.DONE: done}
        # What is given up is then done with, in a state that comes later.
        received = {state: _incoming(engine, state, ends[rule], now) for state, rule in INCOMING.items()}
        owed = {state: _outgoing(engine, state, ends[rule], now) for state, rule in OUTGOING.items()}
        invitees, rows = _invitees(engine, now - INVITED_AGAIN), _rows(engine, now - ROWS_KEPT)
        removed = (*received.values(), *owed.values(), invitees, rows)
        if BATCH not in removed:  # after a full batch there may be more
            self.due = now + EVERY
        if any(removed):
            outgoing = dict.fromkeys(Rule, 0)
            for state, number in owed.items():
                outgoing[OUTGOING[state]] += number
            counts = {"incoming": received[IncomingState.DONE], "outgoing": outgoing[Rule.DONE]}
            counts |= {"unanswered": received[IncomingState.HELD], "invitees": invitees, "rows": rows}
            given_up = received[IncomingState.SHUNTED] + outgoing[Rule.WAITS]
            log.info("old mails removed", **counts, given_up=given_up, before=f"{done:%F}")
        return sum(removed)


def _oldest(engine: Engine, key: Any, since: Any, old: Iterable[Any]) -> Sequence[Any]:
    """Return the keys of the next few rows for which all those conditions are true, the oldest first."""
    with read_only(engine) as session:
        keys: Sequence[Any] = session.exec(select(key).where(*old).order_by(col(since)).limit(BATCH)).all()
    return keys


def _incoming(engine: Engine, state: IncomingState, before: datetime, now: datetime) -> int:
    rule = INCOMING[state]
    old = (col(Incoming.state) == state, col(Incoming.removed).is_(None), col(Incoming.handled) < before)
    numbers = _oldest(engine, Incoming.id, Incoming.handled, old)
    if not numbers:
        return 0
    settled: dict[str, Any] = {"state": IncomingState.DONE.value, "verdict": SETTLED.get(rule), "recipients": []}
    values = emptied(now) if rule is Rule.DONE else settled
    with transaction(engine) as session:
        if rule is Rule.DONE:  # one of them may be handled again meanwhile
            still = select(Incoming.id).where(Incoming.id == RawMessage.incoming, *old).exists()
            change(session, delete(RawMessage).where(col(RawMessage.incoming).in_(numbers), still))
        change(session, update(Incoming).where(col(Incoming.id).in_(numbers), *old).values(values))
    return len(numbers)


def _invitees(engine: Engine, before: datetime) -> int:
    """Delete the next few rows of addresses last invited before that, whose owners didn't refuse; return how many."""
    old = (col(Invitee.invited) < before, col(Invitee.refused).is_(None))
    addresses = _oldest(engine, Invitee.address, Invitee.invited, old)
    if addresses:
        with transaction(engine) as session:
            change(session, delete(Invitee).where(col(Invitee.address).in_(addresses), *old))
    return len(addresses)


def _rows(engine: Engine, before: datetime) -> int:
    """Delete the next few rows of outgoing messages that were emptied before that; return how many."""
    later, open_ = aliased(Outgoing), (MatchState.OFFERED, MatchState.RUNNING)
    old = (
        col(Outgoing.removed) < before,
        col(Outgoing.plies).is_(None),
        ~select(Match.id).where(Match.id == Outgoing.match, col(Match.state).in_(open_)).exists(),
        ~select(later.id).where(later.merged_into == Outgoing.id).exists(),
        col(Outgoing.id) < select(func.max(later.id)).scalar_subquery(),  # SQLite would give its number again
    )
    numbers = _oldest(engine, Outgoing.id, Outgoing.removed, old)
    if numbers:
        with transaction(engine) as session:
            change(session, delete(Outgoing).where(col(Outgoing.id).in_(numbers), *old))
    return len(numbers)


def _outgoing(engine: Engine, state: OutgoingState, before: datetime, now: datetime) -> int:
    rule = OUTGOING[state]
    is_there = (col(Outgoing.state) == state, col(Outgoing.removed).is_(None))
    old = (*is_there, col(Outgoing.due) < before, col(Outgoing.template).not_in(KEPT_TEMPLATES))
    numbers = _oldest(engine, Outgoing.id, Outgoing.due, old)
    if not numbers:
        return 0
    values: dict[str, Any] = {"state": OutgoingState.DROPPED.value, "troubled": None}
    if rule is Rule.DONE:
        values = {"error": None, "in_reply_to": None, "references": [], "removed": now}
    with transaction(engine) as session:
        rows = select(Outgoing.id).where(col(Outgoing.id).in_(numbers), *old).with_for_update(skip_locked=True)
        locked = session.exec(rows).all()
        if rule is Rule.DONE:
            for table in (Mention, OutgoingContent):
                change(session, delete(table).where(col(table.outgoing).in_(locked)))
        change(session, update(Outgoing).where(col(Outgoing.id).in_(locked)).values(values))
        if rule is Rule.DONE:
            _forget_strangers(session, locked, now)
    return len(numbers)


def _forget_strangers(session: Session, numbers: Sequence[int | None], now: datetime) -> None:
    """Remove people who never became players, and have neither a message left to answer nor an open invitation."""
    removed = col(Outgoing.id).in_(numbers)
    nobody_s = or_(col(Outgoing.player).is_(None), col(Outgoing.purpose) == Purpose.ADDRESS.name)
    change(session, update(Outgoing).where(removed, nobody_s).values(address=NOWHERE, stranger_domain=None))
    answerable = select(Outgoing.id).where(Outgoing.player == Player.id, col(Outgoing.removed).is_(None))
    is_open = col(Match.state).in_((MatchState.OFFERED, MatchState.RUNNING))
    invited = (select(Match.id).where(seat == Player.id, is_open) for seat in (Match.seat0, Match.seat1))
    never_joined = (col(Player.confirmed).is_(None), col(Player.deleted).is_(None), col(Player.address).contains("@"))
    is_stranger = (*never_joined, *(~reason.exists() for reason in (answerable, *invited)))
    theirs = select(Outgoing.player).where(removed, col(Outgoing.player).is_not(None))
    strangers = session.exec(select(Player.id).where(col(Player.id).in_(theirs), *is_stranger)).all()
    if not strangers:
        return
    anonymous = literal(ANONYMOUS) + cast(Player.id, String)
    gone = {"name": anonymous, "address": anonymous, "settings": {}, "stopped": None, "deleted": now}
    gone |= {"unreachable": None, "epoch": col(Player.epoch) + OLDEST + 1}
    change(session, update(Player).where(col(Player.id).in_(strangers), *is_stranger).values(gone))
    forgotten = select(Player.id).where(col(Player.id).in_(strangers), col(Player.deleted).is_not(None))
    sent = update(Outgoing).where(col(Outgoing.player).in_(forgotten))
    change(session, sent.values(address=literal(ANONYMOUS) + cast(Outgoing.player, String), stranger_domain=None))
