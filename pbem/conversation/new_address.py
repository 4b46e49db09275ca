"""The answer of a new address to our question whether a player may use it."""

from dataclasses import replace

from sqlmodel import select

from pbem.conversation import answers, feature
from pbem.conversation.answers import Answer
from pbem.conversation.confirmations import QUESTION_LIVES
from pbem.conversation.core import Decision, Request, ToAddress, ToNewAddress, ToPlayer
from pbem.conversation.judge import Outcome, Verdict
from pbem.conversation.reply import Reply
from pbem.errors import Refused, Silence, Unanswerable
from pbem.matches.queries import name
from pbem.messages.said.messages import AddressMoved, AddressQuestion, Challenge
from pbem.messages.said.sections import HeldDropped, NewAddresses, QuestionExpired
from pbem.players import addresses, rate_limits
from pbem.storage.models import Outgoing, Player
from pbem.tokens import Purpose


def settle(request: Request, reply: Reply, asked_in: int) -> Reply:
    row = request.session.get_one(Outgoing, asked_in, with_for_update=True)
    player = request.session.get(Player, row.player)
    if player is None or row.settled is not None:
        raise Unanswerable(Silence.UNKNOWN_TOKEN)
    if request.sender.by_thread:
        if rate_limits.is_asked_often(request.session, row.address, request.now):
            raise Unanswerable(Silence.ASKED_OFTEN_ENOUGH)
        question = AddressQuestion(by=name(player), by_thread=True)
        again = ToNewAddress(
            address=row.address, payload=question, player=player, token_subject=row.token_subject, is_reply=True
        )
        asked = feature.apply(request, reply, Decision(messages=(again,)))
        return replace(asked, verdict=Verdict(Outcome.ASKED_AGAIN))
    answer = answers.answer(request.message.certain)
    if request.now - row.created > QUESTION_LIVES:
        return replace(reply, verdict=Verdict(Outcome.TOO_LATE)).adding(QuestionExpired(days=QUESTION_LIVES.days))
    if answer is Answer.NO:
        row.settled = request.now  # replies to it have no effect any more
        return replace(reply, verdict=Verdict(Outcome.NOT_CONFIRMED)).adding(HeldDropped())
    if answer is None:
        raise Refused("We can't tell whether that means yes.", fits='Reply "yes" or "no" in the first line.')
    taken = request.session.exec(select(Player).where(Player.address == row.address)).first()
    if taken is not None and taken.confirmed is not None:
        raise Refused(
            f"This address already belongs to {taken.name}, so nothing was changed.",
            fits="Each player has one address, and each address one player.",
        )
    reply = feature.apply(request, reply, _moved(request, player, row))
    sender = replace(request.sender, player=player, proven=True, address_question=None, purpose=None)
    return replace(reply, sender=sender, verdict=Verdict(Outcome.DONE, "change"))


def _moved(request: Request, player: Player, row: Outgoing) -> Decision:
    old = player.address
    passed_on = addresses.change(request.session, player, row.address)
    row.settled = request.now
    challenges = (
        ToPlayer(
            player=player,
            payload=Challenge(by=name(request.session.get_one(Player, match.challenger)), message=()),
            purpose=Purpose.PLAY,
            match=match,
            is_reply=False,
        )
        for match in passed_on
    )
    told = ToAddress(address=old, payload=AddressMoved(by=name(player)))
    return Decision(answer=(NewAddresses(moved=True),), messages=(told, *challenges))
