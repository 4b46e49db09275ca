"""Looking: games, show, record. Nothing here changes anything."""

from sqlmodel import select

from engines import GAMES
from pbem.commands.core import Command, Context, Line, match_of, seats
from pbem.matches import name, of_player, stand
from pbem.models import Match, MatchState, Player
from pbem.refusals import Refused


def games(context: Context, line: Line) -> None:
    """List the matches of the sender, or of the named player."""
    wanted = line.words.strip().lower()
    player: Player | None = context.player if not wanted else None
    if wanted:
        player = context.session.exec(select(Player).where(Player.name == wanted)).first()
        if player is None:
            raise Refused(f"No player is called {wanted[:40]}.", read=line.text, fits='"games" alone lists your own.')
    assert player is not None  # noqa: S101 - refused above otherwise
    own = context.is_sender(player)
    states = (MatchState.RUNNING, MatchState.OVER) + ((MatchState.OFFERED,) if own else ())
    rows = []
    for match in of_player(context.session, player, states):
        first, second = seats(context.session, match)
        other = second if first.id == player.id else first
        rows.append(
            {
                "number": match.id,
                "title": GAMES[match.game].title,
                "opponent": name(other),
                "state": _state(context, match, player),
            }
        )
    context.answer("games", player=name(player), own=own, rows=rows)


def _state(context: Context, match: Match, player: Player) -> str:
    match match.state:
        case MatchState.OFFERED:
            return "your challenge, not answered yet" if match.challenger == player.id else "waits for your accept"
        case MatchState.OVER:
            if match.winner is None:
                return "drawn"
            return "won" if (match.seat0, match.seat1)[match.winner] == player.id else "lost"
    standing = stand(context.session, match)
    mine = standing.base.turn == standing.seat_of(player)
    whose = "your turn" if context.is_sender(player) else "to move"
    return f"{whose}, turn {standing.ply + 1}" if mine else f"waiting, turn {standing.ply + 1}"


def show(context: Context, line: Line) -> None:
    """Show a match as it stands."""
    match = match_of(context, line)
    if match.state not in (MatchState.RUNNING, MatchState.OVER):
        raise Refused(f"Match #{match.id} has no board: the challenge is {match.state}.", read=line.text)
    standing = stand(context.session, match)
    player = context.sender.player
    own = player is not None and standing.seat_of(player) == standing.base.turn
    context.answer("shown", match=match.id, ply=standing.ply, part=match.part if own else None, own=own)


def record(context: Context, line: Line) -> None:
    """Send the record of a match."""
    match = match_of(context, line)
    if match.state not in (MatchState.RUNNING, MatchState.OVER):
        raise Refused(f"Match #{match.id} has no record: the challenge is {match.state}.", read=line.text)
    context.answer("record", match=match.id, ply=stand(context.session, match).ply)


GAMES_COMMAND = Command(
    "games", "[PLAYER]", "list your matches, or a player's", games, words=(0, 1), aliases=("matches",)
)
SHOW = Command("show", "[NUMBER]", "show a match: board, turns, whose move it is", show, of_match=True)
RECORD = Command("record", "[NUMBER]", "send the record of a match", record, of_match=True)
