"""Who sent a message, what proves it, and what it may do at once.

A reply token proves it. A thread only tells what is answered, and From only a name. The checks of the sender's domain
count, too: a pass where the admin says so, and for a thread. A fail means that a token is asked about, and that anyone
else gets no answer: the address in From is most likely a victim's. A token is also asked about if its player isn't
known to write from the address in From: somebody may have forwarded a message, or answered to all of a copy.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import unquote

from sqlmodel import Session, col, select

from pbem import tokens
from pbem.config import ChecksSettings, ServerSettings
from pbem.errors import Silence, Unanswerable
from pbem.mail.reading.authentication import Authenticity, DomainCheck
from pbem.mail.reading.message import Message
from pbem.messages.reply_links import token_of
from pbem.players import addresses_and_revocation
from pbem.storage.mailer import STAYED
from pbem.storage.models import HOUSE, Incoming, Match, Outgoing, Player, Standing
from pbem.tokens import Keyring, Purpose, Token

GRACE = timedelta(days=30)  # how long after the end of its match a reply token still proves who writes


@dataclass(frozen=True, slots=True)
class Sender:
    """Who a message comes from, as far as we know, and which match or held message it is about."""

    address: str
    player: Player | None
    proven: bool  # whether the message shows something that went to the player's address only
    match: int | None = None
    ply: int | None = None
    """The version of the match that the player had seen when writing: how many turns, until some are taken back."""
    held_message: int | None = None
    address_question: int | None = None
    """The message of ours that asks this address whether a player may use it; this may be the answer."""
    plies: Mapping[int, int] = field(default_factory=dict)
    """The version that the player had seen of each match, if the answered message showed several."""
    by_thread: bool = False
    """Whether only the thread says so, which proves nothing: people in Cc know it, too, and anybody can write From."""
    purpose: Purpose | None = None
    """What the token is for; None if something else proves who writes, such as the sender's domain or a `yes`."""
    vouched: bool = False
    """Whether the domain of the address vouches for the message, which may still be too little to act on it."""
    elsewhere: tuple[int, ...] = ()  # the other matches to whose reply addresses the message went as well
    unknown: str | None = None
    """The address in From if the message has a token of the player, but isn't known to come from them."""

    @property
    def is_player(self) -> bool:
        return self.player is not None and self.player.confirmed is not None

    @property
    def serves_news(self) -> bool:
        return self.purpose is Purpose.NOTICES and not self.by_thread

    @property
    def is_stranger(self) -> bool:
        """Whether nothing connects the message with a player or an invitation."""
        answers = self.by_thread or self.address_question is not None
        return not (self.is_player or self.proven or answers or self.serves_news)

    @property
    def standing(self) -> Standing | None:
        """What speaks for the sender of a message without proof; None for one with a token of ours."""
        if self.proven or self.serves_news:
            return None
        return Standing.VOUCHED if self.vouched else Standing.CLAIMED

    def seen(self, match: int) -> int | None:
        return self.ply if match == self.match else self.plies.get(match)


def identify(session: Session, message: Message, server: ServerSettings, keyring: Keyring, now: datetime) -> Sender:
    """Return the sender of the message; raises Unanswerable for an invalid token and for a message without sender."""
    tags = list(tags_of(message, server))
    expired: Sender | None = None
    for tag in tags:
        token = tokens.parse(tag)
        player = session.get(Player, token.player) if token else None
        if token is None or player is None:
            continue
        if player.address == HOUSE:
            raise Unanswerable(Silence.UNKNOWN_TOKEN)  # nobody acts for the house, even with our key
        is_signed = keyring.signed(tag, player.epoch)
        if is_signed and not _is_expired(session, token, now):
            return replace(_by_token(session, token, player), elsewhere=_elsewhere(tags, token, player, keyring))
        if is_signed or keyring.revoked(tag, player.epoch):
            match, ply = (token.subject, token.ply) if token.purpose is Purpose.PLAY else (None, None)
            expired = Sender(player.address, player, proven=False, match=match, ply=ply)
    if expired is not None:
        return expired
    if tags:
        raise Unanswerable(Silence.UNKNOWN_TOKEN)
    if message.sender is None:
        raise Unanswerable(Silence.NO_SENDER)
    ours = _nearest(session, message, select(Outgoing))
    answered = token_of(ours) if ours and ours.settled is None else None
    if ours and answered:
        player = session.get_one(Player, answered.player)
        fresh = ours.epoch == player.epoch and not _is_expired(session, answered, now)
        if fresh and ours.address == message.sender:
            return replace(_by_token(session, answered, player), proven=False, by_thread=True)
        ply = ours.ply + ours.shift if ours.match else None
        return Sender(player.address, player, proven=False, match=ours.match, ply=ply)
    player = session.exec(select(Player).where(Player.address == message.sender)).first()
    return Sender(message.sender, player, proven=False)


