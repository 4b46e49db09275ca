"""What a player wants none of: block, unblock, refuse, allow, limit."""

from collections.abc import Iterator

from pbem.conversation.core import Command, Decision, Line, Request
from pbem.conversation.syntax.grammar import GAME, PLAYER, opt, word, words
from pbem.errors import Refused
from pbem.features.accounts import settings
from pbem.features.house import player as house
from pbem.features.people import commands
from pbem.features.people.messages import Blocked
from pbem.matches import lifecycle
from pbem.matches.events import Event
from pbem.matches.queries import is_hidden, locked, name, of_player, opponent_of
from pbem.messages.said.sections import ChallengeClosed, NotSent
from pbem.players import announcements, blocks
from pbem.players.willingness import LIMIT, REJECTS, rejected
from pbem.storage.models import MatchState, Player
from pbem.storage.preferences import NONE, OFF


def block(request: Request, line: Line) -> Decision:
    """Let no challenges, offers and seeks pass between the sender and another player, who isn't told."""
    player, session = request.player, request.session
    other = commands.player_called(request, line, line.given[PLAYER])
    if other.id == player.id:
        raise Refused("You can't block yourself.", read=line.text, fits='"stop" ends our news to you.')
    if house.is_house(other):
        raise Refused("The house challenges nobody, and writes no notes.", read=line.text)
    if blocks.number(session, player) >= blocks.MOST:
        raise Refused(f"You have blocked {blocks.MOST} players, and that's the limit.", fits='"unblock NAME" ends one.')
    if not blocks.block(session, player, other, request.now):
        raise Refused("You have blocked this player already.", read=line.text, fits='"unblock NAME" ends that.')
    events = tuple(_with_offers_closed(request, player, other))
    running = of_player(session, player, (MatchState.RUNNING,))
    between = tuple(match.id or 0 for match in running if opponent_of(match, player) == other.id)
    told = announcements.notices(session, events, player)  # without words: those below "block" are about the other
    return Decision(
        answer=(
            Blocked(player=name(other), blocked=True, numbers=between),
            *(
                notice.payload
                for notice in told
                if request.is_from(notice.player) and isinstance(notice.payload, ChallengeClosed)
            ),
        ),
        messages=tuple(notice for notice in told if not request.is_from(notice.player)),
        below=(NotSent(lines=request.prose),) if request.prose else (),
        takes_prose=True,
    )


def _with_offers_closed(request: Request, player: Player, other: Player) -> Iterator[Event]:
    """Turn down what the other has offered, and take back what was offered to them by name."""
    for offered in of_player(request.session, player, (MatchState.OFFERED,)):
        if opponent_of(offered, player) != other.id or is_hidden(offered, other):
            continue
        match = locked(request.session, offered.id or 0)
        if match is None or match.state != MatchState.OFFERED:
            continue
        act = lifecycle.withdraw if match.challenger == player.id else lifecycle.decline
        yield from act(request.session, match, player, request.now)


def unblock(request: Request, line: Line) -> Decision:
    other = commands.player_called(request, line, line.given[PLAYER])
    if not blocks.unblock(request.session, request.player, other):
        raise Refused("You haven't blocked this player.", read=line.text)
    return Decision(answer=(Blocked(player=name(other), blocked=False),))


def refuse(request: Request, line: Line) -> Decision:
    return _rejecting(request, line, {*rejected(request.player.settings), line.given[GAME]})


def allow(request: Request, line: Line) -> Decision:
    return _rejecting(request, line, {*rejected(request.player.settings)} - {line.given[GAME]})


def _rejecting(request: Request, line: Line, games: set[str]) -> Decision:
    return settings.chosen(request, line, {REJECTS.name: ",".join(sorted(games)) or NONE})


def limit(request: Request, line: Line) -> Decision:
    return settings.chosen(request, line, {LIMIT.name: line.given.get(MATCHES, NONE).replace(OFF, NONE)})


MATCHES = word("MATCHES", r"\d{1,9}|none|off")


BLOCK = Command(
    "block",
    words(PLAYER, is_strict=True),
    "exchange no more challenges and seeks with a player; they aren't told, and your running matches go on",
    block,
    keywords="ban hide harass harassment spam",
)
UNBLOCK = Command(
    "unblock",
    words(PLAYER, is_strict=True),
    'end what "block" did',
    unblock,
)
REFUSE = Command(
    "refuse",
    words(GAME, is_strict=True),
    'let nobody challenge you to a game; "reject GAME" does the same',
    refuse,
)
ALLOW = Command(
    "allow",
    words(GAME, is_strict=True),
    'let others challenge you to a game again; "accept GAME" does the same',
    allow,
)
LIMIT_COMMAND = Command(
    "limit",
    words(opt(MATCHES), is_strict=True),
    'stop challenges while you play that many matches; "limit none" lifts it',
    limit,
    keywords="busy enough",
)
