"""What each reply token lets a command do without a question: the least that its message needs.

People forward messages and reply to all of us at once, so the token of a match serves that match. Whatever else it
asks for waits for a `yes` from the address on file, or goes to the personal address.
"""

from pbem.conversation.core import Line, Reach, Request
from pbem.matches.queries import seat_of
from pbem.storage.models import Match
from pbem.tokens import Purpose


def is_covered(request: Request, line: Line) -> bool:
    """Return whether the line needs no more proof than its sender has; looking needs none if the answer is small."""
    sender = request.sender
    if not line.command.changes:
        return sender.proven or not line.command.is_large
    if sender.purpose is None:
        return sender.proven
    match line.command.reach(sender.purpose) if sender.proven or sender.serves_news else Reach.NOWHERE:
        case Reach.ANYWHERE:
            return True
        case Reach.MATCH:
            return line.match in (None, sender.match)
        case Reach.OPPONENT:
            return (
                _is_in_match(request)
                and line.command.goes_to_opponent is not None
                and line.command.goes_to_opponent(request, line)
            )
        case Reach.GUEST:
            return not sender.is_player
        case Reach.NOWHERE:
            return False


def covers_notes(request: Request, match: int) -> bool:
    """Return whether the sender may write to the opponent in that match at once."""
    sender = request.sender
    if not sender.proven or sender.purpose is None:
        return sender.proven
    return sender.purpose is Purpose.PERSONAL or (sender.purpose is Purpose.PLAY and match == sender.match)


def _is_in_match(request: Request) -> bool:
    """Return whether the sender plays in the match that their token is for."""
    player = request.sender.player
    match = request.session.get(Match, request.sender.match) if request.sender.match else None
    return player is not None and match is not None and seat_of(match, player) is not None
