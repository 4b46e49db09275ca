"""Conditional moves: if, queue, conditions; `cancel conditions` removes them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from sqlmodel import select

from engines.core import Seat
from engines.seats import other
from pbem.conversation.command import BOARD, Command, Decision, Line, Request, Role
from pbem.conversation.refusals import outdated
from pbem.conversation.syntax.arguments import CONDITION, MATCH, TURN, opt, words
from pbem.errors import Refused
from pbem.features.match_and_players import own_match
from pbem.matches import condition_parsing as tree
from pbem.matches import lifecycle, prepared_and_forced_turns
from pbem.matches.condition_parsing import ELSE, MOST_LINES, RESIGN, Conditions
from pbem.matches.queries import opponent_in, version
from pbem.matches.replayed_match import Snapshot, snapshot_of
from pbem.matches.shown_names import name
from pbem.messages.contents.answer_sections import Branch, PreparedTurns
from pbem.storage.models import Match, Ply

SHOWN = 60


def prepare(request: Request, line: Line) -> Decision:
    """Keep turns for what the opponent may play, beside those that are kept already."""
    match, player, seat = own_match(request, line)
    lifecycle.check_running(match)
    covered = _later(request, line.match)
    line = _together((line, *covered))
    _check_seen(request, line, match, seat)
    if match.to_move == seat:
        opponent = name(opponent_in(request.session, match, player))
        raise Refused(
            f"It's your turn in match #{match.id}, so there is no turn of {opponent} to wait for.",
            read=line.text[:SHOWN],
            fits="Play your turn first; conditions can stand below it in the same message.",
            match=match.id,
        )
    snapshot = snapshot_of(request.session, match)
    known = prepared_and_forced_turns.of_seat(request.session, match, seat)
    conditions = _read(line, snapshot, seat, known)
    prepared_and_forced_turns.keep(request.session, match, seat, conditions, request.incoming.id)
    return Decision(answer=(shown(match, conditions, "kept"),), covers=covered)


def ahead(request: Request, snapshot: Snapshot, seat: Seat) -> tuple[tuple[Line, ...], Conditions]:
    """Return the later lines of the message that prepare turns in the match, and what, after the turn above them.

    Where one of them can't be read there, nothing: it is refused when its turn comes.
    """
    lines = _later(request, snapshot.number)
    if not lines or snapshot.base.turn != other(seat):
        return (), prepared_and_forced_turns.NOTHING
    try:
        return lines, _read(_together(lines), snapshot, seat, prepared_and_forced_turns.NOTHING)
    except Refused:
        return (), prepared_and_forced_turns.NOTHING


def _read(line: Line, snapshot: Snapshot, seat: Seat, known: Conditions) -> Conditions:
    try:
        return tree.read(snapshot.notation, snapshot.base, seat, _spelled(line), known)
    except Refused as refusal:
        refusal.match = snapshot.number
        if not all(map(tree.is_plain, _spelled(line).splitlines())):
            refusal.fits = f'{refusal.fits} To write to your opponent, start the line with "say".'.strip()
        raise


def _spelled(line: Line) -> str:
    return tree.queued(line.words) if line.command.name == QUEUE.name else line.words


def is_condition(line: Line) -> bool:
    return line.command.name in (IF.name, QUEUE.name)


def _later(request: Request, match: int | None) -> tuple[Line, ...]:
    return tuple(line for line in request.later if is_condition(line) and line.match == match)


def _together(lines: Sequence[Line]) -> Line:
    """Return the one line that several come to, so that no `else` answers a turn for which another one was refused."""
    bad = next((line for line in lines if line.malformed), None)
    if bad is not None:
        raise bad.refusal or Refused("We can't read this.", read=bad.text[:SHOWN], fits=bad.command.advice)
    return replace(
        lines[0], command=IF, words="\n".join(map(_spelled, lines)), text="\n".join(line.text for line in lines)
    )


def conditions(request: Request, line: Line) -> Decision:
    match, _, seat = own_match(request, line)
    known = prepared_and_forced_turns.of_seat(request.session, match, seat)
    if not known.lines:
        raise _none(match, line)
    return Decision(answer=(shown(match, known, "listed"),))


def cancel(request: Request, line: Line) -> Decision:
    match, _, seat = own_match(request, line)
    if not prepared_and_forced_turns.remove(request.session, match, seat):
        raise _none(match, line)
    return Decision(answer=(shown(match, prepared_and_forced_turns.NOTHING, "dropped"),), log="cancel conditions")


def shown(match: Match, conditions: Conditions, change: Literal["kept", "listed", "dropped"]) -> PreparedTurns:
    return PreparedTurns(
        match=match.id or 0,
        ply=match.plies,
        branches=tuple(_branch(match, line) for line in sorted(conditions.lines, key=lambda line: line[0] == ELSE)),
        change=change,
    )


def _branch(match: Match, line: tree.ConditionLine) -> Branch:
    turns = line[: line.index(ELSE)] if ELSE in line else line
    return Branch(
        match=match.id or 0,
        ply=match.plies,
        turns=tuple(turn for turn in turns if turn != RESIGN),
        otherwise=line[-1] if len(turns) < len(line) else None,
        resigns=line[-1] == RESIGN,
    )


def _none(match: Match, line: Line) -> Refused:
    """Return the refusal where nothing is prepared; raise another one if nothing can be, as the match isn't running."""
    lifecycle.check_running(match)
    return Refused(
        f"You have prepared nothing in match #{match.id}.",
        read=line.text[:SHOWN],
        fits='While your opponent is to move, "if TURN then TURN" answers a turn of theirs at once.',
    )


def _check_seen(request: Request, line: Line, match: Match, seat: Seat) -> None:
    """Raise Refused where the line answers an older message, unless the sender has only moved themselves since."""
    seen = request.sender.seen(match.id or 0)
    if seen is None or seen == version(match):
        return
    last = select(Ply.seat).where(Ply.match == match.id, Ply.number == match.plies)
    if seen == version(match) - 1 and request.session.exec(last).first() == seat:
        return
    raise outdated("You replied to an older message, and the match has moved on.", match, line.text[:SHOWN])


IF = Command(
    "if",
    words(CONDITION),
    'prepare a reply to a turn of your opponent; several lines make a tree, "else TURN" answers any other turn,'
    ' and "then resign" gives up',
    prepare,
    aliases=("else",),
    keywords="conditional condition premove premoves prepare prepared then else tree branch",
    own_cost=MOST_LINES * BOARD,
    asks=lambda _request, line: RESIGN in line.words.lower(),
    role=Role.GOES_WITH_TURN,
)
QUEUE = Command(
    "queue",
    words(opt(MATCH), TURN),
    "prepare your next turn while your opponent thinks; it's played if it's legal then",
    prepare,
    keywords="advance beforehand",
    own_cost=MOST_LINES * BOARD,
    role=Role.GOES_WITH_TURN,
)
CONDITIONS = Command(
    "conditions",
    words(opt(MATCH)),
    'list what you have prepared in a match; "cancel conditions" drops it',
    conditions,
    own_cost=MOST_LINES * BOARD,
    changes=False,
)
