"""The commands that only show something: games, show, record, preview."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from sqlmodel import select

from notation.ending import WITHOUT_RESULT
from notation.games import GAMES
from pbem.conversation.command import BOARD, Command, Decision, Line, Request, Who
from pbem.conversation.syntax.arguments import MATCH_THEN, PLAYER, TURN, opt, word, words
from pbem.errors import Refused
from pbem.features import paging
from pbem.features.house.house_account import is_house
from pbem.features.match_and_players import match_of
from pbem.features.paging import PAGE
from pbem.matches import queries, variation_parsing
from pbem.matches.clock import timekeeping
from pbem.matches.clock.timekeeping import ZONE, expected_due
from pbem.matches.queries import is_to_move, opponent_of, pack_of, people_of, plies, seat_of
from pbem.matches.replayed_match import Snapshot, snapshot_of
from pbem.matches.shown_names import name, shown
from pbem.messages import general_preferences, times_shown
from pbem.messages.contents.answer_sections import MatchThen, Preview, TurnTakenBack, TurnTimeShown
from pbem.messages.times_shown import moment
from pbem.players import watching_rights
from pbem.players.watching_rights import Visibility
from pbem.storage.message_payload_base import Listing, Part, Section
from pbem.storage.models import Match, MatchState, Player


class ListedMatch(Part):
    number: int
    title: str
    opponent: str
    state: str
    has_board: bool = False


class MatchList(Listing, template="games"):
    player: str
    own: bool
    rows: tuple[ListedMatch, ...]
    more: int = 0  # how many follow these


class MatchRecord(Section, template="record"):
    match: int
    ply: int
    taken_back: tuple[TurnTakenBack, ...] | None = None
    """The turns that were taken back, for a reader who wants them too."""
    times: tuple[TurnTimeShown, ...] = ()  # when each turn was received, for the same reader


class MatchShown(Section, template="shown"):
    match: int
    ply: int
    part: str | None = None  # the unfinished turn, for the player who began it
    own: bool  # whether it is the reader's turn


ANIMATION = 1_000  # what a record costs besides: to draw its boards one after the other takes longer than all else
MOST_IN_FULL = 200
"""How many turns `record full` lists with their times, and how many that were taken back: the last ones."""
MOST_LISTED = 100  # how many matches a page of `games` lists: those that aren't over first, then the newest


def games(request: Request, line: Line) -> Decision:
    page, player = line.given.get(PAGE, 1), _player(request, line)
    own = request.is_from(player)
    states = (MatchState.RUNNING, MatchState.OVER) + ((MatchState.OFFERED,) if own else ())
    matches, more = queries.newest_of(request.session, player, states, MOST_LISTED, (page - 1) * MOST_LISTED)
    seen = watching_rights.of_matches(request.session, matches, request.sender.player)
    matches = [match for match in matches if seen[match.id or 0] is not Visibility.NOTHING]
    people, since = people_of(request.session, matches), queries.since_when(request.session, matches)
    choices = general_preferences.with_defaults((request.sender.player or player).settings)
    stages = {match.id: _stage(match, player) for match in matches}
    due = {match.id: expected_due(match, request.now) for match in matches}
    matches.sort(key=lambda match: (stages[match.id], _by_time(match, due[match.id], since)))
    rows = []
    for match in matches:
        day = times_shown.day(choices, due[match.id] or since[match.id or 0], request.now)
        row = ListedMatch(
            number=match.id or 0,
            title=GAMES.title(match.game),
            opponent=name(shown(match, people[opponent_of(match, player)])),
            state=_state(match, player, day, own=own, is_due=due[match.id] is not None),
            has_board=match.state in (MatchState.RUNNING, MatchState.OVER),
        )
        rows.append(row)
    # With the name also of the sender: "games 2" was "show 2" elsewhere, and is understood so.
    following = paging.page_after(f"games {player.name}", page, more=more > 0)
    listed = MatchList(player=name(player), own=own, rows=tuple(rows), more=more, page=page, next_page=following)
    return Decision(answer=(listed,))


def _player(request: Request, line: Line) -> Player:
    """Return the player whose matches are asked for, who is the sender where none is named."""
    called = line.given.get(PLAYER, "")
    if not called:
        return request.player
    player = request.session.exec(select(Player).where(Player.name == called)).first()
    if player is None:
        raise Refused(f"No player is called {called[:40]}.", read=line.text, fits='"games" alone lists your own.')
    if is_house(player):
        fits = f'"games" lists yours, and "history {called[:40]}" those against the house that are over.'
        raise Refused("The house plays with everybody, so its matches aren't listed.", read=line.text, fits=fits)
    return player


def _stage(match: Match, player: Player) -> int:
    """Return how urgent the match is for the player: their turn, a challenge to answer, then what waits for others."""
    if match.state == MatchState.OVER:
        return 4
    if match.state == MatchState.OFFERED:
        return 3 if match.challenger == player.id else 1
    return 0 if match.to_move == seat_of(match, player) else 2


def _by_time(match: Match, due: datetime | None, since: Mapping[int, datetime]) -> tuple[bool, float, int]:
    """Return what sorts matches of a kind: what is due, then what has waited longest, but of those over the newest."""
    time = (due or since[match.id or 0]).timestamp()
    return due is None, -time if match.state == MatchState.OVER else time, match.id or 0


def _state(match: Match, player: Player, day: str, *, own: bool, is_due: bool) -> str:
    match match.state:
        case MatchState.OFFERED:
            return f"not accepted yet, {day}" if match.challenger == player.id else f"challenges you, {day}"
        case MatchState.OVER:
            if match.termination in WITHOUT_RESULT:
                return f"{match.termination}, {day}"
            if match.winner is None:
                return f"drawn, {day}"
            return f"won, {day}" if (match.seat0, match.seat1)[match.winner] == player.id else f"lost, {day}"
    whose = "waiting" if match.to_move != seat_of(match, player) else "your turn" if own else "to move"
    when = f", due {day}" if is_due else f" since {day}"
    return f"{whose}{when}, turn {match.plies + 1}" + (", paused" if match.paused else "")


def show(request: Request, line: Line) -> Decision:
    match = _with_board(request, line)
    last = _check_ply(request, match, line.ply)
    if line.ply is not None:
        return Decision(answer=(MatchThen(match=match.id or 0, ply=line.ply, now=last),))
    return Decision(answer=(as_seen(request, match),))


def as_seen(request: Request, match: Match) -> MatchShown | MatchThen:
    """Return the section that shows a match as it is now, or as it was a turn ago to who sees it late."""
    last = watching_rights.last_ply(match, watching_rights.of_reader(request.session, match, request.sender.player))
    if last < match.plies:
        return MatchThen(match=match.id or 0, ply=last, now=last)
    own = is_to_move(match, request.sender.player)
    return MatchShown(match=match.id or 0, ply=match.plies, part=match.part if own else None, own=own)


def record(request: Request, line: Line) -> Decision:
    """Send the record of a match, whole or up to one of its turns; `full` adds what was taken back."""
    match = _with_board(request, line)
    last = _check_ply(request, match, line.ply)
    ply = last if line.ply is None else line.ply
    short = MatchRecord(match=match.id or 0, ply=ply)
    return Decision(answer=(_in_full(request, match, short) if FULL in line.given else short,))


def _in_full(request: Request, match: Match, record: MatchRecord) -> MatchRecord:
    """Return the record with turns taken back, and when each turn was played in the reader's time zone."""
    session, people, reader = request.session, people_of(request.session, (match,)), request.sender.player
    names = [name(shown(match, people[seat])) for seat in (match.seat0, match.seat1)]
    zone = general_preferences.with_defaults({} if reader is None else reader.settings)[ZONE]
    rows = [*zip(plies(session, match), timekeeping.turn_times(session, match), strict=True)][: record.ply]
    times = (
        TurnTimeShown(
            number=row.number,
            by=names[row.seat],
            text=row.text,
            when=moment(time.received, zone, request.now),
            used=time.in_words,
        )
        for row, time in rows[-MOST_IN_FULL:]
    )
    undone = (
        TurnTakenBack(number=row.number, by=names[row.seat], text=row.text, when=f"{row.taken_back:%Y-%m-%d}")
        for row in queries.taken_back(session, match)[-MOST_IN_FULL:]
    )
    return replace(record, taken_back=tuple(undone), times=tuple(times))


