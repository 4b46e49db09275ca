"""Decide what happens to a message whose sender is known: carry it out, hold it, refuse it, or don't answer.

This decides who may do what at once, who is asked first, and who gets no answer.
"""

import traceback
from dataclasses import replace
from functools import partial

import structlog

from pbem import failpoints
from pbem.conversation import confirmations, execute, moderating, new_address, permissions, strangers
from pbem.conversation.core import Request, Who
from pbem.conversation.refusals import whom_to_ask
from pbem.conversation.reply import Reply, enqueue, refused
from pbem.conversation.syntax import did_you_mean
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.errors import Changed, Refused, Silence, Unanswerable, Unread
from pbem.failpoints import Step
from pbem.mail.reading.limits import LARGEST_MESSAGE, LARGEST_OF_STRANGERS
from pbem.matches.naming import name
from pbem.messages.said.sections import FirstOnly
from pbem.players import bounces, directory, invitations, rate_limits
from pbem.players.rate_limits import Left
from pbem.storage.database import is_bug
from pbem.storage.models import Outgoing, Player

log = structlog.get_logger()

OURS = frozenset({"pbem", "notation", "engines"})
"""The packages in which a bug is looked for."""
CLOSED = f"{rate_limits.ONCE}closed"
"""The gist of the answer to a player whose account is closed."""


def converse(request: Request) -> Reply:
    """Do what the message says, queue the reply, and return it."""
    is_answer = request.sender.held_message is not None or request.sender.address_question is not None
    reply = Reply(sender=request.sender, subject=request.message.subject if is_answer else "")
    left = _check_budgets(request)
    try:
        _check_account(request)
        _check_answers(request)
        _check_readable(request, left)
        reply = (_handled if request.sender.proven else _handled_quietly)(request, reply, left)
    except Refused as refusal:
        reply = refused(request, reply, refusal)
    is_merged = request.sender.player is not None and request.sender.player.merged_into is not None
    if is_merged:
        reply = replace(reply, sender=replace(reply.sender, player=None, match=None))
    elif request.sender.is_stranger and reply.sections:  # what they write in reply proves whose address it is
        reply = replace(reply, sender=replace(reply.sender, player=strangers.on_file(request)))
    failpoints.reach(Step.EXECUTED)
    enqueue(request, reply)
    if left is not None:
        log.info("answers left for strangers", of_address=left.address, of_domain=left.domain, all=left.all)
    return reply


def _handled(request: Request, reply: Reply, left: Left | None) -> Reply:
    """Return the reply to a message that answers a question of ours, or says something else."""
    return _acted(request, reply, left, _over_budget(request))


def _handled_quietly(request: Request, reply: Reply, left: Left | None) -> Reply:
    """Return the reply to a message that proves nothing; raise Unanswerable for a bug, which changes nothing then.

    Anybody can write such a message, and again: the operator isn't alerted, and the message isn't kept for them.
    """
    savepoint = request.session.begin_nested()
    try:
        reply = _handled(request, reply, left)
    except (Refused, Unanswerable):
        savepoint.commit()
        raise
    except Exception as bug:
        if isinstance(bug, Changed) or not is_bug(bug):
            raise
        savepoint.rollback()
        log.error("bug", incoming=request.incoming.id, error=type(bug).__name__, at=_place(bug))  # noqa: TRY400
        raise Unanswerable(Silence.BUG, type(bug).__name__) from bug
    savepoint.commit()
    return reply


def _place(bug: Exception) -> str:
    """Return the last line of ours on the way to an exception: a traceback may quote what people wrote."""
    places = [(frame.f_globals["__name__"], line) for frame, line in traceback.walk_tb(bug.__traceback__)]
    return next(f"{module}:{line}" for module, line in reversed(places) if module.partition(".")[0] in OURS)


def _acted(request: Request, reply: Reply, left: Left | None, over: Refused | Unanswerable | None) -> Reply:
    if over is not None:
        return execute.understand(request, reply, request.message, partial(_play_only, over))
    if request.sender.held_message is not None:
        return confirmations.confirm(request, reply, request.sender.held_message)
    if request.sender.address_question is not None:
        return new_address.settle(request, reply, request.sender.address_question)
    if request.sender.is_stranger:
        return execute.understand(request, reply, request.message, partial(_obey_stranger, left))
    return execute.understand(request, reply, request.message, _obey)


def _obey_stranger(left: Left | None, request: Request, reply: Reply, parsed: ParsedMessage) -> Reply:
    """Carry out one command that only looks, ask whether they want to join, or tell them what this is."""
    if moderating.is_meant(request, parsed):
        return moderating.obey(request, reply, parsed)
    bare = strangers.bare(request, parsed)
    if bare is None:
        return strangers.introduce(request, reply, parsed, left)
    only, has_more = bare
    if only.commands[0].command.changes:
        return confirmations.hold(request, reply, only, has_more=has_more)
    done = execute.execute(request, reply, only)
    return done.adding(FirstOnly()) if has_more else done


