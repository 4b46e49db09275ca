"""A player's addresses: revoke, change address."""

from dataclasses import replace
from datetime import timedelta

from sqlmodel import col, func, select

from pbem.conversation import yes_or_no
from pbem.conversation.command import Command, Decision, Letter, Line, Request
from pbem.conversation.confirmations import EXPIRED, QUESTION_LIVES, ended
from pbem.conversation.refusals import check_account
from pbem.conversation.reply import Reply, follow
from pbem.conversation.syntax.arguments import Slot, opt, word, words
from pbem.conversation.yes_or_no import Answer
from pbem.errors import Refused, Silence, Unanswerable
from pbem.mail.reading.message import is_address
from pbem.matches.shown_names import name
from pbem.messages.contents.answer_sections import AddressAsked, HeldDropped, NewAddresses
from pbem.messages.contents.message_payloads import AddressMoved, AddressQuestion, Challenge
from pbem.players import addresses_and_revocation, invitations, message_budgets, sender_identity
from pbem.storage.mailer import Cause
from pbem.storage.models import Outgoing, Player
from pbem.storage.utc import within
from pbem.storage.verdicts import Outcome, Verdict
from pbem.tokens import Purpose

MOST_QUESTIONS = 3
EXAMPLE = 'For example "change address alice@example.org".'
ADDRESS, PASSWORD, NEW = word("address"), word("password"), word("NEW", r"\S+", is_name=True)


def revoke(request: Request, line: Line) -> Decision:
    addresses_and_revocation.revoke(request.session, request.player)
    return Decision(answer=(NewAddresses(),))


def change(request: Request, line: Line) -> Decision:
    """Ask the new address to confirm; its reply makes the change."""
    player = request.player
    if PASSWORD in line.given:
        raise Refused('There are no passwords here; "change" changes your address.', read=line.text, fits=EXAMPLE)
    if NEW not in line.given:
        raise Refused("Which address?", read=line.text, fits=EXAMPLE)
    address = line.given[NEW].strip("<>")
    if not is_address(address) or sender_identity.leads_to_us(address, request.server):
        raise Refused(f"{address[:60]} can't be your email address.", read=line.text, fits=EXAMPLE)
    if address == player.address:
        raise Refused(f"{address} is already your address.", read=line.text)
    _check_limits(request, player, line)
    if message_budgets.is_asked_often(request.session, address, request.now) or invitations.is_ruled_out(
        request.session, address
    ):
        raise Refused(
            "We can't write to this address today: we've written there often enough, or its owner wants no mail.",
            read=line.text,
            fits="Try again tomorrow.",
        )
    question = Letter(
        address=address,
        payload=AddressQuestion(by=name(player)),
        player=player,
        token_subject=request.incoming.id or 0,
        cause=Cause(request.incoming),  # but no reply: the new address hasn't seen the message
    )
    return Decision(answer=(AddressAsked(address=address),), messages=(question,))


def _check_limits(request: Request, player: Player, line: Line) -> None:
    questions = select(func.count()).where(
        Outgoing.player == player.id, Outgoing.purpose == Purpose.ADDRESS.name, col(Outgoing.settled).is_(None)
    )
    if request.session.exec(questions.where(Outgoing.incoming == request.incoming.id)).one():
        raise Refused(
            "One message can only ask for one address.", read=line.text, fits="Send the other one separately."
        )
    today = within(Outgoing.created, timedelta(days=1), request.now)
    if request.session.exec(questions.where(today)).one() >= MOST_QUESTIONS:
        raise Refused(
            f"We've already written to {MOST_QUESTIONS} addresses for you today, and that's the limit.",
            read=line.text,
            fits="Reply to one of those messages, or try again tomorrow.",
        )


REVOKE = Command(
    "revoke",
    words(),
    "replace reply addresses that a stranger has seen: all of yours, and your personal address",
    revoke,
    keywords="token tokens personal secret leaked security password passwords login",
    asks=True,
)
CHANGE = Command(
    "change",
    words(Slot((PASSWORD, ADDRESS), "address NEW"), opt(NEW, usage=""), meant_by="@|address|password"),
    "move your mail to another address; we'll ask both the old and the new one to confirm",
    change,
    keywords="address email e-mail mail move-address",
    asks=True,
)


def settle(request: Request, reply: Reply, asked_in: int) -> Reply:
    """Move a player's mail to an address that has agreed; return the reply to its answer."""
    row = request.session.get_one(Outgoing, asked_in, with_for_update=True)
    player = request.session.get(Player, row.player)
    if player is None or row.settled is not None:
        raise Unanswerable(Silence.UNKNOWN_TOKEN)
    check_account(request, player, ())
    if request.sender.by_thread:
        if message_budgets.is_asked_often(request.session, row.address, request.now):
            raise Unanswerable(Silence.ASKED_OFTEN_ENOUGH)
        asked, to = AddressQuestion(by=name(player), by_thread=True), row.address
        again = Letter(payload=asked, player=player, address=to, token_subject=row.token_subject, cause=request.cause())
        return replace(follow(request, reply, Decision(messages=(again,))), verdict=Verdict(Outcome.ASKED_AGAIN))
    answer = yes_or_no.answer(request.message.certain)
    if request.now - row.created > QUESTION_LIVES:
        return ended(reply, Outcome.TOO_LATE, EXPIRED)
    if answer is Answer.NO:
        row.settled = request.now  # replies to it have no effect any more
        return ended(reply, Outcome.NOT_CONFIRMED, HeldDropped())
    if answer is None:
        raise Refused("We can't tell whether that means yes.", fits='Reply "yes" or "no" in the first line.')
    taken = request.session.exec(select(Player).where(Player.address == row.address)).first()
    if taken is not None and taken.confirmed is not None:
        raise Refused(
            f"This address already belongs to {taken.name}, so nothing was changed.",
            fits="Each player has one address, and each address one player.",
        )
    old = player.address
    passed_on = addresses_and_revocation.change(request.session, player, row.address)
    row.settled = request.now
    challenges = (
        Letter(
            player=player,
            payload=Challenge(by=name(request.session.get_one(Player, match.challenger)), message=()),
            purpose=Purpose.PLAY,
            match=match,
        )
        for match in passed_on
    )
    told = Letter(address=old, payload=AddressMoved(by=name(player)))
    moved = Decision(answer=(NewAddresses(moved=True),), messages=(told, *challenges))
    sender = replace(request.sender, player=player, proven=True, address_question=None, purpose=None)
    return replace(follow(request, reply, moved), sender=sender, verdict=Verdict(Outcome.DONE, "change"))
