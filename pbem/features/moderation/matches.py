"""Matches: close, adjudicate."""

from dataclasses import replace

from notation.games import GAMES
from pbem.conversation.core import Decision, Line, Request
from pbem.errors import Refused
from pbem.features.moderation import orders, verdicts
from pbem.matches.naming import name
from pbem.matches.queries import players_of
from pbem.messages.said.acts import Act
from pbem.storage.models import Match, MatchState


def close(request: Request, line: Line) -> Decision:
    written = orders.read(request, line)
    match = verdicts.open_match(request.session, _number(line, written.about[0]))
    act = _act(request, match)
    verdicts.close(request.session, request.server, match, written.order, request.now)
    return orders.done(act, written.order)


def adjudicate(request: Request, line: Line) -> Decision:
    written = orders.read(request, line)
    number, winner = written.about
    match = verdicts.open_match(request.session, _number(line, number))
    wanted = winner.lower()
    act = replace(_act(request, match), act="adjudicate", who="" if wanted == verdicts.DRAW else wanted)
    verdicts.adjudicate(request.session, request.server, match, wanted, written.order, request.now)
    return orders.done(act, written.order)


def _number(line: Line, word: str) -> int:
    digits = word.removeprefix("#")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10):
        raise Refused(f'"{word[:40]}" isn\'t the number of a match.', read=line.text, fits=line.command.advice)
    return int(digits)


def _act(request: Request, match: Match) -> Act:
    """Return what the admin is told of the match, as it is before it ends."""
    first, second = players_of(request.session, match)
    return Act(
        act="close",
        by=name(first),
        opponent=name(second),
        number=match.id or 0,
        title=GAMES.title(match.game),
        turns=match.plies,
        offered=match.state == MatchState.OFFERED,
    )


CLOSE = orders.command(
    "close", "NUMBER [tell=yes] [NOTE]", "end a match without a result, or withdraw a challenge", close, (1, 200)
)
ADJUDICATE = orders.command(
    "adjudicate",
    "NUMBER PLAYER|draw [tell=yes] [NOTE]",
    "end a match as won by a player, or as a draw; it counts like any other result",
    adjudicate,
    (2, 200),
)
