"""Who sent a mail, and what proves it: a reply token, or the thread of an owed mail; never From alone."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlmodel import Session, col, select

from pbem import tokens
from pbem.config import ServerSettings
from pbem.mail import Mail
from pbem.models import Outgoing, Player
from pbem.refusals import Unanswerable
from pbem.tokens import Keyring, Purpose, Token


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


def of(session: Session, mail: Mail, server: ServerSettings, keyring: Keyring) -> Sender:
    """The sender of the mail; raises Unanswerable for a token that is none and for a mail without sender."""
    tags = list(_tags(mail, server))
    for tag in tags:
        token = tokens.parse(tag)
        player = session.get(Player, token.player) if token else None
        if token and player and keyring.signed(tag, player.epoch):
            return _by_token(token, player)
    if tags:
        raise Unanswerable("unknown token")
    if mail.sender is None:
        raise Unanswerable("no sender")
    owed = _owed(session, mail)
    if owed and owed.player is not None and owed.purpose:
        player = session.get_one(Player, owed.player)
        token = Token(Purpose[owed.purpose], owed.player, owed.subject, owed.ply)
        if owed.address == mail.sender and owed.epoch == player.epoch:
            return _by_token(token, player)
        return Sender(player.address, player, proven=False, match=owed.match, ply=owed.ply if owed.match else None)
    player = session.exec(select(Player).where(Player.address == mail.sender)).first()
    return Sender(mail.sender, player, proven=False)


def address_with(server: ServerSettings, keyring: Keyring, token: Token, epoch: int) -> str:
    """Our address with a token in it."""
    return f"{server.local}{server.delimiter}{keyring.format(token, epoch)}@{server.domain}"


def is_ours(recipient: str, server: ServerSettings) -> bool:
    """Whether mail to that address is for us: our address, with anything behind the delimiter."""
    local, _, domain = recipient.lower().rpartition("@")
    ours = server.local.lower()
    return domain == server.domain.lower() and (local == ours or local.startswith(ours + server.delimiter))


def _tags(mail: Mail, server: ServerSettings) -> Iterator[str]:
    """What stands behind the + in each of our addresses that the mail went to."""
    for recipient in mail.recipients:
        if is_ours(recipient, server):
            tag = recipient.rpartition("@")[0][len(server.local) + 1 :]
            if tag:
                yield tag


def _by_token(token: Token, player: Player) -> Sender:
    match token.purpose:
        case Purpose.PLAY:
            return Sender(player.address, player, proven=True, match=token.subject, ply=token.ply)
        case Purpose.CONFIRM:
            return Sender(player.address, player, proven=True, held=token.subject)
        case Purpose.PERSONAL:
            return Sender(player.address, player, proven=True)


def _owed(session: Session, mail: Mail) -> Outgoing | None:
    """The mail of ours that this one answers, the nearest one first."""
    found = {
        row.message_id: row for row in session.exec(select(Outgoing).where(col(Outgoing.message_id).in_(mail.answers)))
    }
    return next((found[answered] for answered in mail.answers if answered in found), None)
