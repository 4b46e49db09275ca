"""Playing: move, undo, resign, say, and give, which gives the opponent time."""

import re

from engines.core import IllegalMove, Seat
from notation.resemblance import named
from notation.time_control import BadTime, parse_duration, spoken
from pbem.conversation import turns_in_prose
from pbem.conversation.command import Command, Decision, Line, Request, Role
from pbem.conversation.execute import note_to_opponent
from pbem.conversation.refusals import outdated
from pbem.conversation.syntax.arguments import MATCH, TEXT, TURN, Piece, opt, words
from pbem.errors import Refused
from pbem.features.match_and_players import own_match
from pbem.features.playing import conditional_moves, offers
from pbem.matches import lifecycle, prepared_and_forced_turns, timeouts, turn_parsing, turns_in_text
from pbem.matches.events import PartTakenBack
from pbem.matches.queries import opponent_in, version
from pbem.matches.replayed_match import Snapshot, snapshot_of
from pbem.matches.shown_names import is_hidden
from pbem.matches.timeouts import LEAST_GIVEN, MOST_AT_ONCE
from pbem.matches.turn_parsing import ReadTurn
from pbem.messages.contents.answer_sections import TurnBegun, TurnDropped
from pbem.players import message_budgets
from pbem.storage.models import MatchState

SHOWN = 60


def move(request: Request, line: Line) -> Decision:
    match, _, seat = own_match(request, line)
    lifecycle.check_running(match)
    snapshot = snapshot_of(request.session, match)
    _check_seen(request, line, snapshot, seat)
    _check_number(line, snapshot, seat)
    lifecycle.check_turn(match, seat)
    turn = _read(line, snapshot)
    if not turn.complete:
        events = lifecycle.keep_part(request.session, snapshot, seat, turn)
        begun = TurnBegun(match=snapshot.number, ply=snapshot.ply, part=turn.text)
        return Decision(answer=(begun,), events=events, log="turn begun")
    again = next((later for later in request.later if later.command.plays and later.match == match.id), None)
    if again is not None:
        raise Refused(
            "This message has two turns for the same match, so neither was played.",
            read=line.text,
            fits=f'The other one is "{again.text[:SHOWN]}". '
            "Send the one you mean, and the next one after your opponent has moved.",
            match=match.id,
        )
    return _played(request, snapshot, seat, turn)


def _played(request: Request, snapshot: Snapshot, seat: Seat, turn: ReadTurn) -> Decision:
    match = snapshot.match
    prepares, then = conditional_moves.ahead(request, snapshot.after(turn), seat)
    events = lifecycle.play(
        request.session,
        snapshot,
        seat,
        turn,
        request.now,
        incoming=request.incoming,
        then=then,
        offers_follow=any(offers.is_offer(later) and later.match == match.id for later in request.later),
    )
    if not prepares:
        return Decision(events=events)
    remaining = prepared_and_forced_turns.of_seat(request.session, match, seat)
    below = (conditional_moves.shown(match, remaining, "kept"),) if remaining.lines else ()
    return Decision(events=events, below=below, covers=prepares)


def _read(line: Line, snapshot: Snapshot) -> ReadTurn:
    notation = snapshot.notation
    try:
        return turn_parsing.read(notation, snapshot.base, snapshot.part, turn_parsing.parse(notation, line.words))
    except Refused as refusal:
        refusal.match = snapshot.number
        cause = refusal.__cause__
        meant = turns_in_text.turns_meant(snapshot, line.words)
        if isinstance(cause, IllegalMove):
            meant = named(snapshot.notation, snapshot.position, line.words, cause, meant)
        raise turns_in_prose.with_turns(refusal, meant) from cause


def _check_seen(request: Request, line: Line, snapshot: Snapshot, seat: Seat) -> None:
    """Raise Refused when the move answers a message and the match has moved on since."""
    seen = request.sender.seen(snapshot.number)
    current = version(snapshot.match)
    if seen is None or seen == current:
        return
    if seen > current:  # a database restored from an older backup
        sentence = "You replied to a message about a turn that we no longer have."
        raise outdated(sentence, snapshot.match, line.words)
    if 0 <= seen - snapshot.match.shift < snapshot.ply:
        _check_repeated(line, snapshot, seat, seen - snapshot.match.shift)
    sentence = "You replied to an older message, and the match has moved on."
    raise outdated(sentence, snapshot.match, line.words)


def _check_repeated(line: Line, snapshot: Snapshot, seat: Seat, ply: int) -> None:
    """Raise Refused when the move is the one that the sender played after that many turns."""
    then, turn = snapshot.at(ply), turn_parsing.parse(snapshot.notation, line.words)
    text = line.words if turn.error is not None else snapshot.notation.format(turn.move, then.position)
    if then.position.turn == seat and snapshot.texts[ply].endswith(text):
        raise Refused(f"Your turn {text} has already been played.", read=line.words, match=snapshot.number)


