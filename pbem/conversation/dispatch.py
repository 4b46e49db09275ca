"""Decide what happens to a message whose sender is known: carry it out, hold it, refuse it, or don't answer.

This decides who may do what at once, who is asked first, and who gets no answer.
"""

from pbem import failpoints
from pbem.commands.core import Request
from pbem.commands.syntax import did_you_mean
from pbem.commands.syntax.mail import ParsedMessage
from pbem.config import LimitsSettings
from pbem.conversation import confirmations, execute, new_address
from pbem.conversation.reply import Reply, enqueue, refused
from pbem.errors import Refused, Silence, Unanswerable, Unread
from pbem.failpoints import Step
from pbem.players import bounces, rate_limits

OPEN_TO_STRANGERS = frozenset({"join", "help", "rules"})
INVITED_MAY = frozenset({"accept", "decline", "help", "rules", "show"})


def converse(request: Request, limits: LimitsSettings) -> Reply:
    """Do what the message says, queue the reply, and return it."""
    is_answer = request.sender.held_message is not None or request.sender.address_question is not None
    reply = Reply(sender=request.sender, subject=request.message.subject if is_answer else "")
    try:
        _check_limits(request, limits)
        _check_readable(request)
        reply = _handled(request, reply)
    except Refused as refusal:
        reply = refused(request, reply, refusal)
    failpoints.reach(Step.EXECUTED)
    enqueue(request, reply)
    return reply


def _handled(request: Request, reply: Reply) -> Reply:
    """Return the reply to a message that answers a question of ours, or says something else."""
    if request.sender.held_message is not None:
        return confirmations.confirm(request, reply, request.sender.held_message)
    if request.sender.address_question is not None:
        return new_address.settle(request, reply, request.sender.address_question)
    return execute.understand(request, reply, request.message, _obey)


def _obey(request: Request, reply: Reply, parsed: ParsedMessage) -> Reply:
    """Carry the commands out, or hold them until the sender has confirmed them."""
    sender, player = request.sender, request.sender.player
    names = [line.command.name for line in parsed.commands]
    if sender.is_stranger:
        if not (names and OPEN_TO_STRANGERS.issuperset(names)) or any(line.malformed for line in parsed.commands):
            raise Unanswerable(Silence.STRANGER_ASKS_FOR_NOTHING)
    elif not names:
        raise did_you_mean.for_message(request, parsed)
    elif (player is None or player.confirmed is None) and not (INVITED_MAY | OPEN_TO_STRANGERS).issuperset(names):
        raise Refused(
            "This address doesn't belong to a player yet.",
            fits='Write "join NAME" to get started (the name is one word), or "help" to see what this is.',
        )
    changing = [line.command for line in parsed.commands if line.command.changes]
    sure = sender.proven and not any(line.command.asks_once_more for line in parsed.commands)
    if sure or sender.allowed.issuperset(command.name for command in changing):
        return execute.execute(request, reply, parsed)
    return confirmations.hold(request, reply, parsed)


def _check_readable(request: Request) -> None:
    """Raise Refused for a message that is too large or can't be read, or Unanswerable if a stranger sent it."""
    stored, limit = len(request.incoming.raw), request.server.mail_limit
    if request.incoming.size > stored or stored > limit:
        if request.sender.is_stranger:
            raise Unanswerable(Silence.STRANGER_SENT_TOO_MUCH)
        raise Refused(
            f"Your message is larger than {limit // 1000} KB, so it wasn't read.",
            fits="Send only the text, without attachments.",
        )
    error = request.message.error
    if error is not None:
        if request.sender.is_stranger:
            raise Unanswerable(Silence.UNREADABLE, error)
        raise Unread(error.problem.value, str(error))


def _check_limits(request: Request, limits: LimitsSettings) -> None:
    """Raise Unanswerable if more messages come than a person writes, or a stranger has had enough answers."""
    session, sender, now = request.session, request.sender, request.now
    if sender.match is not None:
        rate_limits.of_match(session, sender.match, limits.match_per_day, now)
    if not sender.proven:
        rate_limits.of_address(session, sender.address, request.server.answers_per_hour, now)
    if sender.is_stranger:
        rate_limits.of_stranger(session, sender.address, limits, now)
    if sender.proven and sender.player is not None:
        request.incoming.player = sender.player.id
        rate_limits.of_player(session, sender.player, limits.player_per_hour, now)
        if request.message.sender == sender.player.address:
            bounces.reinstate(session, sender.player, now)
