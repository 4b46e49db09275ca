"""Traces of deleted players: found by id, address and match in the columns that hold these, and deleted in steps.

Nothing is searched for a name: a name can be a word like any other, and other people's messages are theirs. Those are
removed when their time is up (see retention). Each step looks without a lock, and changes few rows in a transaction of
its own; after a crash the next one goes on where the last one ended.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

import structlog
from sqlalchemy import BindParameter, Engine, bindparam, delete, exists, union, update
from sqlmodel import col, or_, select

from pbem.mail.reading.limits import header_block
from pbem.players.erasure import LAST_MAIL, REMEMBERED
from pbem.storage import facts_when_queued
from pbem.storage.database import read_only, transaction
from pbem.storage.mailer import ANSWERED, WITH_CONTENT
from pbem.storage.message_payload_base import FIELDS
from pbem.storage.models import (
    ANONYMOUS,
    UNSENT,
    Departure,
    Incoming,
    IncomingState,
    Match,
    Mention,
    Outgoing,
    OutgoingContent,
    OutgoingState,
    RawMessage,
)
from pbem.storage.retention import change, emptied
from pbem.storage.setbacks import Setbacks

log = structlog.get_logger()

AT_A_TIME = 100
SENDER_LEFT = "its sender has left"
FORGOTTEN: BindParameter[datetime] = bindparam("forgotten")
"""The time before which players left who are forgotten: REMEMBERED before a look at what is due."""
ARE_LEFT = or_(exists().where(col(Departure.swept).is_(None)), exists().where(col(Departure.left) < FORGOTTEN))
"""Whether there are traces of players, or players to be forgotten."""


def sweep(engine: Engine, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    """Delete all data of players who have left, unless stopped before; forget who left long ago. Return 0."""
    with read_only(engine) as session:
        departures = session.exec(select(Departure).where(col(Departure.swept).is_(None))).all()
        old = session.exec(select(Departure.player).where(col(Departure.left) < now - REMEMBERED).limit(1)).first()
    if old is not None:
        with transaction(engine) as session:
            forgotten = (col(Departure.left) < now - REMEMBERED, col(Departure.swept).is_not(None))
            change(session, delete(Departure).where(*forgotten))
    by_player, setbacks = {departure.player: departure for departure in departures}, Setbacks(engine, "traces", now)
    for player in setbacks.ready(by_player):
        with setbacks.noting(player):
            if not _sweep(engine, by_player[player], now, stopped):
                return 0
    return 0


def _sweep(engine: Engine, departure: Departure, now: datetime, stopped: Callable[[], bool]) -> bool:
    # A row is emptied only after what was found by means of it.
    messages = _messages_from(engine, departure, now), _messages_to_others(engine, departure)
    for step in chain(*messages, _messages_to(engine, departure, now)):
        if stopped():
            return False
        with transaction(engine) as session:
            for statement in step:
                change(session, statement)
    with transaction(engine) as session:
        change(session, delete(Mention).where(col(Mention.player) == departure.player))
        swept: dict[str, Any] = {"name": None, "former_names": [], "addresses": [], "swept": now}
        change(session, update(Departure).where(col(Departure.player) == departure.player).values(swept))
    log.info("swept", player=departure.player)
    return True


def _chunks(numbers: Iterable[int | None]) -> Iterator[list[int]]:
    rows = [number for number in numbers if number is not None]
    for start in range(0, len(rows), AT_A_TIME):
        yield rows[start : start + AT_A_TIME]


def _messages_from(engine: Engine, departure: Departure, now: datetime) -> Iterator[Sequence[Any]]:
    """Yield statements that empty what the player sent: proven, from their address, or answered to them."""
    own = Outgoing.player == departure.player
    sent: Any = union(
        select(Incoming.id).where(Incoming.player == departure.player),
        select(Incoming.id).where(col(Incoming.sender).in_(departure.addresses)),
        select(Outgoing.incoming).where(own, col(Outgoing.template).in_(ANSWERED)),
        select(Outgoing.incoming).where(
            col(Outgoing.address).in_(departure.addresses),
            col(Outgoing.player).is_(None),
            col(Outgoing.template).in_(ANSWERED),
        ),
    )
    questions = (col(Outgoing.incoming) == col(Incoming.id), col(Outgoing.template) == "confirm")
    joins_again = exists().where(
        *questions, col(Outgoing.player).is_not(None), col(Outgoing.player) != departure.player
    )
    theirs = (
        or_(col(Incoming.player).is_(None), col(Incoming.player) == departure.player),
        col(Incoming.state) != IncomingState.NEW,
        or_(col(Incoming.state) != IncomingState.HELD, ~joins_again),
    )
    # What is removed is left out here: as a condition, it would have PostgreSQL look through all that isn't.
    rows = select(Incoming.id, Incoming.state, Incoming.removed).where(col(Incoming.id).in_(sent), *theirs)
    with read_only(engine) as session:
        states = {number: state for number, state, removed in session.exec(rows) if number and removed is None}
    shunted = _shunted(engine, departure)
    for chunk in _chunks((*states, *(number for number in shunted if number not in states))):
        held = [number for number in chunk if states.get(number) == IncomingState.HELD]
        yield (
            delete(RawMessage).where(col(RawMessage.incoming).in_(chunk)),
            update(Incoming).where(col(Incoming.id).in_(held)).values(verdict=SENDER_LEFT),
            update(Incoming)
            .where(col(Incoming.id).in_(chunk))
            .values(emptied(now) | {"state": IncomingState.DONE.value, "player": departure.player}),
        )


def _shunted(engine: Engine, departure: Departure) -> Iterator[int]:
    """Yield the messages set aside for the operator that name the player as their author, one in memory at a time."""
    waiting = (
        col(Incoming.state) == IncomingState.SHUNTED,
        col(Incoming.removed).is_(None),
        col(Incoming.player).is_(None),
    )
    with read_only(engine) as session:
        numbers = session.exec(select(Incoming.id).where(*waiting)).all()
    for number in numbers:
        with read_only(engine) as session:
            head = header_block(session.get_one(Incoming, number).raw).lower()
        fields = re.findall(rb"^from:((?:[^\r\n]|\r?\n[ \t])*)", head, re.MULTILINE)
        authors = {author for field in fields for author in re.findall(rb"[^\s<>,;:\"()]+@[^\s<>,;:\"()]+", field)}
        if number is not None and not authors.isdisjoint(address.encode() for address in departure.addresses):
            yield number


def _messages_to_others(engine: Engine, departure: Departure) -> Iterator[Sequence[Any]]:
    """Yield statements that take the player out of messages to others about their matches, or that name them."""
    player = departure.player
    with read_only(engine) as session:
        numbers = {*session.exec(select(Mention.outgoing).where(Mention.player == player))}
        own = session.exec(select(Match.id).where((Match.seat0 == player) | (Match.seat1 == player))).all()
        others = (col(Outgoing.player).is_distinct_from(player), col(Outgoing.removed).is_(None))
        for matches in _chunks(own):
            about = select(Outgoing.id).where(col(Outgoing.match).in_(matches), *others)
            numbers |= {number for number in session.exec(about) if number is not None}
    called = {*departure.addresses, *departure.former_names, *([departure.name] if departure.name else [])}
    instead = f"{ANONYMOUS}{player}"
    for chunk in _chunks(sorted(numbers)):
        present = select(Outgoing).where(col(Outgoing.id).in_(chunk), col(Outgoing.removed).is_(None))
        with read_only(engine) as session:
            rows = session.exec(present.options(WITH_CONTENT)).all()
        yield tuple(statement for row in rows for statement in _without(row, player, called, instead))


def _without(row: Outgoing, player: int, called: set[str], instead: str) -> Iterator[Any]:
    """Yield what takes the player out of a message; one that had nothing but their words is dropped."""
    payload = without_person(row.payload, called, instead)
    facts = facts_when_queued.without(row.facts, player, instead)
    if (payload, facts) == (row.payload, row.facts):
        return
    this = col(OutgoingContent.outgoing) == row.id
    yield update(OutgoingContent).where(this).values(payload=payload, facts=facts)
    if row.template == "message" and not payload.get("message"):
        unsent = (col(Outgoing.id) == row.id, col(Outgoing.state).in_(UNSENT))
        yield update(Outgoing).where(*unsent).values(state=OutgoingState.DROPPED.value, troubled=None)


def _messages_to(engine: Engine, departure: Departure, now: datetime) -> Iterator[Sequence[Any]]:
    """Yield statements that empty every message to the player, and those to their addresses that were nobody's."""
    to_them = (Outgoing.player == departure.player, Outgoing.address != f"{ANONYMOUS}{departure.player}")
    to_address = (
        col(Outgoing.player).is_(None),
        col(Outgoing.address).in_(departure.addresses),
        col(Outgoing.template) != LAST_MAIL,
    )
    with read_only(engine) as session:
        numbers = [*session.exec(select(Outgoing.id).where(*to_them))]
        numbers += session.exec(select(Outgoing.id).where(*to_address)).all()
    gone: dict[str, Any] = {"address": f"{ANONYMOUS}{departure.player}", "references": [], "removed": now}
    gone |= dict.fromkeys(("plies", "purpose", "stranger_domain", "in_reply_to"))
    gone |= dict.fromkeys(("error", "proposal", "troubled", "gist"))
    for chunk in _chunks(numbers):
        yield (
            delete(Mention).where(col(Mention.outgoing).in_(chunk)),
            delete(OutgoingContent).where(col(OutgoingContent.outgoing).in_(chunk)),
            update(Outgoing).where(col(Outgoing.id).in_(chunk)).values(gone),
        )


AUTHOR, WORDS = "by", "message"  # the field that names an author, and the one beside it that holds what they wrote


def without_person(payload: Any, called: Collection[str], instead: str) -> Any:
    """Return the payload without a person of those names and addresses, and without what they wrote.

    >>> without_person({"by": "to", "message": ["Welcome", "to you"], "subject": "Re: to"}, {"to"}, "deleted-7")
    {'by': 'deleted-7', 'message': [], 'subject': 'Re: to'}
    """
    if isinstance(payload, list):
        return [without_person(value, called, instead) for value in payload]
    if not isinstance(payload, Mapping):
        return payload
    wrote = payload.get(AUTHOR) in called
    redacted: dict[str, Any] = {}
    for key, value in payload.items():
        if key in FIELDS and isinstance(value, str):
            redacted[key] = instead if value in called else value
        else:
            redacted[key] = [] if wrote and key == WORDS else without_person(value, called, instead)
    return redacted
