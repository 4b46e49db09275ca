"""The commands that only show something: games, show, record, preview."""

from sqlmodel import select

from engines import GAMES
from notation import NOTATIONS
from pbem.commands.core import Command, Context, Line, match_of
from pbem.errors import Refused
from pbem.matches import variations
from pbem.matches.naming import name, shown
from pbem.matches.queries import of_player, opponent_of, people_of, seat_of
from pbem.matches.snapshot import Snapshot, snapshot_of
from pbem.payloads.sections import ListedMatch, MatchList, MatchRecord, MatchShown, MatchThen, Preview
from pbem.storage.models import Match, MatchState, Player


def games(context: Context, line: Line) -> None:
    """List the matches of the sender or of another player."""
    wanted = line.words.strip().lower()
    player: Player | None = context.player if not wanted else None
    if wanted:
        player = context.session.exec(select(Player).where(Player.name == wanted)).first()
        if player is None:
            raise Refused(f"No player is called {wanted[:40]}.", read=line.text, fits='"games" alone lists your own.')
    assert player is not None  # noqa: S101 - refused above otherwise
    own = context.is_sender(player)
    states = (MatchState.RUNNING, MatchState.OVER) + ((MatchState.OFFERED,) if own else ())
    matches = of_player(context.session, player, states)
    people = people_of(context.session, matches)
    rows = (
        ListedMatch(
            number=match.id or 0,
            title=GAMES[match.game].title,
            opponent=name(shown(match, people[opponent_of(match, player)])),
            state=_state(match, player, own=own),
        )
        for match in matches
    )
    context.answer(MatchList(player=name(player), own=own, rows=tuple(rows)))


def _state(match: Match, player: Player, *, own: bool) -> str:
    """Return how the match stands for the player, in words."""
    match match.state:
        case MatchState.OFFERED:
            return "your challenge, no reply yet" if match.challenger == player.id else "waiting for you to accept"
        case MatchState.OVER:
            if match.winner is None:
                return "drawn"
            return "won" if (match.seat0, match.seat1)[match.winner] == player.id else "lost"
    whose = "waiting" if match.to_move != seat_of(match, player) else "your turn" if own else "to move"
    return f"{whose}, turn {match.plies + 1}"


def show(context: Context, line: Line) -> None:
    """Show a match as it is now, or after one of its turns."""
    match = _with_board(context, line)
    if line.ply is not None:
        then = _standing(context, match, line.ply)
        context.answer(MatchThen(match=then.number, ply=then.ply, now=then.total))
        return
    standing = snapshot_of(context.session, match)
    own = _is_to_move(context, standing)
    context.answer(MatchShown(match=standing.number, ply=standing.ply, part=match.part if own else None, own=own))


def record(context: Context, line: Line) -> None:
    """Send the record of a match, whole or up to one of its turns."""
    match = _with_board(context, line)
    standing = _standing(context, match, line.ply)
    context.answer(MatchRecord(match=standing.number, ply=standing.ply))


def preview(context: Context, line: Line) -> None:
    """Show the board after turns that could be played, or the ways to go on with one. Nothing is played or kept."""
    match = _with_board(context, line)
    standing = _standing(context, match, line.ply)
    if line.ply is None and match.state == MatchState.OVER:
        raise Refused(
            f"Match #{match.id} is over, so no turn can follow.",
            read=line.text,
            fits=f'"preview {match.id}#{max(0, standing.ply - 1)} TURN" shows what could have been played instead.',
            match=match.id,
        )
    own = line.ply is None and _is_to_move(context, standing)
    kept = match.part if own else None  # nobody else may see an unfinished turn
    try:
        variation = variations.read(NOTATIONS[match.game], standing.base, kept, line.words)
    except Refused as refusal:
        refusal.match = match.id if line.ply is None else None
        raise
    context.answer(
        Preview(
            match=standing.number,
            ply=standing.ply,
            now=standing.total,
            past=line.ply is not None,
            playable=own and match.state == MatchState.RUNNING,
            kept=kept is not None and not variation.turns,
            turns=tuple(variation.turns),
            part=variation.part,
            chosen=variation.chosen,
        )
    )


def _with_board(context: Context, line: Line) -> Match:
    """Return the match that the line is about; raise Refused where it was never played."""
    match = match_of(context, line)
    if match.state not in (MatchState.RUNNING, MatchState.OVER):
        raise Refused(f"Match #{match.id} has no board yet: the challenge is {match.state}.", read=line.text)
    return match


def _standing(context: Context, match: Match, ply: int | None) -> Snapshot:
    """Return the match after that many turns, or as it is now; raise Refused where it doesn't have that many."""
    standing = snapshot_of(context.session, match)
    if ply is not None and ply > standing.total:
        turns = "1 turn" if standing.total == 1 else f"{standing.total} turns"
        raise Refused(
            f"Match #{match.id} has {turns}, so there is no turn {ply}.",
            fits=f'"show {match.id}#0" is its beginning, "show {match.id}#{standing.total}" its last position.',
        )
    return standing if ply is None else standing.at(ply)


def _is_to_move(context: Context, standing: Snapshot) -> bool:
    """Return whether it is the sender's turn."""
    player = context.sender.player
    return player is not None and standing.base.turn is not None and standing.seat_of(player) == standing.base.turn


GAMES_COMMAND = Command(
    "games", "[PLAYER]", "list your matches, or another player's", games, words=(0, 1), aliases=("matches",)
)
SHOW = Command(
    "show",
    "[NUMBER[#TURN]]",
    "show a match: board, turns and whose turn it is; 42#7 is match 42 after turn 7",
    show,
    of_match=True,
    looks_back=True,
)
RECORD = Command(
    "record",
    "[NUMBER[#TURN]]",
    "send you the record of a match",
    record,
    of_match=True,
    looks_back=True,
)
PREVIEW = Command(
    "preview",
    "[NUMBER[#TURN]] [TURN [/ TURN ...]]",
    "see the board after one or more turns without playing them; the last one may be unfinished",
    preview,
    of_match=True,
    takes_turn=True,
    looks_back=True,
    words=(0, 200),
)
