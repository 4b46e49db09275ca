"""Lists for the admin: players, acts."""

from datetime import datetime

from pbem.conversation.core import BOARD, LOOKS, Command, Decision, Group, Line, Request, Who
from pbem.conversation.syntax import commands
from pbem.errors import Refused
from pbem.features.moderation import acts, roster
from pbem.features.moderation.messages import ActKept, ActsKept, Roster, RosterRow
from pbem.features.moderation.roster import AccountKind
from pbem.matches import history
from pbem.matches.queries import name
from pbem.players import directory
from pbem.storage.models import HOUSE, ModerationAct, Player

KINDS = (AccountKind.BANNED, AccountKind.STOPPED, AccountKind.UNREACHABLE)


def players(request: Request, line: Line) -> Decision:
    page, words = commands.numbered(line.words.lower().split())
    kind = next((kind for kind in KINDS if kind in words), AccountKind.ALL)
    beginnings = [word for word in words if word != kind]
    if len(beginnings) > 1:
        raise Refused("One beginning of names at a time.", read=line.text, fits=PLAYERS.advice)
    beginning = beginnings[0] if beginnings else ""
    found, more = roster.players(request.session, commands.SIZE, page, beginning=beginning, kind=kind)
    told = Roster(
        rows=tuple(_listed(request, player) for player in found),
        kind="" if kind is AccountKind.ALL else kind.value,
        page=page,
        next_page=commands.following("players", words, page, more=more),
    )
    return Decision(answer=(told,))


def _listed(request: Request, player: Player) -> RosterRow:
    session = request.session
    return RosterRow(
        by=name(player),
        address=player.address if player.address != HOUSE else "",
        joined=_day(player.confirmed),
        seen=_day(directory.last_seen(session, player)),
        running=history.running(session, player),
        state=", ".join(roster.states(player)),
    )


def acts_(request: Request, line: Line) -> Decision:
    page, words = commands.numbered(line.words.split())
    if len(words) > 1:
        raise Refused("Name one player, or none.", read=line.text, fits=ACTS.advice)
    about = roster.called(request.session, words[0]) if words else None
    kept, more = acts.newest(request.session, commands.SIZE, page, about)
    told = ActsKept(
        rows=tuple(_kept(request, act) for act in kept),
        page=page,
        next_page=commands.following("acts", words, page, more=more),
    )
    return Decision(answer=(told,))


def _kept(request: Request, act: ModerationAct) -> ActKept:
    player = request.session.get(Player, act.player) if act.player else None
    return ActKept(
        at=f"{act.at:%Y-%m-%d %H:%M}",
        actor=act.actor,
        act=act.act,
        by=name(player) if player else "",
        who=act.former_name or "",
        number=act.match,
        message=tuple(act.note.splitlines()),
    )


def _day(time: datetime | None) -> str:
    return f"{time:%Y-%m-%d}" if time else ""


PLAYERS = Command(
    "players",
    "[banned|stopped|unreachable] [NAME] [PAGE]",
    "list the players with their addresses, also only those of a kind, or whose names begin like that",
    players,
    Group.MODERATION,
    words=(0, 3),
    open_to=Who.ADMIN,
    own_cost=BOARD,
    proof=LOOKS,
)
ACTS = Command(
    "acts",
    "[PLAYER] [PAGE]",
    "list what was done to players and matches, by whom and why, the newest first",
    acts_,
    Group.MODERATION,
    words=(0, 2),
    open_to=Who.ADMIN,
    own_cost=BOARD,
    proof=LOOKS,
)
