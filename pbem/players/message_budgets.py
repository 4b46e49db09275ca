"""How much one sender can cause: budgets that end loops and keep us from being used against others.

A budget belongs to the sender. Messages that prove nothing are answered sparingly, since the address in From may be a
victim's, and what they use up is never missing for those that prove something. What is counted are the rows of
messages, by indexes that hold nothing else; a turn with proof is played whatever was counted.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from math import ceil
from typing import Any, NamedTuple

import structlog
from sqlalchemy import ColumnElement, String, and_, cast, exists, or_
from sqlmodel import Session, col, func, select

from pbem.config import LimitsSettings, ServerSettings
from pbem.errors import Refused, Silence, Unanswerable
from pbem.matches.clock.timekeeping import ZONE
from pbem.messages import general_preferences
from pbem.messages.contents.answer_sections import Refusal, TurnNews
from pbem.messages.contents.message_payloads import Answer
from pbem.messages.times_shown import moment
from pbem.players import invitations
from pbem.players.sender_identity import Sender
from pbem.storage.mailboxes_and_domains import DOTLESS, is_large, mailbox, owner
from pbem.storage.message_payload_base import Section, dump
from pbem.storage.models import Incoming, IncomingState, Match, Outgoing, OutgoingContent, Player, Standing
from pbem.storage.utc import within

log = structlog.get_logger()

HOUR, DAY, WEEK, MONTH = timedelta(hours=1), timedelta(days=1), timedelta(days=7), timedelta(days=30)
STRANGER_PER_DAY, STRANGER_PER_MONTH = 5, 20
"""The number of replies that an address gets in a day, and in thirty, if it isn't a player's."""
DOMAIN_PER_DAY, LARGE_DOMAIN_PER_DAY = 100, 2_000
"""The number of replies that all such addresses of one domain get in a day together. The larger one, which only keeps a
domain from using up what all get, is that of providers, and of domains that vouch for the sender."""
SPREAD = ((HOUR, 4), (6 * HOUR, 2), (DAY, 1))
"""A quarter of what a domain, or all of them, get in a day can be used in an hour and half in six: forged messages come
in bursts, and newcomers after one are answered again."""
MATCH_PER_DAY = 1_000  # messages that one player can cause about one match
MOST_SAME, MOST_SAME_TO_OTHERS = 50, 20
"""How often the same answer goes to a player with proof within a day, and to others: machines reply to every reply."""
MOST_QUESTIONS = 3
"""How often an address is asked within a day whether it is a player's, and how often a question without proof."""
MOST_COST, MOST_COST_UNPROVEN, MOST_COST_PER_HOUR = 4_000, 100, 20_000
"""What one message can have us look up, in turns to replay and lines to list; what one that proves nothing can, whose
answer may go to a victim; and what all messages of a player can within an hour."""
ONCE = "once "  # how the gist of what is said once a day begins
LONG_NUMBER = re.compile(r"\d{3,}")
NO_COMMAND = "no command"
"""The gist of answers to messages in which nothing resembles a command; machines vary the words of those."""


class Budget(NamedTuple):
    """How many answers can go to some addresses within a time, and the silence beyond that."""

    name: str
    key: ColumnElement[bool]
    most: int
    per: timedelta
    says: Silence
    is_shared: bool = False

    def left(self, session: Session, standing: Standing, now: datetime) -> int:
        """Return how many are left to senders of that standing: forgeries don't use up those of proven senders."""
        return self.most - used(session, and_(self.key, col(Outgoing.standing) == standing), self.most, self.per, now)

    def is_half_used(self, left: int) -> bool:
        """Return whether another answer leaves less than half."""
        return left - 1 < self.most // 2


def used(session: Session, key: ColumnElement[bool], most: int, per: timedelta, now: datetime) -> int:
    """Count what was sent within that time, but no further than matters."""
    rows = select(Outgoing.id).where(key, within(Outgoing.created, per, now)).limit(most).subquery()
    return session.exec(select(func.count()).select_from(rows)).one()


def of_address(session: Session, address: str, standing: Standing, most: int, now: datetime) -> None:
    """Raise Refused, then Unanswerable, if an address has had its answers to messages without proof for this hour."""
    budget = Budget("address", col(Outgoing.address) == address, most + 1, HOUR, Silence.HOURLY_ANSWERS)
    left = budget.left(session, standing, now)
    if left <= 0:
        raise Unanswerable(budget.says)
    if left == 1:
        raise Refused(
            f"More than {most} messages came from this address within an hour without proof of who sent them, "
            "so we won't reply to the next ones.",
            fits="Reply to one of our messages, or write to your personal address: we never ignore that.",
        )


