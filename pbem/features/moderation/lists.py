"""Lists for the admin: players, acts."""

from datetime import datetime

from pbem.conversation.core import LOOKS, Command, Decision, Line, Request, Who
from pbem.conversation.syntax import commands
from pbem.conversation.syntax.grammar import PAGE, PLAYER, Piece, opt, word, words
from pbem.features.moderation import acts, roster
from pbem.features.moderation.messages import ActKept, ActsKept, Roster, RosterRow
from pbem.features.moderation.roster import AccountKind
from pbem.matches import history
from pbem.matches.queries import name
from pbem.players import directory
from pbem.storage.models import HOUSE, ModerationAct, Player

KIND = Piece("banned|stopped|unreachable", "banned|stopped|unreachable", lambda text: AccountKind(text.lower()))
NAME = word("NAME", r"\S+", is_name=True)


def players(request: Request, line: Line) -> Decision:
    page, kind, beginning = line.given.get(PAGE, 1), line.given.get(KIND, AccountKind.ALL), line.given.get(NAME, "")
    found, more = roster.players(request.session, commands.SIZE, page, beginning=beginning, kind=kind)
    told = Roster(
        rows=tuple(_listed(request, player) for player in found),
        kind="" if kind is AccountKind.ALL else kind.value,
        page=page,
        next_page=commands.following("players", line.given, more=more),
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
    page, named = line.given.get(PAGE, 1), line.given.get(PLAYER, "")
    about = roster.called(request.session, named) if named else None
    kept, more = acts.newest(request.session, commands.SIZE, page, about)
    told = ActsKept(
        rows=tuple(_kept(request, act) for act in kept),
        page=page,
        next_page=commands.following("acts", line.given, more=more),
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
    words(opt(KIND), opt(NAME), opt(PAGE)),
    "list the players with their addresses, also only those of a kind, or whose names begin like that",
    players,
    open_to=Who.ADMIN,
    proof=LOOKS,
)
ACTS = Command(
    "acts",
    words(opt(PLAYER), opt(PAGE)),
    "list what was done to players and matches, by whom and why, the newest first",
    acts_,
    open_to=Who.ADMIN,
    proof=LOOKS,
)
