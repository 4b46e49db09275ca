"""Invitations: whom we may write to on a player's behalf, how often, and what the player's note may hold.

An address that hasn't answered gets one invitation in months, no matter who asks; its owner can refuse them for good.
Both facts are stored with a hash of the address, apart from players and matches, so that they outlive them. A player's
own budget counts challenges, including withdrawn ones.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, delete, func, or_, select
from sqlmodel.sql.expression import SelectOfScalar

from pbem.config import LimitsSettings, ServerSettings
from pbem.errors import Refused
from pbem.mail.reading.machines import is_machines
from pbem.players import sender_identity
from pbem.storage.database import exclude_others
from pbem.storage.mailboxes_and_domains import digest, hashed, is_large, owner
from pbem.storage.models import ClosedAddress, Invitee, Match, Player
from pbem.storage.retention import INVITED_AGAIN
from pbem.storage.utc import within

DAY = timedelta(days=1)
LONGEST_NOTE = 200  # characters
ROLES = frozenset({"abuse", "helpdesk", "hostmaster", "majordomo", "noc", "root", "security", "spam", "support"})
"""Names before the @ whose messages are read by staff, not by a person who might play."""
LIKE_A_CONTACT = re.compile(r"@|://|www\.|\w\.[a-z]{2,}|(?:\d[ ./-]?){7}", re.IGNORECASE)
"""What could be an address, a link or a telephone number."""
TOMORROW = "Try again tomorrow."
CHALLENGES_PER_DAY, CHALLENGES_PER_PAIR = 50, 10
"""The number of challenges that a player can make in a day, and to one other player."""
NEW_PLAYER, NEW_PLAYER_INVITATIONS = timedelta(days=14), 3
"""For how long a player counts as new, and how many addresses they can invite in a day until then."""
DOMAIN_INVITATIONS = 10  # the number of invitations that go to one domain in a day, unless it is a large one


def fits(note: Sequence[str]) -> bool:
    """Return whether a note can go to someone who has never heard of us: a few words, with nothing to follow."""
    text = "\n".join(note)
    return len(text) <= LONGEST_NOTE and not LIKE_A_CONTACT.search(text)


def check_challenges(
    session: Session,
    player: Player,
    opponent: Player,
    limits: LimitsSettings,
    server: ServerSettings,
    now: datetime,
    *,
    by_address: bool,
) -> None:
    """Raise Refused if the player has made enough challenges today, including those withdrawn since."""
    check_day(session, player, now)
    mine = _challenges(player, now)
    with_them = or_(Match.seat0 == opponent.id, Match.seat1 == opponent.id)
    if session.exec(mine.where(with_them)).one() >= CHALLENGES_PER_PAIR:
        times = f"You've challenged this player {CHALLENGES_PER_PAIR} times today, and that's the limit."
        raise Refused(times, fits=TOMORROW)
    if not by_address:
        return
    most = limits.invitations_per_day
    if now - (player.confirmed or player.created) < NEW_PLAYER:
        most = min(NEW_PLAYER_INVITATIONS, most)
    if session.exec(mine.where(col(Match.by_address).is_(True))).one() >= most:
        raise Refused(f"You've invited {most} addresses today, and that's the limit.", fits=TOMORROW)
    unanswered = select(Match.id).where(
        Match.challenger == player.id,
        within(Match.created, INVITED_AGAIN, now),
        col(Match.by_address).is_(True),
        col(Match.started).is_(None),
        with_them,
    )
    if session.exec(unanswered.limit(1)).first() is not None:
        raise not_invitable(server)


def check_day(session: Session, player: Player, now: datetime) -> None:
    if session.exec(_challenges(player, now)).one() >= CHALLENGES_PER_DAY:
        raise Refused(f"You've made {CHALLENGES_PER_DAY} challenges today, and that's the limit.", fits=TOMORROW)


def _challenges(player: Player, now: datetime) -> SelectOfScalar[int]:
    theirs = (Match.challenger == player.id, col(Match.tournament).is_(None))
    return select(func.count()).where(*theirs, within(Match.created, DAY, now))


def check_address(address: str, server: ServerSettings) -> None:
    """Raise Refused for an address that no person could answer an invitation at."""
    fits = "Name another player, or a friend's address."
    if sender_identity.leads_to_us(address, server):
        raise Refused("That is this server's own address.", fits=fits)
    if address.rpartition("@")[0].partition("+")[0] in ROLES or is_machines(address):
        raise Refused(f"{address[:60]} is not a person's address.", fits=fits)


def remember(session: Session, address: str, limits: LimitsSettings, server: ServerSettings, now: datetime) -> None:
    """Store that an invitation goes to an address, be it a player's or not; raise Refused if none may go there."""
    exclude_others(session.connection(), "invitations")
    row = _row(session, address)
    if row.refused is not None or (row.invited is not None and row.invited > now - INVITED_AGAIN):
        raise not_invitable(server)
    of_domain = today(session, now, Invitee.domain == row.domain)
    if not is_large(owner(address)) and of_domain >= DOMAIN_INVITATIONS:
        raise Refused("We've sent enough invitations to this domain today.", fits=TOMORROW)
    if today(session, now) >= limits.all_invitations:
        raise Refused("We've sent enough invitations for today.", fits=TOMORROW)
    row.invited = now
    session.add(row)
    session.flush()


def today(session: Session, now: datetime, *which: ColumnElement[bool] | bool) -> int:
    sent = select(func.count()).select_from(Invitee).where(within(Invitee.invited, DAY, now), *which)
    return session.exec(sent).one()


def not_invitable(server: ServerSettings) -> Refused:
    """Return the refusal of an invitation. It is the same whatever its reason, so it tells nothing of the address."""
    return Refused(
        "We can't invite this address: someone did before and got no answer, or its owner wants no invitations.",
        fits=f"Tell them yourself: they can join by writing to {server.address}.",
    )


def note_accepted(session: Session, address: str) -> None:
    """Forget that the address was invited, so that it can be again."""
    row = session.get(Invitee, digest(address))
    if row is not None:
        row.invited = None


def rule_out(session: Session, address: str, now: datetime) -> None:
    row = _row(session, address)
    row.refused = now
    session.add(row)


def allow(session: Session, address: str) -> None:
    session.exec(delete(Invitee).where(col(Invitee.address) == digest(address)))


def is_ruled_out(session: Session, address: str) -> bool:
    return _row(session, address).refused is not None


def _row(session: Session, address: str) -> Invitee:
    """Return what is known of the address; a new row, not yet stored, for one we know nothing about."""
    row = session.get(Invitee, digest(address))
    return row or Invitee(address=digest(address), domain=hashed(owner(address)))


def is_closed(session: Session, address: str) -> bool:
    return session.get(ClosedAddress, digest(address)) is not None