def preview(request: Request, line: Line) -> Decision:
    """Show the board after turns that could be played, or the ways to go on with one. Nothing is played or kept."""
    match = _with_board(request, line)
    last = _check_ply(request, match, line.ply)
    if last < match.plies and line.ply is None:
        line = replace(line, ply=last)
    snapshot = snapshot_of(request.session, match)
    snapshot = snapshot if line.ply is None else snapshot.at(line.ply)
    if line.ply is None and match.state == MatchState.OVER:
        raise Refused(
            f"Match #{match.id} is over, so no turn can follow.",
            read=line.text,
            fits=f'"preview {match.id}#{max(0, snapshot.ply - 1)} TURN" shows what could have been played instead.',
            match=match.id,
        )
    own = line.ply is None and is_to_move(match, request.sender.player)
    kept = match.part if own else None  # nobody else may see an unfinished turn
    try:
        variation = variation_parsing.read(snapshot.notation, snapshot.base, kept, line.words)
    except Refused as refusal:
        refusal.match = match.id if line.ply is None else None
        raise
    shown = Preview(
        match=snapshot.number,
        ply=snapshot.ply,
        now=last,
        past=line.ply is not None,
        playable=own and match.state == MatchState.RUNNING,
        kept=kept is not None and not variation.turns,
        turns=tuple(variation.turns),
        part=variation.part,
        chosen=variation.chosen,
    )
    return Decision(answer=(shown,))


