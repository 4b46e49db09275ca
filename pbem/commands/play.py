"""Playing: move, undo, resign, say."""

from collections.abc import Sequence

from engines.core import Seat
from notation import NOTATIONS
from notation.core import BadNotation
from notation.resemblance import resembling
from pbem.commands.core import Command, Context, Line, announce, in_words, opponent, own_match
from pbem.commands.syntax import did_you_mean
from pbem.errors import Refused
from pbem.matches import lifecycle, turns
from pbem.matches.events import PartTakenBack
from pbem.matches.naming import is_hidden, name
from pbem.matches.snapshot import Snapshot, snapshot_of
from pbem.matches.turns import ReadTurn
from pbem.payloads.messages import Words
from pbem.payloads.sections import TurnBegun, TurnDropped, WordsPassedOn
from pbem.storage.models import Match
from pbem.tokens import Purpose


def move(context: Context, line: Line) -> str | None:
    """Play a turn, or store part of one."""
    match, seat = own_match(context, line)
    with in_words(line):
        lifecycle.check_running(match)
    snapshot = snapshot_of(context.session, match)
    _check_seen(context, line, snapshot, seat)
    _check_number(line, snapshot, seat)
    with in_words(line):
        lifecycle.check_turn(match, seat)
    turn = _read(line, snapshot)
    if not turn.complete:
        lifecycle.keep_part(context.session, snapshot, seat, turn)
        context.answer(TurnBegun(match=snapshot.number, ply=snapshot.ply, part=turn.text))
        return "turn begun"
    if match.id in context.moves_ahead:
        raise Refused(
            "This message has two turns for the same match, so neither was played.",
            read=line.text,
            fits="Send the one you mean, and the next one after your opponent has moved.",
            match=match.id,
        )
    events = lifecycle.play(context.session, snapshot, seat, turn, context.now, incoming=context.incoming.id)
    _drop_question(context, match)
    announce(context, events)
    return None


def _read(line: Line, snapshot: Snapshot) -> ReadTurn:
    """Return the turn that the line says; raise Refused, with the legal turns that it resembles."""
    notation = NOTATIONS[snapshot.match.game]
    try:
        return turns.read(notation, snapshot.base, snapshot.part, line.words)
    except Refused as refusal:
        refusal.match = snapshot.number
        meant = resembling(notation, snapshot.position, line.words)
        raise did_you_mean.turned(refusal, meant) from refusal.__cause__


def _drop_question(context: Context, match: Match) -> None:
    """Remove the section that asks for the rest of a turn: a later line of the same mail has completed it."""
    context.effects.sections[:] = [
        section
        for section in context.effects.sections
        if not (isinstance(section, TurnBegun) and section.match == match.id)
    ]


def _check_seen(context: Context, line: Line, snapshot: Snapshot, seat: Seat) -> None:
    """Raise Refused when the move answers a message and the match has moved on since."""
    seen = context.sender.seen(snapshot.number)
    if seen is None or seen == snapshot.ply:
        return
    if seen > snapshot.ply:  # a database restored from an older backup
        raise Refused(
            "You replied to a message about a turn that this server no longer has.",
            read=line.words,
            fits="Look at the board as it is now, and reply to this message.",
            match=snapshot.number,
        )
    _check_repeated(line, snapshot, seat, seen)
    raise Refused(
        "You replied to an older message, and the match has moved on.",
        read=line.words,
        fits="Look at the board as it is now, and reply to this message.",
        match=snapshot.number,
    )


def _check_repeated(line: Line, snapshot: Snapshot, seat: Seat, ply: int) -> None:
    """Raise Refused when the move is the one that the sender played after that many turns."""
    notation = NOTATIONS[snapshot.match.game]
    then = snapshot.at(ply)
    try:
        wanted = notation.format(notation.parse(line.words), then.position)
    except BadNotation:
        wanted = line.words
    if then.position.turn == seat and snapshot.texts[ply].endswith(wanted):
        raise Refused(f"Your turn {wanted} has already been played.", read=line.words, match=snapshot.number)


def _check_number(line: Line, snapshot: Snapshot, seat: Seat) -> None:
    """Raise Refused when the line numbers its turn, and that turn is not the next one."""
    if line.turn is None or line.turn == snapshot.ply + 1:
        return
    if 0 < line.turn <= snapshot.ply:
        _check_repeated(line, snapshot, seat, line.turn - 1)
    raise Refused(
        f"Turn {line.turn} is not the next one: the match is at turn {snapshot.ply + 1}.",
        read=line.text,
        fits=f'Leave "#{line.turn}" out to play this turn now.',
        match=snapshot.number,
    )


def undo(context: Context, line: Line) -> None:
    """Discard the unfinished turn."""
    match, seat = own_match(context, line)
    with in_words(line):
        events = lifecycle.take_back_part(context.session, match, seat)
    for event in events:
        if isinstance(event, PartTakenBack):
            context.answer(TurnDropped(match=match.id or 0, ply=match.plies, dropped=event.part))


def resign(context: Context, line: Line) -> None:
    """Resign the match."""
    match, seat = own_match(context, line)
    with in_words(line):
        events = lifecycle.resign(context.session, match, seat, context.now)
    announce(context, events)


def say(context: Context, line: Line) -> None:
    """Send a note to the opponent."""
    match, _ = own_match(context, line)
    other = opponent(context, match)
    if is_hidden(match, other):
        raise Refused(
            "Your invitation hasn't been accepted yet, so this wasn't sent.",
            read=line.text,
            fits="A note below a challenge is sent along with it.",
        )
    prose = context.message(match.id)
    words = (line.words, *prose) if line.words else prose  # players of Rognlie's server chat in the body
    if not words:
        raise Refused("There is nothing to send.", read=line.text, fits='Write "say TEXT".')
    send_words(context, match, words)


def send_words(context: Context, match: Match, words: Sequence[str]) -> None:
    """Queue a message with the note to the opponent, and confirm it to the sender."""
    other = opponent(context, match)
    said = Words(message=tuple(words), by=name(context.player))
    context.tell(other, said, purpose=Purpose.PLAY, match=match, ply=match.plies)
    context.answer(WordsPassedOn(match=match.id or 0, opponent=name(other), message=tuple(words)))


MOVE = Command(
    "move",
    "[NUMBER] TURN",
    "play a turn; in a reply about a match, the turn alone is enough",
    move,
    changes=True,
    of_match=True,
    takes_turn=True,
    words=(1, 40),
    aliases=("mvoe", "board"),
    resumes=True,
)
UNDO = Command("undo", "[NUMBER]", "take back your unfinished turn", undo, changes=True, of_match=True)
RESIGN = Command(
    "resign",
    "[NUMBER]",
    "give up the match; we'll ask you to confirm",
    resign,
    changes=True,
    of_match=True,
    asks_once_more=True,
)
SAY = Command(
    "say",
    "[NUMBER] TEXT",
    "write to your opponent without moving",
    say,
    changes=True,
    of_match=True,
    words=(0, 500),
    aliases=("chat",),
)
