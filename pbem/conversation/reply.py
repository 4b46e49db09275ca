"""The one reply to a message: what decisions and refusals add to it, the messages beside it, and whether it is sent."""

from dataclasses import dataclass, replace

from pbem.conversation import message_without_command
from pbem.conversation.command import PAGE, Decision, Letter, Line, Request
from pbem.errors import Refused, Unread
from pbem.matches.clock.timekeeping import ZONE
from pbem.matches.events import TurnPlayed
from pbem.matches.queries import seat_of, version
from pbem.messages import general_preferences
from pbem.messages.contents.answer_sections import (
    AsOf,
    LastAnswer,
    NotAttempted,
    NotSent,
    OfferNews,
    Refusal,
    TurnBegun,
    TurnNews,
    clipped,
)
from pbem.messages.contents.message_payloads import Answer, InvitationsAllowed, InvitationsStopped
from pbem.messages.times_shown import moment
from pbem.players import match_event_notices, message_budgets, waiting_answers
from pbem.players.queue_match_news import Notice, notify, retell
from pbem.players.sender_identity import Sender
from pbem.storage.mailer import Delivery, Mailer
from pbem.storage.message_payload_base import Payload, Section
from pbem.storage.models import Match, MatchState
from pbem.storage.preference_definition import OFF
from pbem.storage.verdicts import Outcome, Verdict
from pbem.tokens import Purpose

LONGEST_READ = 1_000  # how much of a line a refusal repeats
NOTHING_YET = Verdict(Outcome.DONE)  # the verdict before any command was carried out


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    sender: Sender  # whom to tell: the sender may have left meanwhile, or got another address
    verdict: Verdict = NOTHING_YET
    sections: tuple[Section, ...] = ()
    match: int | None = None  # the match that the last command was about
    subject: str = ""  # the Subject of the message as the reply may repeat it: without a password
    proposal: str | None = None  # the line that a `yes` in an answer to this reply means
    prose: tuple[str, ...] = ()  # the sender's text for the opponent, until something takes it along
    gist: str | None = None  # what makes it the same as another reply; None if its sections do
    cost: int = 0  # what it took to look up (see pbem.conversation.execute)

    def adding(self, *sections: Section) -> "Reply":
        return replace(self, sections=(*self.sections, *sections))


def follow(request: Request, reply: Reply, decision: Decision) -> Reply:
    """Queue the messages that follow from a decision, and add to the reply what it tells its author.

    This is the one place where a decision has effects; commands themselves queue nothing.
    """
    notices = match_event_notices.notices(request.session, decision.events, request.sender.player, reply.prose)
    for message in (*(notice for notice in notices if not request.is_from(notice.player)), *decision.messages):
        _queue(request, message)
    if decision.leaves:
        gone = replace(reply.sender, player=None, proven=False, match=None, ply=None)
        return replace(reply, sender=gone, sections=decision.answer, match=None, prose=())
    own = (notice.payload for notice in notices if request.is_from(notice.player))
    played = {event.match.id for event in decision.events if isinstance(event, TurnPlayed)}
    kept = (part for part in reply.sections if not (isinstance(part, TurnBegun) and part.match in played))
    news = (payload for payload in own if isinstance(payload, Section))
    return replace(
        reply,
        sections=(*kept, *decision.answer, *news, *decision.below),
        match=decision.events[-1].match.id if decision.events else reply.match,
        prose=() if decision.takes_prose or match_event_notices.carry_prose(notices) else reply.prose,
    )


def _queue(request: Request, message: Notice | Letter) -> None:
    session, server, now = request.session, request.server, request.now
    if isinstance(message, Notice):
        goes_with_turn = isinstance(message.payload, OfferNews) and not message.payload.message
        if not (goes_with_turn and retell(session, message, request.incoming)):
            notify(session, server, now, message, request.incoming)
        return
    mailer, player, payload, cause = Mailer(session, server, now), message.player, message.payload, message.cause
    if player is None:
        mailer.to_address(message.address, payload, cause=cause)
    elif message.address:
        mailer.ask_address(message.address, payload, player=player, token_subject=message.token_subject, cause=cause)
    else:
        subject, match = message.token_subject, message.match
        mailer.to_player(player, payload, purpose=message.purpose, match=match, token_subject=subject, cause=cause)


