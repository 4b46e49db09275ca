"""What a message may do at once, judged by its token, its thread and its sender's domain together.

A pass counts where the admin says so, and for a thread. A fail means that a token is asked about, and that anyone
else gets no answer: the address in From is most likely a victim's. A token is also asked about if its player isn't
known to write from the address in From: somebody may have forwarded a message, or answered to all of a copy.
"""

from dataclasses import replace

from sqlmodel import Session, select

from pbem.config import ChecksSettings
from pbem.errors import Silence, Unanswerable
from pbem.mail.reading.authentication import Authenticity, Checked
from pbem.mail.reading.message import Message
from pbem.players import known_addresses
from pbem.players.identity import Sender
from pbem.storage.models import Incoming


def assess(
    session: Session, sender: Sender, message: Message, checked: Checked, settings: ChecksSettings, row: Incoming
) -> Sender:
    """Return the sender, proven or not by everything known; raises Unanswerable if the checks failed without proof.

    The answer to a question of ours needs no more than its token: the question went to the address on file, and the
    message that it is about had its own proof or was held for want of one. An answer that only its thread connects with
    what it answers acts where the sender's domain is proven, and is asked about otherwise.
    """
    if sender.by_thread:
        return _assess_thread(session, sender, checked, settings, row)
    if sender.held_message is not None or sender.address_question is not None:
        return sender
    finding = checked.finding
    is_own = sender.player is not None and known_addresses.is_known(session, sender.player, message.sender)
    if sender.proven and sender.player is not None and not is_own:
        may_be_own = finding is not Authenticity.FAILED
        may_be_own = may_be_own and known_addresses.can_be_known(session, sender.player, message.sender)
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


def _assess_thread(
    session: Session, sender: Sender, checked: Checked, settings: ChecksSettings, row: Incoming
) -> Sender:
    """Return the sender; a proven domain counts as much as the token of the message that the thread answers."""
    if settings.proof == "token and domain" or not _is_proven_by_domain(session, checked, row):
        return sender
    purpose = None if settings.proof == "token or domain" and not sender.serves_news else sender.purpose
    proven = sender.address_question is None and not sender.serves_news
    return replace(sender, by_thread=False, proven=proven, purpose=purpose, vouched=proven)


def _is_proven_by_domain(session: Session, checked: Checked, row: Incoming) -> bool:
    """Return whether the domain of From vouches for the message with a proof that is new; it is stored as used."""
    if checked.finding is not Authenticity.PASSED or checked.proof is None:
        return False
    if session.exec(select(Incoming.id).where(Incoming.proof == checked.proof)).first() is not None:
        return False
    row.proof = checked.proof
    return True
