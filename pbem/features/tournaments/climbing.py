"""Climbing a ladder: climb."""

import re

from pbem.conversation.core import Command, Decision, Group, Line, Request
from pbem.conversation.refusals import check_running
from pbem.errors import Refused
from pbem.features.people import named
from pbem.features.tournaments import entries, rungs
from pbem.features.tournaments.field import Format
from pbem.features.tournaments.formats.ladder import AGAIN, Ladder, LadderObstacle
from pbem.storage.models import Player, Tournament


def climb(request: Request, line: Line) -> Decision:
    """Challenge a player who stands above the sender on a ladder; the match begins at once."""
    session, player, now = request.session, request.player, request.now
    number, wanted = line.words.split()
    tournament = entries.locked(session, int(number))
    if tournament is None or tournament.kind != Format.LADDER:
        raise Refused(f"There is no ladder {number[:9]}.", read=line.text, fits='"tournaments" lists them.')
    if tournament.ended is not None:
        raise Refused(f"Ladder {number} is over.", fits=f'"tournament {number}" shows how it stood.')
    other = named.player_called(request, line, wanted, lock=True)
    players = (player.id or 0, other.id or 0)
    ladder = rungs.ladder_of(session, tournament, players, now)
    _check(request, line, tournament, ladder, player, other)
    check_running(request, player)
    return Decision(events=(rungs.challenge(session, tournament, ladder, player, other, now),))


def _check(request: Request, line: Line, tournament: Tournament, ladder: Ladder, player: Player, other: Player) -> None:
    """Raise Refused if the player can't challenge the other."""
    number, shows = tournament.id, f'"tournament {tournament.id}" shows whom you can challenge.'
    if not ladder.rung_of(player.id or 0):
        raise Refused(f"You aren't on ladder {number}.", read=line.text, fits=f'"enter {number}" does that.')
    if not ladder.rung_of(other.id or 0):
        raise Refused(f"Nobody called {other.name} is on ladder {number}.", read=line.text, fits=shows)
    obstacle = ladder.obstacle(player.id or 0, other.id or 0, request.now)
    if obstacle is not None:
        raise Refused(_sentence(obstacle, ladder, player, other), read=line.text, fits=shows)


def _sentence(obstacle: LadderObstacle, ladder: Ladder, player: Player, other: Player) -> str:
    name, own = other.name, ladder.rung_of(player.id or 0)
    match obstacle:
        case LadderObstacle.BELOW:
            return f"You challenge those above you, and {name} isn't." if player.id != other.id else "That's you."
        case LadderObstacle.TOO_FAR:
            rung = ladder.rung_of(other.id or 0)
            return f"You're on rung {own}, and {name} on {rung}: a challenge goes {ladder.reach} rungs up at most."
        case LadderObstacle.PLAYING:
            return f"You're playing {name} on this ladder already."
        case LadderObstacle.TOO_SOON:
            return f"You have met {name} in the last {AGAIN.days} days, so you can't challenge them again yet."
        case LadderObstacle.BUSY:
            return f"You have challenged as many players there as you can at a time: {ladder.at_once}."
        case LadderObstacle.TAKEN:
            return f"As many others as can at a time have challenged {name}: {ladder.at_once}."


CLIMB = Command(
    "climb",
    "LADDER PLAYER",
    'meet someone above you on a ladder; "challenge NAME on ladder 3" does the same',
    climb,
    changes=True,
    words=(2, 2),
    resumes=True,
    group=Group.CONTESTS,
    brief="challenge someone above you on a ladder",
    shape=re.compile(r"\d{1,9}\s+\S+"),
)