def _check_number(line: Line, snapshot: Snapshot, seat: Seat) -> None:
    """Raise Refused when the line numbers its turn, and that turn is not the next one."""
    if line.turn_number is None or line.turn_number == snapshot.ply + 1:
        return
    if 0 < line.turn_number <= snapshot.ply:
        _check_repeated(line, snapshot, seat, line.turn_number - 1)
    raise Refused(
        f"Turn {line.turn_number} is not the next one: the match is at turn {snapshot.ply + 1}.",
        read=line.text,
        fits=f'Leave "#{line.turn_number}" out to play this turn now.',
        match=snapshot.number,
    )


def undo(request: Request, line: Line) -> Decision:
    match, _, seat = own_match(request, line)
    if match.state == MatchState.RUNNING and (match.part is None or match.to_move != seat):
        return offers.take_turns_back(request, line)
    events = lifecycle.take_back_part(request.session, match, seat)
    dropped = (event.part for event in events if isinstance(event, PartTakenBack))
    answer = (TurnDropped(match=match.id or 0, ply=match.plies, dropped=part) for part in dropped)
    return Decision(answer=tuple(answer), events=events)


def resign(request: Request, line: Line) -> Decision:
    match, _, seat = own_match(request, line)
    return Decision(events=lifecycle.resign(request.session, match, seat, request.now))


def claim(request: Request, line: Line) -> Decision:
    match, _, seat = own_match(request, line)
    return Decision(events=timeouts.claim(request.session, match, seat, request.incoming.received, request.now))


def say(request: Request, line: Line) -> Decision:
    match, player, _ = own_match(request, line)
    if match.level is not None:
        raise Refused("The house doesn't read notes, so this wasn't sent.", read=line.text)
    if is_hidden(match, opponent_in(request.session, match, player)):
        raise Refused(
            "Your invitation hasn't been accepted yet, so this wasn't sent.",
            read=line.text,
            fits="A note below a challenge is sent along with it.",
        )
    note = (line.words, *request.prose) if line.words else request.prose  # on Rognlie's server, chat is in the body
    if not note:
        raise Refused("There is nothing to send.", read=line.text, fits='Write "say TEXT".')
    offers.check_not_muted(request, line, match, request.player)
    return note_to_opponent(request, match, request.player, note)


MOVE = Command(
    "move",
    words(
        *(opt(MATCH), TURN),
        also={  # on Rognlie's server, these stand in place of a turn
            r"(?:(#?\d{1,9}) )?propose": r"draw \1",
            r"(?:(#?\d{1,9}) )?reject": r"decline \1",
            r"(?:(#?\d{1,9}) )?(undo|accept|decline|resign)": r"\2 \1",
        },
    ),
    "play a turn, which is enough in a reply",
    move,
    aliases=("mvoe", "board"),
    keywords="turn moves moving",
    role=Role.PLAYS | Role.RESUMES,
)
UNDO = Command(
    "undo",
    words(opt(MATCH)),
    "take back a turn, if your opponent agrees; nobody is asked where it is unfinished, or undo=free was agreed",
    undo,
    keywords="takeback retract mistake wrong correct correction",
)
RESIGN = Command(
    "resign",
    words(opt(MATCH)),
    "give up the match; we'll ask you to confirm",
    resign,
    keywords="forfeit surrender concede",
    asks=True,
)
CLAIM = Command(
    "claim",
    words(opt(MATCH)),
    "win a match whose time is up; it is cancelled if your opponent never moved",
    claim,
    keywords="overdue late slow flag",
)
SAY = Command(
    "say",
    words(opt(MATCH), opt(TEXT, usage="TEXT")),
    "write to your opponent without moving",
    say,
    aliases=("chat",),
    keywords="talk chat write comment text message",
)


def give(request: Request, line: Line) -> Decision:
    match, player, seat = own_match(request, line)
    if match.level is not None:
        raise Refused("The house always has time.", read=line.text, match=match.id)
    example = f'Give from {spoken(LEAST_GIVEN)} to {spoken(MOST_AT_ONCE)}, as in "give 2d".'
    try:
        time = parse_duration(line.given[DURATION])
    except BadTime as error:
        raise Refused(str(error).partition(" For example")[0], read=line.text, fits=example) from error
    if not LEAST_GIVEN <= time <= MOST_AT_ONCE:
        raise Refused(f'"{line.words[:20]}" is too {"little" if time < LEAST_GIVEN else "much"}.', fits=example)
    message_budgets.of_match(request.session, match.id or 0, player, request.incoming, request.now)
    return Decision(events=timeouts.give(request.session, match, seat, time, request.now))


DURATION = Piece(
    "2d",
    r"(?:\d{1,9}[a-z]+)+|\d{1,6} (?:hour|day|week)s?",
    lambda text: re.sub(r"\s*([hdw])[a-z]*", r"\1", text.lower()),
)
GIVE = Command(
    "give",
    words(opt(MATCH), DURATION, is_strict=True, also={r"up[ .!]*": "resign", r"(?:him|her|them) (.+)": r"give \1"}),
    f"give your opponent time: up to {spoken(MOST_AT_ONCE)} at once and {spoken(timeouts.MOST_GIVEN)} in a match",
    give,
    keywords="gift add more extra generous longer prolong extend extension",
)
