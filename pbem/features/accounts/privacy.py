"""The sender's own data: export, records, delete."""

from datetime import timedelta

from sqlmodel import select

from pbem.conversation.core import ASKS, Command, Decision, Line, Request, ToPlayer, Who
from pbem.conversation.syntax.grammar import opt, word, words
from pbem.errors import Refused
from pbem.messages.said.messages import Export
from pbem.players import erasure
from pbem.storage.clock import within
from pbem.storage.models import Outgoing
from pbem.tokens import Purpose

APART = timedelta(days=1)
"""The time between two exports, which are larger than any other message."""


WHOSE = word("me", r"\S+")


def _check_about_sender(request: Request, line: Line, instead: str) -> None:
    if line.given.get(WHOSE, "me") not in ("me", request.player.name):
        raise Refused(
            f'"{line.command.name}" is only about you and the data we hold on you.',
            read=line.text,
            fits=f'Write "{line.command.usage}"; {instead}.',
        )


def export(request: Request, line: Line) -> Decision:
    player = request.player
    _check_about_sender(request, line, '"record NUMBER" sends the record of a match')
    earlier = request.session.exec(
        select(Outgoing.id).where(
            Outgoing.player == player.id, Outgoing.template == "export", within(Outgoing.created, APART, request.now)
        )
    ).first()
    if earlier is not None:
        raise Refused("We've sent you all your data within the last day.", read=line.text, fits="Try again tomorrow.")
    return Decision(messages=(ToPlayer(player=player, payload=Export(), purpose=Purpose.PERSONAL),))


def delete(request: Request, line: Line) -> Decision:
    player = request.player
    _check_about_sender(request, line, '"resign NUMBER" ends a match')
    erasure.erase(
        request.session,
        request.server,
        player,
        request.now,
        request.features.forget,
        request.incoming,
        request.in_reply_to,
    )
    return Decision(leaves=True)  # the last message to them, which says so, is queued by the erasure


EXPORT = Command(
    "export",
    words(opt(WHOSE, usage="me")),
    "get all the data we hold on you: name, address, settings, matches, notes and messages, as files",
    export,
    keywords="download-data",
    open_to=Who.CLOSED,
)
DELETE = Command(
    "delete",
    words(opt(WHOSE, usage="me")),
    "leave, and have your data deleted; you lose your running matches, and we'll ask you to confirm",
    delete,
    keywords="erase remove",
    open_to=Who.CLOSED,
    proof=ASKS,
)