def _of_all(limits: LimitsSettings) -> Iterator[Budget]:
    to_strangers = col(Outgoing.stranger_domain).is_not(None)
    return _spread("all", to_strangers, limits.strangers_per_day, Silence.DAILY_ANSWERS_TO_STRANGERS)


def _spread(name: str, key: ColumnElement[bool], per_day: int, says: Silence) -> Iterator[Budget]:
    return (Budget(name, key, -(-per_day // share), span, says, is_shared=True) for span, share in SPREAD)


def of_unproven(
    session: Session, sender: Sender, server: ServerSettings, limits: LimitsSettings, now: datetime
) -> bool | None:
    """Return whether half of the answers to strangers is used, if a stranger writes; None for anybody else.

    Raise Refused for the first message without proof that is one too many, and Unanswerable after that. An admin is no
    stranger, and can moderate.
    """
    if sender.standing is None:
        return None
    if sender.is_stranger and not server.is_admin(sender.address):
        per_month = 1 if invitations.is_ruled_out(session, sender.address) else STRANGER_PER_MONTH
        return of_stranger(session, sender.address, sender.standing, limits, now, per_month=per_month)
    of_address(session, sender.address, sender.standing, limits.answers_per_hour, now)
    return None


def of_stranger(
    session: Session, address: str, standing: Standing, limits: LimitsSettings, now: datetime, *, per_month: int
) -> bool:
    """Return whether less than half is left; raise Unanswerable if the address, its domain or all have had enough."""
    domain, its_mailbox = owner(address), _is_mailbox(address)
    is_player = exists().where(col(Player.address) == col(Outgoing.address), col(Player.confirmed).is_not(None))
    of_domain = and_(col(Outgoing.stranger_domain) == domain, ~is_player)
    per_domain = LARGE_DOMAIN_PER_DAY if standing is Standing.VOUCHED or is_large(domain) else DOMAIN_PER_DAY
    budgets = (
        Budget("address", its_mailbox, STRANGER_PER_DAY, DAY, Silence.DAILY_ANSWERS_TO_ADDRESS),
        *_spread("domain", of_domain, per_domain, Silence.DAILY_ANSWERS_TO_DOMAIN),
        *_of_all(limits),
        Budget("address", its_mailbox, per_month, MONTH, Silence.MONTHLY_ANSWERS_TO_ADDRESS),
    )
    least: dict[str, int] = {}
    is_half_used = False
    for budget in budgets:
        left = budget.left(session, standing, now)
        if left <= 0:
            raise Unanswerable(budget.says)
        least[budget.name] = min(left - 1, least.get(budget.name, left))
        is_half_used = is_half_used or (budget.is_shared and budget.is_half_used(left))
    log.info("answers left for strangers", of_address=least["address"], of_domain=least["domain"], all=least["all"])
    return is_half_used


def are_half_used(session: Session, limits: LimitsSettings, now: datetime) -> bool:
    """Return whether half of what all strangers get is used, of those with or without a domain that vouches."""
    budgets = ((budget, standing) for budget in _of_all(limits) for standing in Standing)
    return any(budget.is_half_used(budget.left(session, standing, now)) for budget, standing in budgets)


def excess_of(session: Session, player: Player, this: Incoming, most: int, now: datetime) -> Refused | None:
    """Return the refusal of a message with which a player sent more within an hour than a person writes."""
    others = of_hour(player, now, Incoming.received).where(Incoming.id != this.id)
    oldest = session.exec(others.order_by(col(Incoming.received).desc()).offset(most - 1).limit(1)).first()
    if oldest is None:
        return None
    again = moment(oldest + HOUR, general_preferences.with_defaults(player.settings)[ZONE], now)
    return Refused(
        f"You sent more than {most} messages within an hour, so we don't read this one.",
        fits=f"If you send nothing until {again}, we read everything again. Until then we answer only turns, "
        "and what you reply to a question of ours.",
        gist=f"{ONCE}over {now:%d %H}",
    )


def of_hour(player: Player, now: datetime, *columns: Any) -> Any:
    return select(*columns).where(Incoming.player == player.id, within(Incoming.received, HOUR, now))


def check_cost(
    session: Session, sender: Sender, this: Incoming, line: str, own: int, spent: int, now: datetime
) -> None:
    """Raise Refused if a line would have us look up too much for one message, or for a player within an hour."""
    is_unproven = sender.standing is not None
    if spent and spent + own > (MOST_COST_UNPROVEN if is_unproven else MOST_COST):
        proven = "in a reply to one of our messages" if is_unproven else "in another message"
        raise Refused(
            "One message can't hold everything you asked for, so the answer ends here.",
            read=line,
            fits=f"Send this line and those below {proven}.",
        )
    if sender.player is None or not sender.proven:
        return
    rows = of_hour(sender.player, now, Incoming.received, Incoming.cost)
    others = rows.where(Incoming.id != this.id, col(Incoming.cost) > 0).order_by(col(Incoming.received).desc())
    total = spent + own
    for received, earlier in session.exec(others):
        total += earlier
        if total > MOST_COST_PER_HOUR:
            again = received + HOUR
            minutes = max(1, ceil((again - now).total_seconds() / 60))
            raise Refused(
                "You've had us look up as much as one player can within an hour, so the answer ends here.",
                read=line,
                fits=f"This works again in {minutes} minutes. Your turns count as always.",
                gist=f"{ONCE}until {again:%d %H}",
            )


def of_match(session: Session, match: int, player: Player, this: Incoming, now: datetime) -> None:
    """Raise Refused if a player caused more messages about a match today, with this one, than anyone can be reading."""
    is_theirs = or_(col(Incoming.player) == player.id, col(Incoming.id) == this.id)
    caused = (
        select(Outgoing.id)
        .join(Incoming, col(Incoming.id) == col(Outgoing.incoming))
        .where(Outgoing.match == match, within(Outgoing.created, DAY, now), is_theirs)
    )
    if session.exec(caused.offset(MATCH_PER_DAY - 1).limit(1)).first() is not None:
        raise Refused(
            f"Your messages about match #{match} caused {MATCH_PER_DAY} of ours today, and that's the limit.",
            fits="Your turns still count; everything else has to wait until tomorrow.",
            gist=f"{ONCE}{match}",
        )


def is_asked_often(session: Session, address: str, now: datetime) -> bool:
    questions = and_(_is_mailbox(address), col(Outgoing.template) == "address")
    return used(session, questions, MOST_QUESTIONS, DAY, now) >= MOST_QUESTIONS


def gist_of(kind: str, about: Sequence[object]) -> str:
    """Return what makes two answers, or two questions, the same."""
    return hashlib.sha256(json.dumps([kind, *about], sort_keys=True).encode()).hexdigest()[:32]


def said(session: Session, sender: Sender, gist: str, now: datetime) -> Sequence[dict[str, Any]]:
    """Return what the sender was told of that gist within a day."""
    payloads = _with_gist(OutgoingContent.payload, sender, gist, DAY, now)
    return list(session.exec(payloads.where(OutgoingContent.outgoing == Outgoing.id)))


def was_asked(session: Session, sender: Sender, gist: str, now: datetime) -> bool:
    return bool(times(session, sender, gist, DAY, now))


def is_open_question(session: Session, sender: Sender, gist: str, now: datetime) -> bool:
    """Return whether the sender was asked the same within an hour, and hasn't answered."""
    questions = _with_gist(Outgoing.id, sender, gist, HOUR, now)
    unanswered = questions.join(Incoming, col(Incoming.id) == col(Outgoing.incoming))
    return session.exec(unanswered.where(Incoming.state == IncomingState.HELD).limit(1)).first() is not None


def was_told(session: Session, address: str, gist: str, now: datetime) -> bool:
    """Return whether something of that gist went to the address within a day, whatever had proven the sender."""
    sent = and_(col(Outgoing.address) == address, col(Outgoing.gist) == gist)
    return used(session, sent, 1, DAY, now) > 0


def ends_until(
    session: Session, sender: Sender, sections: Sequence[Section], gist: str, now: datetime
) -> datetime | None:
    """Return until when this is the last such answer, or now if more can follow; None if it isn't even sent.

    That is sooner if the message proves nothing: the same answer goes out once a day.
    """
    is_error = any(isinstance(section, Refusal) for section in sections)
    has_token = sender.proven or (sender.address_question is not None and not sender.by_thread)
    if not has_token and (is_error or sender.is_stranger):
        if gist == NO_COMMAND:
            earlier, stored = said(session, sender, gist, now), _stored(sections)
            was_said = any(payload.get("sections") == stored for payload in earlier)
        else:
            was_said = was_asked(session, sender, gist, now)
        if was_said:
            return None
    if gist.startswith(ONCE):
        return None if was_asked(session, sender, gist, now) else now
    replies = times(session, sender, gist, DAY, now)
    left = (MOST_SAME if sender.proven and sender.is_player else MOST_SAME_TO_OTHERS) - len(replies)
    if left <= 0:
        return None
    return replies[-1] + DAY if left == 1 else now


def gist_of_answer(sections: Sequence[Section]) -> str | None:
    """Return what makes two answers the same: all of it, but for long numbers in refusals, such as those of tickets.

    Return None where an answer tells of turns and nothing else: each is played once, so no two such answers are.
    """
    if all(isinstance(section, TurnNews) for section in sections):
        return None
    stored = _stored(sections)
    for section in stored:
        if section["template"] == "refused":
            section |= {key: LONG_NUMBER.sub("0", text) for key, text in section.items() if isinstance(text, str)}
    return gist_of("answer", stored)


def _stored(sections: Sequence[Section]) -> list[dict[str, Any]]:
    stored: list[dict[str, Any]] = dump(Answer(sections=tuple(sections), subject=""))["sections"]
    return stored


def questions_left(session: Session, sender: Sender, gist: str, now: datetime, *, joins: bool) -> int:
    """Return how often a question can be repeated to someone who says neither yes nor no; once to who may `join`."""
    asked_before = (MOST_SAME, DAY) if sender.standing is None else (MOST_QUESTIONS, WEEK)
    most, span = (1, MONTH) if joins else asked_before
    return most - len(times(session, sender, gist, span, now))


def _with_gist(column: Any, sender: Sender, gist: str, span: timedelta, now: datetime) -> Any:
    """Select what was sent to senders of that standing; forgeries don't use up the budgets of proven senders."""
    return select(column).where(
        Outgoing.address == sender.address,
        Outgoing.gist == gist,
        within(Outgoing.created, span, now),
        col(Outgoing.standing) == sender.standing,
    )


def times(session: Session, sender: Sender, gist: str, span: timedelta, now: datetime) -> Sequence[datetime]:
    """Return when something of that gist was sent to such senders, newest first, but no more than matter."""
    sent = _with_gist(Outgoing.created, sender, gist, span, now).order_by(col(Outgoing.created).desc())
    return list(session.exec(sent.limit(MOST_SAME)))


def _is_mailbox(address: str) -> ColumnElement[bool]:
    """Below one registered domain only what is before the @ counts: a host with any name may hand all to one person."""
    local, _, host = mailbox(address).rpartition("@")
    column = col(Outgoing.address)
    written = func.replace(column, ".", "", type_=String) if host in DOTLESS else column
    is_local = or_(written.startswith(f"{local}@", autoescape=True), written.startswith(f"{local}+", autoescape=True))
    return and_(col(Outgoing.stranger_domain) == owner(address), is_local)


NOTES_PER_HOUR, LETTERS_PER_HOUR = 40, 100_000
"""The number and the length of messages with notes and offers that one player can cause to another in an hour."""


def check_to_opponent(session: Session, match: Match, other: Player, note: Sequence[str], now: datetime) -> None:
    """Raise Refused if the other player of the match has had more notes and offers within an hour than anyone reads."""
    both = (match.seat0, match.seat1)
    theirs = select(Match.id).where(col(Match.seat0).in_(both), col(Match.seat1).in_(both))
    length = func.coalesce(func.sum(func.length(cast(OutgoingContent.payload, String))), 0)
    notes = (
        select(func.count(), length)
        .select_from(Outgoing)
        .join(OutgoingContent, col(OutgoingContent.outgoing) == col(Outgoing.id), isouter=True)
        .where(
            Outgoing.player == other.id,
            within(Outgoing.created, HOUR, now),
            col(Outgoing.template).in_(("message", "offer")),
            col(Outgoing.match).in_(theirs),
        )
    )
    number, letters = session.exec(notes).one()
    if number >= NOTES_PER_HOUR or int(letters) + sum(map(len, note)) > LETTERS_PER_HOUR:
        raise Refused(
            f"Your notes and offers to {other.name} within an hour are as many, or as long, as we pass on.",
            fits="Your turns still count; everything else has to wait for an hour.",
            gist=f"{ONCE}{match.seat0} {match.seat1}",
        )
