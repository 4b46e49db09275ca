"""The answer to our question whether a player's mail is to move to another address."""

from dataclasses import replace

from sqlmodel import select

from pbem.conversation import yes_or_no
from pbem.conversation.command import Decision, Letter, Request
from pbem.conversation.confirmations import EXPIRED, QUESTION_LIVES, ended
from pbem.conversation.judge import Outcome, Verdict
from pbem.conversation.reply import Reply, follow
from pbem.conversation.yes_or_no import Answer
from pbem.errors import Refused, Silence, Unanswerable
from pbem.matches.shown_names import name
from pbem.messages.contents import answer_sections
from pbem.messages.contents.message_payloads import AddressMoved, AddressQuestion, Challenge
from pbem.players import addresses_and_revocation, message_budgets
from pbem.storage.models import Outgoing, Player
from pbem.tokens import Purpose


def settle(request: Request, reply: Reply, asked_in: int) -> Reply:
    row = request.session.get_one(Outgoing, asked_in, with_for_update=True)
    player = request.session.get(Player, row.player)
    if player is None or row.settled is not None:
        raise Unanswerable(Silence.UNKNOWN_TOKEN)
    if request.sender.by_thread:
        if message_budgets.is_asked_often(request.session, row.address, request.now):
            raise Unanswerable(Silence.ASKED_OFTEN_ENOUGH)
        question = AddressQuestion(by=name(player), by_thread=True)
        again = Letter(
            address=row.address, payload=question, player=player, token_subject=row.token_subject, cause=request.cause()
        )
        asked = follow(request, reply, Decision(messages=(again,)))
        return replace(asked, verdict=Verdict(Outcome.ASKED_AGAIN))
    answer = yes_or_no.answer(request.message.certain)
    if request.now - row.created > QUESTION_LIVES:
        return ended(reply, Outcome.TOO_LATE, EXPIRED)
    if answer is Answer.NO:
        row.settled = request.now  # replies to it have no effect any more
        return ended(reply, Outcome.NOT_CONFIRMED, answer_sections.HeldDropped())
    if answer is None:
        raise Refused("We can't tell whether that means yes.", fits='Reply "yes" or "no" in the first line.')
    taken = request.session.exec(select(Player).where(Player.address == row.address)).first()
    if taken is not None and taken.confirmed is not None:
        raise Refused(
            f"This address already belongs to {taken.name}, so nothing was changed.",
            fits="Each player has one address, and each address one player.",
        )
    reply = follow(request, reply, _moved(request, player, row))
    sender = replace(request.sender, player=player, proven=True, address_question=None, purpose=None)
    return replace(reply, sender=sender, verdict=Verdict(Outcome.DONE, "change"))


def _moved(request: Request, player: Player, row: Outgoing) -> Decision:
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
    return Decision(answer=(answer_sections.NewAddresses(moved=True),), messages=(told, *challenges))