def refused(request: Request, reply: Reply, refusal: Refused, line: Line | None = None) -> Reply:
    match = request.session.get(Match, refusal.match) if refusal.match else None
    player = reply.sender.player
    seat = seat_of(match, player) if match and player else None
    if match is not None and seat is None and match.state == MatchState.RUNNING:
        match = None  # whether its players let others see it isn't asked for a refusal
    to_move = match is not None and seat is not None and match.to_move == seat
    if line is not None:
        message_without_command.add_spelling(request, line, refusal)
    section = Refusal(
        sentence=refusal.sentence,
        read=refusal.read and refusal.read[:LONGEST_READ],
        written=line.text[:LONGEST_READ] if line and refusal.read and line.text != refusal.read else None,
        at=refusal.at,
        width=max(1, refusal.width),
        fits=refusal.fits,
        match=match.id if match else None,
        ply=match.plies if match else None,
        part=match.part if match and to_move else None,  # only its author may see an unfinished turn
        own=seat is not None,
        meant=tuple(refusal.meant),
        proposed=refusal.proposal is not None,
        as_of=AsOf(match=match.id or 0, ply=match.plies, shift=match.shift, part=match.part)
        if match and refusal.proposal
        else None,
        wish=refusal.wish,
    )
    verdict = Verdict(Outcome.UNREAD, refusal.detail) if isinstance(refusal, Unread) else Verdict(Outcome.REFUSED)
    unsent = (NotSent(lines=tuple(refusal.unsent)),) if refusal.unsent else ()
    gist = None if reply.sections else refusal.gist  # what was done is told, however often the refusal was
    return replace(reply.adding(section, *unsent), verdict=verdict, proposal=refusal.proposal, gist=gist)


def enqueue(request: Request, reply: Reply) -> None:
    """Queue the reply, unless it says what its sender was told often enough, or doesn't want to be told."""
    session, sender, player = request.session, reply.sender, reply.sender.player
    sections = reply.sections if sender.standing is None else tuple(map(_shortened, reply.sections))
    gist = reply.gist or message_budgets.gist_of_answer(sections)
    until = request.now if gist is None else message_budgets.ends_until(session, sender, sections, gist, request.now)
    choices = general_preferences.with_defaults(player.settings if player else {})
    if not sections or until is None:
        return
    if until > request.now:
        sections = (*sections, LastAnswer(until=moment(until, choices[ZONE], request.now)))
    if player is not None and choices["receipt"] == OFF and all(_is_receipt(request, part) for part in sections):
        return
    shown = list(dict.fromkeys(number for part in sections if (number := getattr(part, "match", None))))
    several = len(shown) > 1
    about = (reply.match if not several else None) or sender.match
    match = session.get(Match, about) if about else None
    ours = match is not None and player is not None and player.id in (match.seat0, match.seat1)
    ends_invitations = any(isinstance(part, InvitationsStopped | InvitationsAllowed) for part in sections)
    plays = ours and not several and not ends_invitations
    plies = None
    if several or (sender.plies and not plays):
        plies = {**sender.plies, **{number: version(session.get_one(Match, number)) for number in shown}}
    subject = "" if sender.is_stranger else reply.subject[:60]
    payload: Payload = Answer(sections=sections, subject=subject, plies=plies)
    match sections:
        case [Payload(stands_alone=True) as only]:
            payload = only
    mailer, is_long = Mailer(session, request.server, request.now), reply.cost > PAGE
    cause = request.cause(sender.standing, gist)
    # Whoever replies from an address that isn't a player's yet can join at once: only its owner has the reply address.
    is_newcomer = sender.is_stranger or sender.proven
    if player is None or not (player.confirmed or ours or ends_invitations or is_newcomer):
        mailer.to_address(sender.address, payload, cause=cause, is_long=is_long)
        return
    waits_until = None
    if match is not None and match.level is not None:
        waiting_answers.release(session, match, request.now)
        waits_until = waiting_answers.due(match, player, payload, request.now) if plays else None
    mailer.to_player(
        player,
        payload,
        purpose=Purpose.PLAY if plays else Purpose.NOTICES if ends_invitations else Purpose.PERSONAL,
        match=match if ours else None,
        cause=cause,
        proposal=reply.proposal,
        delivery=Delivery(waits_until=waits_until, is_long=is_long),
    )


def _is_receipt(request: Request, section: Section) -> bool:
    """Return whether a section says only that the sender's own turn was played."""
    if not isinstance(section, TurnNews) or section.ply == 0 or section.since is not None or section.void:
        return False
    return request.session.get_one(Match, section.match).state == MatchState.RUNNING


def _shortened(section: Section) -> Section:
    return replace(section, lines=clipped(section.lines)) if isinstance(section, NotSent | NotAttempted) else section
