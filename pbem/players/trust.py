"""What a mail may do at once, when its token, its thread and its sender's domain are put together.

A pass helps only where the admin wants it to. A fail takes away from a token what it would do without asking,
and from everybody else the answer: the address in From is then most likely a victim's. So does another player's
address in From: who was sent a copy of a player's mail, and answers to all, answers to our reply address as well.
"""

from dataclasses import replace

from sqlmodel import Session, col, select

from pbem.config import ChecksSettings
from pbem.errors import Unanswerable
from pbem.players.identity import Sender
from pbem.reading.authentication import Checked, Finding
from pbem.reading.message import Message
from pbem.storage.models import Incoming, Player


def weigh(
    session: Session, sender: Sender, message: Message, checked: Checked, settings: ChecksSettings, row: Incoming
) -> Sender:
    """The sender, proven or not by all that is known; raises Unanswerable where the checks failed and nothing proves.

    The answer to a question of ours needs no more: the question went to the address on file, and the mail that it
    is about had its own proof or was held for want of one.
    """
    if sender.held is not None or sender.move is not None:
        return sender
    finding = checked.finding
    is_own = sender.player is not None and message.sender == sender.player.address
    if sender.proven and not is_own and _is_another_s(session, message):
        return replace(sender, proven=False)
    if sender.proven:
        passed = finding is Finding.PASSED and is_own
        wants_both = settings.proof == "token and domain"
        return replace(sender, proven=passed if wants_both else finding is not Finding.FAILED)
    if finding is Finding.FAILED:
        raise Unanswerable("the sender failed the checks")
    acts = settings.proof == "token or domain" and is_own and not sender.is_stranger and finding is Finding.PASSED
    if acts and checked.proof is not None and not _is_replayed(session, checked.proof):
        row.proof = checked.proof
        return replace(sender, proven=True)
    return sender


def _is_another_s(session: Session, message: Message) -> bool:
    """Whether From is another player's: an opponent who was sent a copy, and answered to all, among them us."""
    other = select(Player.id).where(Player.address == message.sender, col(Player.confirmed).is_not(None))
    return session.exec(other).first() is not None


def _is_replayed(session: Session, proof: str) -> bool:
    return session.exec(select(Incoming.id).where(Incoming.proof == proof)).first() is not None
