"""Messages that wait for a yes: stored as they came, asked about at the address on file, read again when it agrees."""

from dataclasses import replace

from sqlmodel import select

from pbem.commands import address
from pbem.commands.core import Context, Line
from pbem.commands.syntax.mail import ParsedMessage
from pbem.commands.verdict import Outcome, Verdict
from pbem.conversation import execute, reply, suggested_yes
from pbem.errors import Changed, Silence, Unanswerable
from pbem.payloads.messages import Asking, Confirmation
from pbem.payloads.sections import AlreadySettled, HeldDropped, NotAttempted, NotSent, QuestionExpired, Refusal
from pbem.payloads.stored import load
from pbem.players import identity, rate_limits
from pbem.storage.models import Incoming, IncomingState, Match, Outgoing, Player
from pbem.tokens import Purpose


def hold(context: Context, parsed: ParsedMessage) -> Verdict:
    """Hold the message and ask the address on file whether it was meant; refuse at once what can't be done.

    This is for messages that prove nothing, and for those with a command that asks once more: the whole message waits.
    """
    savepoint = context.session.begin_nested()
    sender = replace(context.sender, player=_on_file(context), proven=True)
    trial = replace(context, effects=replace(context.effects, sender=sender, sections=[]))
    verdict = execute.execute(trial, parsed)
    savepoint.rollback()
    if verdict.outcome is not Outcome.DONE:
        told = (Refusal, NotAttempted, NotSent)
        context.effects.sections = [section for section in trial.effects.sections if isinstance(section, told)]
        context.effects.proposal = trial.effects.proposal
        return Verdict(Outcome.REFUSED)
    lines = [line.text for line in parsed.commands]
    if context.sender.is_stranger and rate_limits.was_asked(
        context.session, context.sender.address, lines, context.now
    ):
        raise Unanswerable(Silence.STRANGER_WAS_ASKED)
    player = _on_file(context)
    context.incoming.state = IncomingState.HELD
    asking = [line for line in parsed.commands if line.command.asks_once_more] if context.sender.proven else []
    question = Confirmation(
        lines=tuple(lines),
        prose=parsed.prose,
        joining=player.confirmed is None,
        asking=tuple(Asking(command=line.command.name, match=_about(line)) for line in asking),
    )
    _ask(context, player, context.incoming.id or 0, question, _about(asking[0]) if len(asking) == 1 else None)
    return Verdict(Outcome.ASKED)


def _about(line: Line) -> int | None:
    """Return the match that the command is about, if any."""
    return line.match if line.command.of_match else None


def _ask(context: Context, player: Player, held_id: int, question: Confirmation, about: int | None) -> None:
    """Queue the question whether a held message was meant to the player's address on file."""
    match = context.session.get(Match, about) if about else None
    context.mailer.to_player(
        player,
        question,
        purpose=Purpose.CONFIRM,
        token_subject=held_id,
        match=match,
        ply=match.plies if match else 0,
        incoming=context.incoming,
        answers=context.answered,
    )


def _on_file(context: Context) -> Player:
    """Return the sender's row; for an unknown address a new one, not yet a player's."""
    if context.sender.player is not None:
        return context.sender.player
    player = Player(address=context.sender.address, created=context.now)
    context.session.add(player)
    context.session.flush()
    return player


def confirm(context: Context, held_id: int) -> Verdict:
    """Let a held message act, now that the address on file has answered."""
    held = context.session.get(Incoming, held_id, with_for_update=True)
    if held is None:
        raise Unanswerable(Silence.UNKNOWN_TOKEN)
    if held.state != IncomingState.HELD:
        context.answer(AlreadySettled(verdict=held.verdict or ""))
        return Verdict(Outcome.SETTLED)
    if context.now - held.received > address.QUESTION_LIVES:
        held.state, held.handled, held.verdict = IncomingState.DONE, context.now, "not confirmed in time"
        context.session.add(held)
        context.answer(QuestionExpired(days=address.QUESTION_LIVES.days))
        return Verdict(Outcome.TOO_LATE)
    asked = context.session.exec(
        select(Outgoing).where(Outgoing.incoming == held_id, Outgoing.template == "confirm").limit(1)
    ).one()
    context.effects.subject, context.effects.match = context.mail.subject, asked.match
    player, lines = context.sender.player, context.mail.lines
    question = load(asked.template, asked.payload, asked.match, asked.ply)
    assert isinstance(question, Confirmation)  # noqa: S101 - it was selected by its template
    if player is not None and context.sender.by_thread:
        _ask(context, player, held_id, replace(question, unclear=False, by_thread=True), asked.match)
        return Verdict(Outcome.ASKED_AGAIN)
    drops = suggested_yes.refuses(lines)
    agrees = any(suggested_yes.consents([line]) for line in lines)
    if player is not None and player.confirmed and not (drops or agrees):
        _ask(context, player, held_id, replace(question, unclear=True, by_thread=False), asked.match)
        return Verdict(Outcome.ASKED_AGAIN)
    if drops:
        held.state, held.handled, held.verdict = IncomingState.DONE, context.now, str(Verdict(Outcome.NOT_CONFIRMED))
        context.session.add(held)
        context.answer(HeldDropped())
        return Verdict(Outcome.NOT_CONFIRMED)
    message = context.request.held.get(held_id)
    if message is None:
        raise Changed
    if message.error is not None:  # it was readable before, so time or memory is short just now
        reply.refuse(context, reply.unread(message.error.problem), None)
        return Verdict(Outcome.UNREAD, str(message.error))
    held.state, held.handled = IncomingState.DONE, context.now
    context.session.add(held)
    told_of = identity.of(context.session, message, context.server, context.request.keyring, context.now)
    context.effects.sender = replace(
        context.sender, match=told_of.match, ply=told_of.ply, plies=told_of.plies, held=None
    )
    verdict = execute.understand(context, message, execute.execute)
    context.effects.subject = context.mail.subject
    held.verdict = f"confirmed; {verdict}"
    return verdict.after_confirming(held_id)