def _nearest(session: Session, message: Message, ours: Any) -> Outgoing | None:
    """Return, of some messages of ours, the one that a message replies to; None if its headers name none."""
    rows = {row.message_id: row for row in session.exec(ours.where(col(Outgoing.message_id).in_(message.answers)))}
    return next((rows[number] for number in message.answers if number in rows), None)


def answered_message(session: Session, message: Message, sender: Sender) -> Outgoing | None:
    """Return our message that this one replies to; if it doesn't say, the newest to the player in its match.

    It is locked for this transaction, so that two replies at once can't both be carried out. None if it went to
    somebody else, or if its tokens are revoked.
    """
    player = sender.player
    if player is None:
        return None
    ours = select(Outgoing).where(Outgoing.player == player.id, Outgoing.epoch == player.epoch).with_for_update()
    answered = _nearest(session, message, ours)
    if answered is None and sender.proven:
        newest = ours.where(col(Outgoing.state).not_in(STAYED))  # of those the player has seen
        newest = newest if sender.match is None else newest.where(Outgoing.match == sender.match)
        answered = session.exec(newest.order_by(col(Outgoing.id).desc()).limit(1)).first()
    return answered


def leads_to_us(address: str, server: ServerSettings) -> bool:
    """Return whether mail to the address comes back to this server: our own, with a sub-address, or an alias."""
    (local, domain), ours = _apart(address), server.local.lower()
    if domain == server.domain.lower() and (local == ours or local.startswith(ours + server.delimiter)):
        return True
    plain = f"{local.partition(server.delimiter)[0]}@{domain}"
    return not {address.lower(), plain}.isdisjoint(server.aliases)


def _apart(address: str) -> tuple[str, str]:
    """Return what stands before and after the @, in lower case and unquoted.

    >>> _apart('"games+abc"@pbem.example'), _apart("games%2Babc@pbem.example")
    (('games+abc', 'pbem.example'), ('games+abc', 'pbem.example'))
    """
    local, _, domain = address.lower().rpartition("@")
    return unquote(local.strip('"')).lower(), domain


def tags_of(message: Message, server: ServerSettings) -> Iterator[str]:
    """Yield what follows the delimiter in each of our addresses that the message went to, and in those of aliases."""
    for recipient in message.recipients:
        local, domain = _apart(recipient)
        for address in (server.address.lower(), *server.aliases):
            own, _, host = address.rpartition("@")
            if domain == host and local.startswith(own + server.delimiter) and len(local) > len(own) + 1:
                yield local[len(own) + 1 :]


def _is_expired(session: Session, token: Token, now: datetime) -> bool:
    """Return whether the token has expired: one for a match does, some time after the match has ended."""
    if token.purpose is not Purpose.PLAY:
        return False
    match = session.get(Match, token.subject)
    return match is None or (match.ended is not None and now - match.ended > GRACE)


