"""What follows from a decision: messages in the outbox, and sections of the one reply.

This is the one place where a command's decision has effects; commands themselves queue nothing.
"""

from dataclasses import replace

from pbem.conversation.core import Decision, Request, ToAddress, ToNewAddress, ToPlayer
from pbem.conversation.reply import Reply
from pbem.matches.events import TurnPlayed
from pbem.messages.said import sections
from pbem.messages.said.messages import Confirmation
from pbem.messages.said.offers import OfferNews
from pbem.players import announcements
from pbem.players.notices import Notice, notify, retell
from pbem.storage.outbox import Mailer
from pbem.storage.payloads import Section


def apply(request: Request, reply: Reply, decision: Decision) -> Reply:
    notices = announcements.notices(request.session, decision.events, request.sender.player, reply.prose)
    for message in (*(notice for notice in notices if not request.is_from(notice.player)), *decision.messages):
        if not _goes_with_turn(request, message):
            _queue(request, message)
    if decision.leaves:
        gone = replace(reply.sender, player=None, proven=False, match=None, ply=None)
        return replace(reply, sender=gone, sections=decision.answer, match=None, prose=())
    played = {event.match.id for event in decision.events if isinstance(event, TurnPlayed)}
    return replace(
        reply,
        sections=(
            *(section for section in reply.sections if not _asks_for_rest(section, played)),
            *decision.answer,
            *(_for_author(notice) for notice in notices if request.is_from(notice.player)),
            *decision.below,
        ),
        match=decision.events[-1].match.id if decision.events else reply.match,
        prose=() if decision.takes_prose or announcements.carry_prose(notices) else reply.prose,
    )


def _asks_for_rest(section: Section, played: set[int | None]) -> bool:
    """Return whether the section asks for the rest of a turn which a later line of the message has completed."""
    return isinstance(section, sections.TurnBegun) and section.match in played


def _goes_with_turn(request: Request, message: Notice | ToPlayer | ToAddress | ToNewAddress) -> bool:
    """Return whether an offer goes to its reader with a turn that the same message brought; let it go with that."""
    if not isinstance(message, Notice) or not isinstance(message.payload, OfferNews):
        return False
    return not message.payload.message and retell(request.session, message, request.incoming)


def _for_author(notice: Notice) -> Section:
    told = (sections.TurnNews, sections.ChallengeClosed, OfferNews)
    assert isinstance(notice.payload, told)  # noqa: S101 - the others go to opponents
    return notice.payload


def _queue(request: Request, message: Notice | ToPlayer | ToAddress | ToNewAddress) -> None:
    mailer = Mailer(request.session, request.server, request.now)
    match message:
        case Notice():
            notify(request.session, request.server, request.now, message, request.incoming)
        case ToPlayer():
            mailer.to_player(
                message.player,
                message.payload,
                purpose=message.purpose,
                match=message.match,
                ply=message.match.plies if message.match else 0,
                token_subject=message.token_subject,
                incoming=request.incoming if message.is_reply else None,
                answers=request.in_reply_to if message.is_reply else (),
                standing=request.sender.standing if isinstance(message.payload, Confirmation) else None,
                gist=message.gist,
            )
        case ToAddress():
            mailer.to_address(message.address, message.payload)
        case ToNewAddress():
            mailer.ask_address(
                message.address,
                message.payload,
                player=message.player,
                incoming=request.incoming,
                token_subject=message.token_subject,
                answers=request.in_reply_to if message.is_reply else (),
            )