def _obey(request: Request, reply: Reply, parsed: ParsedMessage) -> Reply:
    """Carry the commands out, or hold them until the sender has confirmed them."""
    sender = request.sender
    if moderating.is_meant(request, parsed):
        return moderating.obey(request, reply, parsed)
    parsed = moderating.without_acts(parsed)
    if not sender.is_player:
        parsed = strangers.joining_first(
            parsed if parsed.commands or sender.match else strangers.named(request, parsed)
        )
    commands = [line.command for line in parsed.commands]
    if not commands and not sender.is_player and sender.match is None:
        name = strangers.full_name(request, parsed)
        return strangers.introduced(request, reply, wants_name=name is not None, name=name)
    if not commands:
        raise did_you_mean.for_message(request, parsed)
    if (
        not sender.is_player
        and not commands[0].makes_player
        and any(Who.GUESTS not in each.open_to for each in commands)
    ):
        raise Refused(
            "This address doesn't belong to a player yet.",
            fits='Write "join NAME" in a line above that; the name is one word.',
        )
    sure = all(
        moderating.is_among_others(line) or (permissions.is_covered(request, line) and not line.command.asks_once_more)
        for line in parsed.commands
    )
    wants_no_mail = sender.by_thread and not sender.is_player and all(command.ends_news for command in commands)
    if sure or wants_no_mail:
        return execute.execute(request, reply, parsed)
    return confirmations.hold(request, reply, parsed)


def _play_only(over: Refused | Unanswerable, request: Request, reply: Reply, parsed: ParsedMessage) -> Reply:
    """Play the turns of a player whose budget is used up; raise what ends everything else."""
    if not parsed.commands or any(not line.command.plays or line.malformed for line in parsed.commands):
        raise over
    if not all(permissions.is_covered(request, line) for line in parsed.commands):
        raise over
    played = execute.execute(request, reply, parsed)
    if not played.verdict.has_acted:
        raise over
    return played


def _check_readable(request: Request, left: Left | None) -> None:
    """Raise Refused for a message that is too large or can't be read, or Unanswerable if that isn't told a stranger."""
    stored, limit = request.stored_bytes, LARGEST_MESSAGE
    if request.incoming.size > stored or stored > limit:
        if left is not None:
            strangers.check_left(request, left)
            limit = LARGEST_OF_STRANGERS
        raise Refused(
            f"Your message is larger than {limit // 1000} KB, so it wasn't read.",
            fits="Send only the text, without attachments.",
        )
    error = request.message.error
    if error is not None:
        if request.sender.is_stranger:
            raise Unanswerable(Silence.UNREADABLE, error)
        raise Unread(error.problem.value, str(error))


def _check_account(request: Request) -> None:
    """Raise Refused for a player whose account is closed, and Unanswerable once they were told so that day.

    What they write is read all the same: they can have their data, and have it deleted.
    """
    session, sender = request.session, request.sender
    _check_merged(request)
    asked = session.get_one(Outgoing, sender.address_question) if sender.address_question is not None else None
    player = session.get(Player, asked.player) if asked is not None and asked.player else sender.player
    if player is None or player.banned is None:
        return
    message = request.message
    if sender.held_message is not None and sender.held_message in request.held_messages:
        message = request.held_messages[sender.held_message]
    written = execute.read(request, message).commands if message.error is None and asked is None else ()
    if written and all(Who.CLOSED in line.command.open_to for line in written):
        return
    if rate_limits.was_told(session, sender.address, CLOSED, request.now):
        raise Unanswerable(Silence.ACCOUNT_CLOSED)
    raise Refused(
        "The operator of this server has closed your account, so your message did nothing.",
        fits=f'"export me" and "delete me" still work. {whom_to_ask(request.server)}'.strip(),
        gist=CLOSED,
    )


def _check_merged(request: Request) -> None:
    """Raise Refused for an account that is part of another one: nothing acts for it any more."""
    player = request.sender.player
    if player is not None and player.merged_into is not None:
        kept = name(request.session.get_one(Player, player.merged_into))
        raise Refused(
            f"Your account here is part of the account of {kept}, so your message did nothing.",
            fits=f"Write it again from the address that {kept} has here. {whom_to_ask(request.server)}".strip(),
        )


def _check_budgets(request: Request) -> Left | None:
    """Return what strangers have left, for a stranger; raise Unanswerable if they have had enough answers."""
    session, sender = request.session, request.sender
    if not _is_budgeted_as_stranger(request) or sender.standing is None:
        return None
    per_month = 1 if invitations.is_ruled_out(session, sender.address) else rate_limits.STRANGER_PER_MONTH
    return rate_limits.of_stranger(
        session, sender.address, sender.standing, request.limits, request.now, per_month=per_month
    )


def _is_budgeted_as_stranger(request: Request) -> bool:
    """Return whether the sender's answers are those of strangers; an admin's are never too few to moderate by."""
    return request.sender.is_stranger and not request.server.is_admin(request.sender.address)


def _check_answers(request: Request) -> None:
    """Raise Refused, then Unanswerable, if too many messages came in a player's name that prove nothing."""
    sender = request.sender
    if sender.standing is not None and not _is_budgeted_as_stranger(request):
        most = request.limits.answers_per_hour
        rate_limits.of_address(request.session, sender.address, sender.standing, most, request.now)


def _over_budget(request: Request) -> Refused | Unanswerable | None:
    """Return what ends a message of a player who sends more than a person writes; None for others."""
    session, sender, now = request.session, request.sender, request.now
    if not sender.proven or sender.player is None:
        return None
    directory.note(session, sender.player, now)
    bounces.reinstate(session, sender.player, now)
    try:
        rate_limits.of_player(session, sender.player, request.incoming, request.limits.mails_per_hour, now)
    except (Refused, Unanswerable) as over:
        return over
    return None
