"""The one answer to a message: what it says, and whether one is sent.

Here, and nowhere else, the sections that commands and refusals leave become a queued message.
"""

from pbem.commands.core import Context, Line
from pbem.commands.syntax import did_you_mean
from pbem.conversation import suggested_yes
from pbem.errors import Refused
from pbem.matches.queries import seat_of
from pbem.payloads.messages import Answer, Message
from pbem.payloads.sections import Refusal, Section, TurnPlayed, Welcome
from pbem.players import preferences, rate_limits
from pbem.players.preferences import OFF
from pbem.reading.limits import Problem
from pbem.storage.models import Match, MatchState, Player
from pbem.tokens import Purpose


def refuse(context: Context, refusal: Refused, line: Line | None) -> None:
    """Add a refusal to the answer: what was read with a caret, what is wrong, what would work, the board."""
    match = context.session.get(Match, refusal.match) if refusal.match else None
    player = context.sender.player
    seat = seat_of(match, player) if match and player else None
    to_move = match is not None and seat is not None and match.to_move == seat
    if line is not None:
        did_you_mean.respell(context, line, refusal)
    context.effects.proposal = refusal.proposal
    context.answer(
        Refusal(
            sentence=refusal.sentence,
            read=refusal.read,
            written=line.text if line and refusal.read and line.text != refusal.read else None,
            at=refusal.at,
            width=max(1, refusal.width),
            fits=refusal.fits,
            match=match.id if match else None,
            ply=match.plies if match else None,
            part=match.part if match and to_move else None,  # only its author may see an unfinished turn
            own=seat is not None,
            meant=refusal.meant,
            proposed=refusal.proposal is not None,
            as_of=suggested_yes.as_of(match, refusal.proposal),
        )
    )


def unread(problem: Problem) -> Refused:
    """Return what the sender of a message that can't be read is told."""
    return Refused(
        f"Your message wasn't read: {problem.value}.",
        fits="Send only the text: as plain text, and without attachments.",
    )


def give(context: Context) -> None:
    """Queue one message to the sender with everything that there is to say."""
    player, sections = context.sender.player, context.effects.sections
    if not sections or _was_said(context):
        return
    if _wants_no_receipts(player) and all(_is_receipt(context, section) for section in sections):
        return
    shown = list(dict.fromkeys(number for section in sections if (number := getattr(section, "match", None))))
    several = len(shown) > 1
    about = (context.effects.match if not several else None) or context.sender.match
    match = context.session.get(Match, about) if about else None
    ours = match is not None and player is not None and player.id in (match.seat0, match.seat1)
    to_player = player is not None and (player.confirmed is not None or ours)
    plays = ours and not several
    plies = None
    if several or (context.sender.plies and not plays):
        now = {number: context.session.get_one(Match, number).plies for number in shown}
        plies = {**context.sender.plies, **now}
    payload: Message = Answer(sections=tuple(sections), subject=context.effects.subject[:60], plies=plies)
    match sections:
        case [TurnPlayed() | Welcome() as only]:  # messages of their own where there is nothing else to say
            payload = only
    if player is None or not to_player:
        context.mailer.to_address(context.sender.address, payload, incoming=context.incoming, answers=context.answered)
        return
    context.mailer.to_player(
        player,
        payload,
        purpose=Purpose.PLAY if plays else Purpose.PERSONAL,
        match=match if ours else None,
        ply=match.plies if match and ours else 0,
        incoming=context.incoming,
        answers=context.answered,
        proposal=context.effects.proposal,
    )


def _wants_no_receipts(player: Player | None) -> bool:
    return player is not None and preferences.of(player.settings)["receipt"] == OFF


def _is_receipt(context: Context, section: Section) -> bool:
    """Whether a section says only that the sender's own turn was played."""
    if not isinstance(section, TurnPlayed) or section.ply == 0:
        return False
    return context.session.get_one(Match, section.match).state == MatchState.RUNNING


def _was_said(context: Context) -> bool:
    """Whether this answers a message that proves nothing, and the address has had the same answer today."""
    is_error = any(isinstance(section, Refusal) for section in context.effects.sections)
    if context.sender.proven or not (is_error or context.sender.is_stranger):
        return False
    return rate_limits.was_said(context.session, context.sender.address, context.effects.sections, context.now)
