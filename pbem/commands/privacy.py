"""The sender's own data: export, delete."""

from dataclasses import replace
from datetime import timedelta

from sqlmodel import col, select

from pbem.commands.core import Command, Context, Line
from pbem.errors import Refused
from pbem.payloads.messages import Export
from pbem.players import erasure
from pbem.storage.models import Outgoing
from pbem.tokens import Purpose

APART = timedelta(days=1)
"""The time between two exports: they are large, and no other message causes as much."""


def _oneself(context: Context, line: Line, instead: str) -> None:
    """Raise Refused if the line is about something other than the sender."""
    if line.words.lower().strip(" .!") not in ("", "me", context.player.name):
        raise Refused(
            f'"{line.command.name}" is about you and all the data we hold on you.',
            read=line.text,
            fits=f'"{line.command.usage}"; {instead}.',
        )


def export(context: Context, line: Line) -> None:
    """Send the sender all data we hold on them."""
    player = context.player
    _oneself(context, line, '"record NUMBER" sends the record of a match')
    earlier = context.session.exec(
        select(Outgoing.id).where(
            Outgoing.player == player.id, Outgoing.template == "export", col(Outgoing.created) > context.now - APART
        )
    ).first()
    if earlier is not None:
        raise Refused("We've sent you all your data within the last day.", read=line.text, fits="Try again tomorrow.")
    context.mailer.to_player(
        player, Export(), purpose=Purpose.PERSONAL, incoming=context.incoming, answers=context.answered
    )


def delete(context: Context, line: Line) -> None:
    """Delete all data on the sender, who is a stranger from then on."""
    player = context.player
    _oneself(context, line, '"resign NUMBER" ends a match')
    erasure.erase(context.session, context.server, player, context.now, context.incoming, context.answered)
    context.effects.sections.clear()  # a player who has left gets one last message, which says so
    context.effects.prose_used, context.effects.match = True, None
    context.effects.sender = replace(context.sender, player=None, proven=False, match=None, ply=None)


EXPORT = Command(
    "export",
    "me",
    "get all the data we hold on you as files: name, address, settings, matches, notes and messages",
    export,
    changes=True,
    words=(0, 1),
)
DELETE = Command(
    "delete",
    "me",
    "leave and have your data deleted; you lose your running matches, and we'll ask you to confirm",
    delete,
    changes=True,
    asks_once_more=True,
    words=(0, 1),
)