def position_of(request: Request, line: Line) -> Snapshot:
    """Return the match after the turn that the line names, or as it is now, where it can go on from there."""
    match = _with_board(request, line)
    last = _check_ply(request, match, line.ply)
    snapshot = snapshot_of(request.session, match)
    there = snapshot.at(last if line.ply is None else line.ply)
    if there.base.turn is None:
        raise Refused(
            f"Match #{match.id} ended with turn {there.ply}, so it can't go on from there.",
            read=line.text,
            fits=f'For example from "{match.id}#{max(0, there.ply - 1)}", the position before that.',
        )
    return there


def _with_board(request: Request, line: Line) -> Match:
    """Return the match that the line is about; raise Refused where it was never played, GameMissing without a game."""
    match = match_of(request, line)
    if match.state not in (MatchState.RUNNING, MatchState.OVER):
        raise Refused(f"Match #{match.id} has no board yet: the challenge is {match.state}.", read=line.text)
    check_sight(request, match)
    pack_of(match)
    return match


def check_sight(request: Request, match: Match) -> None:
    """Raise Refused for a match that goes on and that its players don't let the sender see.

    The words are the same if one of the players has blocked the sender.
    """
    reader = request.sender.player
    if watching_rights.of_reader(request.session, match, reader) is not Visibility.NOTHING:
        return
    if reader is None or reader.confirmed is None:
        raise Refused(
            f"Match #{match.id} goes on, and you aren't a player here yet.",
            fits='Write "join NAME" to get started. The name is one word.',
        )
    raise Refused(
        f"Match #{match.id} goes on, and its players don't both let others see it.",
        fits=f'"show {match.id}" works once it is over.',
    )


def _check_ply(request: Request, match: Match, ply: int | None) -> int:
    """Return the last turn that the sender sees; raise Refused where the match doesn't have the one they name.

    Nothing is replayed here: rendering does it.
    """
    last = watching_rights.last_ply(match, watching_rights.of_reader(request.session, match, request.sender.player))
    if ply is not None and ply > last:
        turns = "1 turn" if last == 1 else f"{last} turns"
        seen = " that you can see" if last < match.plies else ""
        raise Refused(
            f"Match #{match.id} has {turns}{seen}, so there is no turn {ply}.",
            fits=f'"show {match.id}#0" is its beginning, "show {match.id}#{last}" its last position.',
        )
    return last


FULL = word("full")
GAMES_COMMAND = Command(
    "games",
    words(opt(PLAYER), opt(PAGE), meant_by=r"^\S+(?: \S+)?$"),
    "list your matches, or another player's",
    games,
    aliases=("matches",),
    keywords="matches match status waiting pending",
    changes=False,
)
SHOW = Command(
    "show",
    words(opt(MATCH_THEN)),
    "show a match: board, turns and whose turn it is; 42#7 is match 42 after turn 7",
    show,
    keywords="board position diagram see view",
    open_to=Who.GUESTS,
    changes=False,
)
RECORD = Command(
    "record",
    words(opt(MATCH_THEN), opt(FULL), meant_by=r"^\S+$", also={r"(?:mine|all)(?: before #?\d{1,9})?": "export me"}),
    'get the record of a match; "full" adds when each turn was played, and turns taken back',
    record,
    aliases=("records",),
    keywords="save sgf pgn notation-file download",
    own_cost=BOARD + ANIMATION,
    changes=False,
)
PREVIEW = Command(
    "preview",
    words(opt(MATCH_THEN), opt(TURN, usage="[TURN [/ TURN ...]]")),
    "see where a turn leads, without playing it; the last of several may be unfinished",
    preview,
    keywords="try test look steps step",
    changes=False,
)
