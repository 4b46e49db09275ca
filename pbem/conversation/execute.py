"""Carry a message out: read its lines in the light of what it answers, and run its commands in order.

Nothing here asks who the sender is; the caller has settled that.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from sqlmodel import select

from pbem.commands import COMMANDS
from pbem.commands.core import Context, opponent
from pbem.commands.play import send_words
from pbem.commands.settings import resume
from pbem.commands.syntax.mail import ParsedMessage, Reader, tagged_match
from pbem.commands.verdict import Outcome, Verdict
from pbem.conversation import reply, suggested_yes
from pbem.errors import Refused
from pbem.matches.naming import is_hidden
from pbem.payloads.sections import NotAttempted, NotSent
from pbem.reading.message import Message
from pbem.storage.models import Match, Outgoing


def understand(context: Context, message: Message, act: Callable[[Context, ParsedMessage], Verdict]) -> Verdict:
    """Read the message and act on it; a `yes` in its first line means what the answered message suggests."""
    try:
        parsed, agreed = _reading(context, message)
    except Refused as refusal:
        reply.refuse(context, refusal, None)
        return Verdict(Outcome.REFUSED)
    verdict = act(context, parsed)
    if agreed is not None and verdict.has_acted:
        agreed.proposal = suggested_yes.DONE
        context.session.add(agreed)
    return verdict


def _reading(context: Context, message: Message) -> tuple[ParsedMessage, Outgoing | None]:
    """Return what the message says, given the match it answers, and the message whose suggestion it agrees to."""

    @cache  # every line asks; the row itself is fetched when it is locked
    def game_of(number: int) -> str | None:
        return context.session.exec(select(Match.game).where(Match.id == number)).first()

    player = context.sender.player
    about = context.sender.match
    # If the message it replies to showed several matches, the subject names at most one and decides nothing.
    if about is None and not context.sender.plies:
        about = tagged_match(message.subject)
    reader = Reader(COMMANDS, game_of, about, player.name if player else None)
    parsed = reader.read(message.subject, message.lines)
    context.effects.subject = parsed.subject
    if player is None or not suggested_yes.consents(message.lines):
        return parsed, None
    agreed = suggested_yes.answered(context.session, message, context.sender)
    if parsed.commands and (agreed is None or agreed.proposal is None):
        return parsed, None  # "Ok" and a turn below it
    line = suggested_yes.line_of(context.session, agreed)
    return reader.read(message.subject, (line, *suggested_yes.below(message.lines))), agreed


def execute(context: Context, parsed: ParsedMessage) -> Verdict:
    """Run the commands in order; the first refusal undoes its own line and stops."""
    if not context.sender.may:  # the text that a mail program adds to an unsubscribe message isn't the player's
        context = replace(context, prose=parsed.prose)
    done = []
    for number, line in enumerate(parsed.commands):
        later = parsed.commands[number + 1 :]
        ahead = (each.match for each in later if each.command.name == "move" and each.match is not None)
        context = replace(context, moves_ahead=frozenset(ahead))
        kept, prose_used = len(context.effects.sections), context.effects.prose_used
        try:
            with context.session.begin_nested():
                if line.misfit:
                    raise line.trouble or Refused(
                        f'That\'s not how "{line.command.name}" is written.',
                        read=line.text,
                        fits=line.command.usage,
                    )
                done.append(line.command.run(context, line) or line.command.name)
                if line.command.resumes:
                    resume(context)
        except Refused as refusal:
            del context.effects.sections[kept:]
            context.effects.prose_used = prose_used
            reply.refuse(context, refusal, line)
            if later:
                context.answer(NotAttempted(lines=tuple(ahead.text for ahead in later)))
            if context.prose and not context.effects.prose_used:
                context.answer(NotSent(lines=context.prose))
            return Verdict(Outcome.REFUSED if number == 0 else Outcome.REFUSED_IN_PART)
    _pass_prose_on(context)
    return Verdict(Outcome.DONE, ", ".join(done))


def _pass_prose_on(context: Context) -> None:
    """Send prose that no command has used to the opponent, if there is one."""
    if not context.prose or context.effects.prose_used:
        return
    number = context.effects.match or context.sender.match
    match = context.session.get(Match, number) if number else None
    player = context.sender.player
    ours = match is not None and player is not None and player.id in (match.seat0, match.seat1)
    if match is None or not ours or not context.sender.proven or is_hidden(match, opponent(context, match)):
        context.answer(NotSent(lines=context.prose))
        return
    send_words(context, match, context.message(match.id))
