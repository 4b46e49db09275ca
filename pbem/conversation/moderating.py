"""Moderation by mail: lists are sent to the admin's address, and each act waits for a `yes` from there.

Only a message whose answer goes to that address is read with these commands, but From proves nothing, so no proof is
enough for an act but the token of the question.
"""

from dataclasses import replace

from pbem.conversation import confirmations, execute
from pbem.conversation.core import Line, Request
from pbem.conversation.reply import Reply
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.errors import Refused
from pbem.messages.said.sections import FirstOnly


def is_meant(request: Request, parsed: ParsedMessage) -> bool:
    """Return whether the message is an act of moderation, or has one or a list and isn't a player's."""
    of_admin = [line.command for line in parsed.commands if line.command.of_admin]
    is_act = len(parsed.commands) == 1 and any(command.changes for command in of_admin)
    return is_act or (bool(of_admin) and not request.sender.is_player)


def obey(request: Request, reply: Reply, parsed: ParsedMessage) -> Reply:
    """Ask whether the act was meant, or send the lists; raise Refused for an act that doesn't stand alone."""
    of_admin = tuple(line for line in parsed.commands if line.command.of_admin)
    has_more = len(of_admin) < len(parsed.commands) or bool(parsed.beyond)
    act = next((line for line in of_admin if line.command.changes), None)
    if act is None:
        done = execute.execute(request, reply, ParsedMessage(commands=of_admin, words=(), first=""))
        return done.adding(FirstOnly()) if has_more else done
    if len(parsed.commands) > 1:
        raise _not_alone(act)
    return confirmations.hold(request, reply, parsed)


def is_among_others(line: Line) -> bool:
    """Return whether the line is an act that is refused because it doesn't stand alone, and so needs no `yes`."""
    return line.command.of_admin and line.command.changes


def without_acts(parsed: ParsedMessage) -> ParsedMessage:
    """Return the message with its acts as lines that are refused in their turn: what stands above them is done."""
    commands = tuple(
        replace(line, malformed=True, refusal=_not_alone(line)) if is_among_others(line) else line
        for line in parsed.commands
    )
    return replace(parsed, commands=commands)


def _not_alone(line: Line) -> Refused:
    return Refused(
        f'"{line.command.name}" needs a message of its own.',
        read=line.text[:60],
        fits="Send this line alone, with nothing but your reasons below it.",
    )
