"""Who sent a message and what proves it: a reply token. A thread only tells what is answered, and From only a name."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from pbem import tokens
from pbem.config import ServerSettings
from pbem.errors import Silence, Unanswerable
from pbem.reading.message import Message
from pbem.storage.models import Match, Outgoing, Player
from pbem.tokens import Keyring, Purpose, Token

NOTICES_MAY = frozenset({"stop", "start"})
GRACE = timedelta(days=30)
"""So long after the end of its match a reply token still proves who writes."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Who a mail comes from, as far as we know, and in which match or about which held mail."""

    address: str
    """Where the answer goes."""
    player: Player | None
    proven: bool
    """Whether the mail shows something that only went to the player's address."""
    match: int | None = None
    ply: int | None = None
    """How many turns the player had seen when he wrote."""
    held: int | None = None
    move: int | None = None
    """The mail of ours that asks this address whether a player may have it; nobody has answered for him yet."""
    plies: Mapping[int, int] = field(default_factory=dict)
    """How many turns he had seen in each match that the mail showed which he answers, where it showed several."""
    by_thread: bool = False
    """Whether only the thread says so: the message answers one that went to this address, and proves nothing by it.

    Message-IDs stand in every answer to an answer, so people in Cc have seen them, and anybody can write From.
    """
    may: frozenset[str] = frozenset()
    """The commands that the mail may give although it proves nothing else."""

    @property
    def is_stranger(self) -> bool:
        """Whether nothing connects the mail with a player or an invitation."""
        known = self.player is not None and self.player.confirmed is not None
        return not (known or self.proven or self.by_thread or self.move is not None)

    def seen(self, match: int) -> int | None:
        """How many turns of the match the player had seen when he wrote; None where that is not known."""
        return self.ply if match == self.match else self.plies.get(match)


def of(session: Session, message: Message, server: ServerSettings, keyring: Keyring, now: datetime) -> Sender:
    """The sender of the mail; raises Unanswerable for a token that is none and for a mail without sender."""
    tags = list(_tags(message, server))
    spent: Sender | None = None
    for tag in tags:
        token = tokens.parse(tag)
        player = session.get(Player, token.player) if token else None
        if token and player and keyring.signed(tag, player.epoch):
            if not is_over(session, token, now):
                return _by_token(session, token, player)
            spent = _spent(token, player)
        elif token and player and keyring.revoked(tag, player.epoch):
            spent = _spent(token, player)
    if spent is not None:
        return spent
    if tags:
        raise Unanswerable(Silence.UNKNOWN_TOKEN)
    if message.sender is None:
        raise Unanswerable(Silence.NO_SENDER)
    owed = _owed(session, message)
    answered = token_of(owed) if owed else None
    if owed and answered:
        player = session.get_one(Player, answered.player)
        fresh = owed.epoch == player.epoch and not is_over(session, answered, now)
        if fresh and owed.address == message.sender:
            return replace(_by_token(session, answered, player), proven=False, by_thread=True)
        return Sender(player.address, player, proven=False, match=owed.match, ply=owed.ply if owed.match else None)
    player = session.exec(select(Player).where(Player.address == message.sender)).first()
    return Sender(message.sender, player, proven=False)


def token_of(row: Outgoing) -> Token | None:
    """What the answer to that mail allows; None where the mail is nobody's."""
    if row.player is None or row.purpose is None:
        return None
    shows_several = "plies" in row.words
    return Token(Purpose[row.purpose], row.player, (row.id or 0) if shows_several else row.subject, row.ply)


def address_with(server: ServerSettings, keyring: Keyring, token: Token, epoch: int) -> str:
    """Our address with a token in it."""
    return f"{server.local}{server.delimiter}{keyring.format(token, epoch)}@{server.domain}"


def is_ours(recipient: str, server: ServerSettings) -> bool:
    """Whether mail to that address is for us: our address, with anything behind the delimiter."""
    local, _, domain = recipient.lower().rpartition("@")
    ours = server.local.lower()
    return domain == server.domain.lower() and (local == ours or local.startswith(ours + server.delimiter))


def _tags(message: Message, server: ServerSettings) -> Iterator[str]:
    """What stands behind the + in each of our addresses that the mail went to."""
    for recipient in message.recipients:
        if is_ours(recipient, server):
            tag = recipient.rpartition("@")[0][len(server.local) + 1 :]
            if tag:
                yield tag


def is_over(session: Session, token: Token, now: datetime) -> bool:
    """Whether the token has served its time: that of a match does, some while after its match has ended."""
    if token.purpose is not Purpose.PLAY:
        return False
    match = session.get(Match, token.subject)
    return match is None or (match.ended is not None and now - match.ended > GRACE)


def _spent(token: Token, player: Player) -> Sender:
    """Whoever writes with a token that proves nothing any more; the question goes to the player."""
    if token.purpose is Purpose.PLAY:
        return Sender(player.address, player, proven=False, match=token.subject, ply=token.ply)
    return Sender(player.address, player, proven=False)


def _by_token(session: Session, token: Token, player: Player) -> Sender:
    match token.purpose:
        case Purpose.PLAY:
            return Sender(player.address, player, proven=True, match=token.subject, ply=token.ply)
        case Purpose.CONFIRM:
            return Sender(player.address, player, proven=True, held=token.subject)
        case Purpose.PERSONAL:
            return Sender(player.address, player, proven=True, plies=_shown(session, token))
        case Purpose.NOTICES:
            return Sender(player.address, player, proven=False, may=NOTICES_MAY)
        case Purpose.ADDRESS:
            return _moving(session, token)


def _moving(session: Session, token: Token) -> Sender:
    """Whoever answers, from the address that a player wants to have, whether it may be had."""
    row = session.exec(
        select(Outgoing).where(
            Outgoing.player == token.player,
            Outgoing.purpose == Purpose.ADDRESS.name,
            Outgoing.incoming == token.subject,
        )
    ).first()
    if row is None:
        raise Unanswerable(Silence.UNKNOWN_TOKEN)
    return Sender(row.address, None, proven=False, move=row.id)


def _shown(session: Session, token: Token) -> dict[int, int]:
    """The turns that were played in each match that the answered mail showed."""
    row = session.get(Outgoing, token.subject) if token.subject else None
    if row is None or row.player != token.player:
        return {}
    return {int(number): ply for number, ply in row.words.get("plies", {}).items()}


def _owed(session: Session, message: Message) -> Outgoing | None:
    """The mail of ours that this one answers, the nearest one first."""
    rows = session.exec(select(Outgoing).where(col(Outgoing.message_id).in_(message.answers)))
    found = {row.message_id: row for row in rows}
    return next((found[answered] for answered in message.answers if answered in found), None)
