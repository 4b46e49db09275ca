"""Decide what happens to a message whose sender is known: carry it out, hold it, refuse it, or don't answer.

This decides who may do what at once, who is asked first, and who gets no answer.
"""

from pbem import failpoints
from pbem.commands import address
from pbem.commands.core import Context
from pbem.commands.syntax import did_you_mean
from pbem.commands.syntax.mail import ParsedMessage
from pbem.commands.verdict import Outcome, Verdict
from pbem.config import LimitsSettings
from pbem.conversation import confirmations, execute, reply, suggested_yes
from pbem.errors import Refused, Silence, Unanswerable
from pbem.failpoints import Step
from pbem.payloads.sections import NotSent
from pbem.players import bounces, rate_limits

OPEN_TO_STRANGERS = frozenset({"join", "help", "rules"})
INVITED_MAY = frozenset({"accept", "decline", "help", "rules", "show"})


def converse(context: Context, limits: LimitsSettings) -> Verdict:
    """Do what the message says, queue the answers, and return what became of it."""
    try:
        _bound(context, limits)
    except Refused as refusal:
        reply.refuse(context, refusal, None)
        reply.give(context)
        return Verdict(Outcome.REFUSED)
    if context.incoming.size > len(context.incoming.raw) or len(context.incoming.raw) > context.server.mail_limit:
        if context.sender.is_stranger:
            raise Unanswerable(Silence.STRANGER_SENT_TOO_MUCH)
        limit = context.server.mail_limit // 1000
        reply.refuse(
            context,
            Refused(
                f"Your message is larger than {limit} KB, so it wasn't read.",
                fits="Send only the text, without attachments.",
            ),
            None,
        )
        verdict = Verdict(Outcome.REFUSED)
    elif context.mail.error is not None:
        if context.sender.is_stranger:
            raise Unanswerable(Silence.UNREADABLE, context.mail.error)
        reply.refuse(context, reply.unread(context.mail.error.problem), None)
        verdict = Verdict(Outcome.UNREAD, str(context.mail.error))
    elif context.sender.held is not None:
        verdict = confirmations.confirm(context, context.sender.held)
    elif context.sender.move is not None:
        verdict = _moved(context, context.sender.move)
    else:
        verdict = execute.understand(context, context.mail, _obey)
    failpoints.reach(Step.EXECUTED)
    reply.give(context)
    return verdict


def _obey(context: Context, parsed: ParsedMessage) -> Verdict:
    """Carry the commands out, or hold them until the sender has confirmed them."""
    player = context.sender.player
    names = [line.command.name for line in parsed.commands]
    if context.sender.is_stranger:
        if not (names and OPEN_TO_STRANGERS.issuperset(names)) or any(line.misfit for line in parsed.commands):
            raise Unanswerable(Silence.STRANGER_ASKS_FOR_NOTHING)
    elif not names:
        refusal = did_you_mean.of_mail(context, parsed)
        reply.refuse(context, refusal, None)
        if refusal.proposal and parsed.prose:
            context.answer(NotSent(lines=parsed.prose))
        return Verdict(Outcome.REFUSED)
    elif (player is None or player.confirmed is None) and not (INVITED_MAY | OPEN_TO_STRANGERS).issuperset(names):
        reply.refuse(context, _guest(), None)
        return Verdict(Outcome.REFUSED)
    changing = [line.command for line in parsed.commands if line.command.changes]
    sure = context.sender.proven and not any(line.command.asks_once_more for line in parsed.commands)
    if sure or context.sender.may.issuperset(command.name for command in changing):
        return execute.execute(context, parsed)
    return confirmations.hold(context, parsed)


def _moved(context: Context, question: int) -> Verdict:
    """Take the answer of a new address to whether a player may use it."""
    if context.sender.by_thread:
        return address.ask_again(context, question)
    try:
        lines, context.effects.subject = context.mail.lines, context.mail.subject
        agrees = True if suggested_yes.consents(lines) else False if suggested_yes.refuses(lines) else None
        return address.settle(context, question, agrees=agrees)
    except Refused as refusal:
        reply.refuse(context, refusal, None)
        return Verdict(Outcome.REFUSED)


def _guest() -> Refused:
    return Refused(
        "This address doesn't belong to a player yet.",
        fits='Write "join NAME" to get started (the name is one word), or "help" to see what this is.',
    )


def _bound(context: Context, limits: LimitsSettings) -> None:
    """Raise Unanswerable if more messages come than a person writes, or a stranger has had enough answers."""
    session, sender, now = context.session, context.sender, context.now
    if sender.match is not None:
        rate_limits.of_match(session, sender.match, limits.match_per_day, now)
    if not sender.proven:
        rate_limits.of_address(session, sender.address, context.server.answers_per_hour, now)
    if sender.is_stranger:
        rate_limits.of_stranger(session, sender.address, limits, now)
    if sender.proven and sender.player is not None:
        context.incoming.player = sender.player.id
        rate_limits.of_player(session, sender.player, limits.player_per_hour, now)
        if context.mail.sender == sender.player.address:
            bounces.revive(session, sender.player, now)
