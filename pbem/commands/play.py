"""Playing: move, undo, resign, say."""

from collections.abc import Sequence

from notation import NOTATIONS
from notation.core import BadNotation
from notation.resemblance import resembling
from pbem.commands.core import Command, Context, Line, opponent, own_match, running
from pbem.commands.syntax import did_you_mean
from pbem.errors import Refused
from pbem.matches.naming import is_hidden, name
from pbem.matches.snapshot import Snapshot, stand
from pbem.matches.turns import Taken, take
from pbem.storage.models import Match, MatchState, Ply
from pbem.tokens import Purpose


def move(context: Context, line: Line) -> str | None:
    """Play a turn, or store part of one."""
    match, seat = own_match(context, line)
    running(match)
    standing = stand(context.session, match)
    _fresh(context, line, standing, seat)
    _in_its_place(context, line, standing, seat)
    if standing.position.turn != seat:
        raise Refused(
            f"It's not your turn in match #{match.id}.",
            read=line.words,
            fits="Wait until we write that it's your turn.",
            match=match.id,
        )
    try:
        taken = take(NOTATIONS[match.game], standing.base, standing.part, line.words)
    except Refused as refusal:
        refusal.match = match.id
        raise did_you_mean.turned(
            refusal, resembling(NOTATIONS[match.game], standing.position, line.words)
        ) from refusal.__cause__
    if not taken.complete:
        _keep(context, match, taken.text, standing)
        return "turn begun"
    if match.id in context.moves_ahead:
        raise Refused(
            "This message has two turns for the same match, so neither was played.",
            read=line.text,
            fits="Send the one you mean, and the next one after your opponent has moved.",
            match=match.id,
        )
    _played(context, standing, taken)
    return None


def _fresh(context: Context, line: Line, standing: Snapshot, seat: int) -> None:
    """Raise Refused if the match has moved on since the message that was replied to."""
    seen = context.sender.seen(standing.number)
    if seen is None or seen == standing.ply:
        return
    if seen > standing.ply:  # a database restored from an older backup
        raise Refused(
            "You replied to a message about a turn that this server no longer has.",
            read=line.words,
            fits="Look at the board as it is now, and reply to this message.",
            match=standing.number,
        )
    _not_again(context, line, standing, seat, seen)
    raise Refused(
        "You replied to an older message, and the match has moved on.",
        read=line.words,
        fits="Look at the board as it is now, and reply to this message.",
        match=standing.number,
    )


def _not_again(context: Context, line: Line, standing: Snapshot, seat: int, ply: int) -> None:
    """Raise Refused if the sender has already played that turn after the given ply."""
    notation = NOTATIONS[standing.match.game]
    then = stand(context.session, standing.match, ply)
    try:
        wanted = notation.format(notation.parse(line.words), then.position)
    except BadNotation:
        wanted = line.words
    if then.position.turn == seat and standing.texts[ply].endswith(wanted):
        raise Refused(f"Your turn {wanted} has already been played.", read=line.words, match=standing.number)


def _in_its_place(context: Context, line: Line, standing: Snapshot, seat: int) -> None:
    """Raise Refused if the line names the number of its turn, and that isn't the next one."""
    if line.turn is None or line.turn == standing.ply + 1:
        return
    if 0 < line.turn <= standing.ply:
        _not_again(context, line, standing, seat, line.turn - 1)
    raise Refused(
        f"Turn {line.turn} is not the next one: the match is at turn {standing.ply + 1}.",
        read=line.text,
        fits=f'Leave "#{line.turn}" out to play this turn now.',
        match=standing.number,
    )


def _keep(context: Context, match: Match, part: str, standing: Snapshot) -> None:
    """Store part of a turn and ask for the rest."""
    match.part = part
    context.session.add(match)
    context.session.flush()
    context.answer("begun", match=match.id, ply=standing.ply, part=part)


def _played(context: Context, standing: Snapshot, taken: Taken) -> None:
    """Store the turn and tell both players."""
    match = standing.match
    seat = standing.base.turn
    assert seat is not None  # noqa: S101 - somebody has just moved
    context.session.add(
        Ply(
            match=standing.number,
            number=standing.ply + 1,
            seat=seat,
            text=taken.text,
            incoming=context.incoming.id,
            played=context.now,
        )
    )
    begun = {"template": "begun", "match": match.id}  # by an earlier line of this mail; there is nothing to ask now
    context.sections[:] = [
        section
        for section in context.sections
        if {"template": section["template"], "match": section["words"].get("match")} != begun
    ]
    after = standing.after(taken.text, taken.position)
    match.part, match.plies, match.to_move = None, after.ply, after.base.turn
    if after.position.outcome is not None:
        match.state, match.ended = MatchState.OVER, context.now
        match.winner, match.reason = after.position.outcome.winner, after.position.outcome.reason
    context.session.add(match)
    context.session.flush()
    tell_turn(context, after)


def tell_turn(context: Context, standing: Snapshot, *, resigned: bool = False) -> None:
    """Queue messages to both players with the current state of the match."""
    message = context.message(standing.number)
    by = name(context.sender.player) if message and context.sender.player else ""
    for player in standing.players:
        context.owe(
            "turn",
            player,
            purpose=Purpose.PLAY,
            match=standing.match,
            ply=standing.ply,
            message=message,
            by=by,
            resigned=resigned,
        )


def undo(context: Context, line: Line) -> None:
    """Discard the unfinished turn."""
    match, seat = own_match(context, line)
    running(match)
    standing = stand(context.session, match)
    if match.part is None or standing.base.turn != seat:
        raise Refused(
            "You have no unfinished turn to take back. A complete turn can't be undone.",
            read=line.text,
            match=match.id,
        )
    dropped, match.part = match.part, None
    context.session.add(match)
    context.session.flush()
    context.answer("undone", match=match.id, ply=standing.ply, dropped=dropped)


def resign(context: Context, line: Line) -> None:
    """Give up the match."""
    match, seat = own_match(context, line)
    running(match)
    match.state, match.ended, match.part, match.to_move = MatchState.OVER, context.now, None, None
    match.winner, match.reason = 1 - seat, f"{name(context.player)} resigned"
    context.session.add(match)
    context.session.flush()
    tell_turn(context, stand(context.session, match), resigned=True)


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
    context.owe(
        "message",
        other,
        purpose=Purpose.PLAY,
        match=match,
        ply=match.plies,
        message=words,
        by=name(context.player),
    )
    context.answer("said", match=match.id, opponent=name(other), message=words)


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
