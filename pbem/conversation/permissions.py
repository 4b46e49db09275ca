"""What each reply token lets a command do without a question: the least that its message needs.

People forward messages and reply to all of us at once, so the token of a match serves that match. Whatever else it
asks for waits for a `yes` from the address on file, or goes to the personal address.
"""

from collections.abc import Mapping
from enum import Enum

from pbem.conversation.core import Line, Request
from pbem.errors import Refused
from pbem.features.challenges import commands as challenges
from pbem.matches.naming import is_hidden
from pbem.matches.queries import opponent_of, seat_of
from pbem.storage.models import Match, Player
from pbem.tokens import Purpose


class Reach(Enum):
    """Where a command takes effect at once; each value is the phrase for the documents."""

    ANYWHERE = "at once"
    MATCH = "at once, in that match"
    OPPONENT = "at once, if it goes to the opponent of that match"
    GUEST = "at once, for someone who isn't a player yet"
    NOWHERE = "after a `yes`"


REACH: Mapping[Purpose, Mapping[str, Reach]] = {
    Purpose.PLAY: {
        "accept": Reach.MATCH,
        "decline": Reach.MATCH,
        "withdraw": Reach.MATCH,
        "move": Reach.MATCH,
        "if": Reach.MATCH,
        "queue": Reach.MATCH,
        "undo": Reach.MATCH,
        "resign": Reach.MATCH,
        "say": Reach.MATCH,
        "draw": Reach.MATCH,
        "pause": Reach.MATCH,
        "resume": Reach.MATCH,
        "cancel": Reach.MATCH,
        "claim": Reach.MATCH,
        "hint": Reach.MATCH,
        "rematch": Reach.MATCH,
        "analyse": Reach.MATCH,
        "mute": Reach.MATCH,
        "challenge": Reach.OPPONENT,
        "play": Reach.OPPONENT,
        "join": Reach.GUEST,
        "stop": Reach.GUEST,
        "start": Reach.GUEST,
    },
    Purpose.PERSONAL: dict.fromkeys(
        (
            *("join", "challenge", "play", "accept", "decline", "withdraw", "move", "if", "queue"),
            *("undo", "resign", "say"),
            *("draw", "pause", "resume", "cancel", "claim", "hint", "rematch", "replay", "analyse", "mute"),
            *("seek", "take", "unseek", "enter", "climb", "retire", "host", "watch", "unwatch"),
            *("block", "unblock", "refuse", "allow", "limit"),
            *("set", "vacation", "stop", "start", "change", "revoke", "export", "records", "delete"),
        ),
        Reach.ANYWHERE,
    ),
    Purpose.NOTICES: {"stop": Reach.ANYWHERE, "start": Reach.ANYWHERE, "unwatch": Reach.ANYWHERE},
    Purpose.CONFIRM: {},
    Purpose.ADDRESS: {},
    Purpose.BOUNCE: {},
}
"""The commands that change something, by the purpose of the token; those not named wait for a `yes`."""


def reach(purpose: Purpose, command: str) -> Reach:
    """Return where a command that changes something takes effect with a token of that purpose.

    >>> reach(Purpose.PLAY, "move"), reach(Purpose.PLAY, "set")
    (<Reach.MATCH: 'at once, in that match'>, <Reach.NOWHERE: 'after a `yes`'>)
    """
    return REACH[purpose].get(command, Reach.NOWHERE)


def is_covered(request: Request, line: Line) -> bool:
    """Return whether the line needs no more proof than its sender has; looking needs none if the answer is small."""
    sender = request.sender
    if not line.command.changes:
        return sender.proven or not line.command.is_large
    if sender.purpose is None:
        return sender.proven
    match reach(sender.purpose, line.command.name) if sender.proven or sender.serves_news else Reach.NOWHERE:
        case Reach.ANYWHERE:
            return True
        case Reach.MATCH:
            return line.match in (None, sender.match)
        case Reach.OPPONENT:
            return _goes_to_opponent(request, line)
        case Reach.GUEST:
            return not sender.is_player
        case Reach.NOWHERE:
            return False


def covers_notes(request: Request, match: int) -> bool:
    """Return whether the sender may write to the opponent in that match at once."""
    sender = request.sender
    if not sender.proven or sender.purpose is None:
        return sender.proven
    where = reach(sender.purpose, "say")
    return where is Reach.ANYWHERE or (where is Reach.MATCH and match == sender.match)


def _goes_to_opponent(request: Request, line: Line) -> bool:
    """Return whether the challenge goes to the opponent in the match that the sender's token is for.

    `play` does so where that is the house.
    """
    player = request.sender.player
    match = request.session.get(Match, request.sender.match) if request.sender.match else None
    if player is None or match is None or seat_of(match, player) is None:
        return False
    if line.command.name == "play":
        return match.level is not None
    opponent = request.session.get_one(Player, opponent_of(match, player))
    try:
        offer = challenges.read(line.words.split(), player.name)
    except Refused:
        return False  # refused when it is tried
    return offer.opponent == opponent.name and not is_hidden(match, opponent)
