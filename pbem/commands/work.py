"""How much one message may have us look up: what only shows something is cheap to ask for and long to answer."""

from pbem.commands.conditions import CONDITIONS, is_condition
from pbem.commands.core import Line, Request
from pbem.errors import Refused
from pbem.matches.conditions import MOST_LINES
from pbem.storage.models import Match

BOARD = 100
"""What a board costs, as much as a hundred turns to replay or lines to list."""
LISTS = frozenset(
    {"games", "seeks", "who", "whois", "history", "standings", "tournaments", "tournament", "players", "acts"}
)
"""The commands that list rows, each as much work as a board."""
PAGE = 50
"""What any other answer costs."""
MOST = 4_000
"""What one message can cost."""


def cost(request: Request, line: Line) -> int:
    """Return what the line costs to answer, in turns to replay and lines to list; 0 if it does more than look.

    Conditions are shown with a board for each line.
    """
    if line.command.changes and not is_condition(line):
        return 0
    if not line.command.of_match:
        return BOARD if line.command.name in LISTS else PAGE
    match = request.session.get(Match, line.match) if line.match is not None else None
    if match is None:
        return 0
    boards = MOST_LINES if is_condition(line) or line.command.name == CONDITIONS.name else 1
    return boards * BOARD + (match.plies if line.ply is None else min(line.ply, match.plies))


def check(request: Request, line: Line, spent: int) -> int:
    """Return what the message has cost with this line; raise Refused if that's too much. One line never is."""
    total = spent + cost(request, line)
    if spent and total > MOST:
        raise Refused(
            "One message can't hold everything you asked for, so the answer ends here.",
            read=line.text,
            fits="Send this line and those below in another message.",
        )
    return total
