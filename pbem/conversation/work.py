"""How much one message and one player may have us look up: what only shows something is cheap to ask for.

It is counted in turns to replay and lines to list: as measured, one takes up to half a millisecond and half a KB of the
answer (bench/growth.py). Turns cost nothing, whatever else was asked for.
"""

from math import ceil

from pbem.conversation.core import Line, Request
from pbem.errors import Refused
from pbem.players import rate_limits
from pbem.storage.models import Match

MOST = 4_000
"""What one message can cost."""
MOST_UNPROVEN = 100
"""The same for a message that proves nothing, whose answer may go to a victim."""
MOST_PER_HOUR = 20_000
"""What all messages of a player can cost within an hour."""


def cost(request: Request, line: Line) -> int:
    """Return what the line costs to answer, in turns to replay and lines to list; 0 if it does more than look."""
    own = line.command.cost
    if not own or not line.command.of_match:
        return own
    match = request.session.get(Match, line.match) if line.match is not None else None
    if match is None:
        return 0
    return own + (match.plies if line.ply is None else min(line.ply, match.plies))


def charge(request: Request, line: Line, spent: int) -> int:
    """Return what a message has cost with that line; raise Refused if that's too much. One line alone never is."""
    own = cost(request, line)
    if not own:
        return spent
    is_unproven = request.sender.standing is not None
    if spent and spent + own > (MOST_UNPROVEN if is_unproven else MOST):
        proven = "in a reply to one of our messages" if is_unproven else "in another message"
        raise Refused(
            "One message can't hold everything you asked for, so the answer ends here.",
            read=line.text,
            fits=f"Send this line and those below {proven}.",
        )
    sender, session = request.sender, request.session
    player = sender.player if sender.proven else None
    earlier = rate_limits.cost_of_hour(session, player, request.incoming, request.now) if player else 0
    if player and earlier and earlier + spent + own > MOST_PER_HOUR:
        again = rate_limits.when_cost_falls_to(session, player, MOST_PER_HOUR - spent - own, request.now)
        minutes = max(1, ceil((again - request.now).total_seconds() / 60))
        raise Refused(
            "You've had us look up as much as one player can within an hour, so the answer ends here.",
            read=line.text,
            fits=f"This works again in {minutes} minutes. Your turns count as always.",
            gist=f"{rate_limits.ONCE}until {again:%d %H}",
        )
    return spent + own
