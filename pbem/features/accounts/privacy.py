"""The sender's own data: export, records, delete."""

from datetime import timedelta

from sqlmodel import select

from pbem.conversation.core import Command, Decision, Group, Line, Request, ToPlayer
from pbem.errors import Refused
from pbem.matches import queries
from pbem.messages.said.messages import AllRecords, Export
from pbem.players import erasure
from pbem.storage.clock import within
from pbem.storage.models import Outgoing
from pbem.tokens import Purpose

APART = timedelta(days=1)
"""The time between two exports, which are larger than any other message."""
MOST_ARCHIVES = 20
"""How many archives of records a player gets in a day: each holds up to 200 matches."""


def _check_about_sender(request: Request, line: Line, instead: str) -> None:
    """Raise Refused if the line is about something other than the sender."""
    if line.words.lower().strip(" .!") not in ("", "me", request.player.name):
        raise Refused(
            f'"{line.command.name}" is only about you and the data we hold on you.',
            read=line.text,
            fits=f'Write "{line.command.usage}"; {instead}.',
        )


def export(request: Request, line: Line) -> Decision:
    """Send the sender all data we hold on them."""
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


def records(request: Request, line: Line) -> Decision:
    """Send the sender the records of their matches as an archive, the newest or those before a match."""
    player, words = request.player, line.words.split()
    before = int(words[2].lstrip("#")) if len(words) > 1 else None
    day = (Outgoing.template == "records", within(Outgoing.created, APART, request.now))
    earlier = request.session.exec(select(Outgoing.id).where(Outgoing.player == player.id, *day).limit(MOST_ARCHIVES))
    if len(earlier.all()) >= MOST_ARCHIVES:
        raise Refused(
            f"We've sent you {MOST_ARCHIVES} archives within the last day.", read=line.text, fits="Try again tomorrow."
        )
    if not queries.with_board(request.session, player, before):
        what = "You haven't played a match yet." if before is None else f"You've played no match before #{before}."
        raise Refused(what, read=line.text, fits='"games" lists your matches.')
    return Decision(messages=(ToPlayer(player=player, payload=AllRecords(before=before), purpose=Purpose.PERSONAL),))


def delete(request: Request, line: Line) -> Decision:
    """Delete all data on the sender, who is a stranger from then on."""
    player = request.player
    _check_about_sender(request, line, '"resign NUMBER" ends a match')
    erasure.erase(request.session, request.server, player, request.now, request.incoming, request.in_reply_to)
    return Decision(leaves=True)  # the last message to them, which says so, is queued by the erasure


EXPORT = Command(
    "export",
    "me",
    "get all the data we hold on you as files: name, address, settings, matches, notes and messages",
    export,
    changes=True,
    words=(0, 1),
    group=Group.ACCOUNT,
    brief="get all the data we hold on you",
)
RECORDS = Command(
    "records",
    "mine [before NUMBER]",
    "get the records of all your matches in one archive, the newest first",
    records,
    changes=True,
    words=(1, 3),
    group=Group.BOARDS,
    brief="get all your records in one archive",
)
DELETE = Command(
    "delete",
    "me",
    "leave and have your data deleted; you lose your running matches, and we'll ask you to confirm",
    delete,
    changes=True,
    asks_once_more=True,
    words=(0, 1),
    group=Group.ACCOUNT,
    brief="leave, and have your data deleted",
)