def _by_token(session: Session, token: Token, player: Player) -> Sender:
    sender = Sender(player.address, player, proven=token.purpose is not Purpose.NOTICES, purpose=token.purpose)
    match token.purpose:
        case Purpose.PLAY:
            return replace(sender, match=token.subject, ply=token.ply)
        case Purpose.CONFIRM:
            return replace(sender, held_message=token.subject)
        case Purpose.PERSONAL:
            row = session.get(Outgoing, token.subject) if token.subject else None
            plies = row.plies if row is not None and row.player == token.player else None
            return replace(sender, plies={int(number): ply for number, ply in (plies or {}).items()})
        case Purpose.NOTICES:
            return sender
        case Purpose.ADDRESS:
            question = select(Outgoing).where(
                Outgoing.player == token.player,
                Outgoing.purpose == Purpose.ADDRESS.name,
                Outgoing.incoming == token.subject,
                col(Outgoing.settled).is_(None),
                col(Outgoing.removed).is_(None),
            )
            row = session.exec(question).first()
            if row is None:
                raise Unanswerable(Silence.UNKNOWN_TOKEN)
            return Sender(row.address, None, proven=False, address_question=row.id, purpose=token.purpose)
        case Purpose.BOUNCE | Purpose.ONE_CLICK | Purpose.BOARD:
            raise Unanswerable(Silence.UNKNOWN_TOKEN)  # it is nobody's


def _elsewhere(tags: list[str], token: Token, player: Player, keyring: Keyring) -> tuple[int, ...]:
    """Return the matches of the player's other tokens among these."""
    signed = (tokens.parse(tag) for tag in tags if keyring.signed(tag, player.epoch))
    theirs = (other for other in signed if other is not None and other.player == player.id)
    matches = dict.fromkeys(other.subject for other in theirs if other.purpose is Purpose.PLAY)
    return tuple(match for match in matches if (token.purpose, token.subject) != (Purpose.PLAY, match))


def assess(
    session: Session, sender: Sender, message: Message, checked: DomainCheck, settings: ChecksSettings, row: Incoming
) -> Sender:
    """Return the sender, proven or not by everything known; raises Unanswerable if the checks failed without proof.

    The answer to a question of ours needs no more than its token: the question went to the address on file, and the
    message that it is about had its own proof or was held for want of one. An answer that only its thread connects with
    what it answers acts where the sender's domain is proven, and is asked about otherwise.
    """
    if sender.by_thread:  # a proven domain counts as much as the token of the message that the thread answers
        if settings.proof == "token and domain" or not _is_proven_by_domain(session, checked, row):
            return sender
        purpose = None if settings.proof == "token or domain" and not sender.serves_news else sender.purpose
        proven = sender.address_question is None and not sender.serves_news
        return replace(sender, by_thread=False, proven=proven, purpose=purpose, vouched=proven)
    if sender.held_message is not None or sender.address_question is not None:
        return sender
    finding = checked.finding
    is_own = sender.player is not None and addresses_and_revocation.is_known(session, sender.player, message.sender)
    if sender.proven and sender.player is not None and not is_own:
        may_be_own = finding is not Authenticity.FAILED
        may_be_own = may_be_own and addresses_and_revocation.can_be_known(session, sender.player, message.sender)
        return replace(sender, proven=False, unknown=message.sender if may_be_own else None)
    if sender.proven:
        passed = finding is Authenticity.PASSED
        if settings.proof == "token or domain" and passed and _is_proven_by_domain(session, checked, row):
            return replace(sender, purpose=None)  # as much as a new message from there
        wants_both = settings.proof == "token and domain"
        return replace(sender, proven=passed if wants_both else finding is not Authenticity.FAILED)
    if finding is Authenticity.FAILED:
        raise Unanswerable(Silence.FAILED_CHECKS)
    is_claimed = is_own or message.sender == sender.address
    vouched = is_claimed and _is_proven_by_domain(session, checked, row)
    acts = settings.proof == "token or domain" and is_own and not sender.is_stranger
    return replace(sender, proven=acts and vouched, vouched=vouched)


def _is_proven_by_domain(session: Session, checked: DomainCheck, row: Incoming) -> bool:
    """Return whether the domain of From vouches for the message with a proof that is new; it is stored as used."""
    if checked.finding is not Authenticity.PASSED or checked.proof is None:
        return False
    if session.exec(select(Incoming.id).where(Incoming.proof == checked.proof)).first() is not None:
        return False
    row.proof = checked.proof
    return True
