"""What becomes of a message, by who sent it and what it says: a pure function, which can be read as a table.

Nothing here asks the database: what that knows is handed in. Nothing is worded here either.
"""

from collections.abc import Callable
from enum import Enum
from functools import partial

from pbem.conversation.command import Line, Reach, Who
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.players.sender_identity import Sender


class Judgement(Enum):
    """What becomes of a message; each value says it in words."""

    RUN = "its lines are carried out"
    ASK = "it is held, and the address on file is asked whether its lines were meant"
    INTRODUCE = "its sender is told what this is, and how to join"
    NO_COMMAND = "it is read as sentences: it says nothing that is a command"
    NOT_A_PLAYER = "it is refused: its sender has to join first"
    NOT_ALONE = "it is refused: an act of moderation needs a message of its own"


def judge(
    sender: Sender,
    parsed: ParsedMessage,
    *,
    goes_to_opponent: Callable[[Line], bool] = lambda _line: False,
    ends: Callable[[Line], bool] = lambda line: line.command.asks is True,
) -> Judgement:
    """Return what becomes of a message with those lines; `ends` says whether one would end a match or an account."""
    lines, covered = parsed.commands, partial(is_covered, sender, goes_to_opponent=goes_to_opponent)
    of_admin = [line for line in lines if line.command.of_admin]
    if any(line.command.changes for line in of_admin):
        return Judgement.ASK if len(lines) == 1 else Judgement.NOT_ALONE
    if of_admin and not sender.is_player:
        return Judgement.RUN
    if sender.is_stranger:
        if not lines or lines[0].command.for_stranger is None:
            return Judgement.INTRODUCE
        return Judgement.ASK if lines[0].command.changes else Judgement.RUN
    if not lines:
        is_newcomer = not sender.is_player and sender.match is None
        return Judgement.INTRODUCE if is_newcomer else Judgement.NO_COMMAND
    joins = sender.is_player or lines[0].command.newcomer_rank
    if not joins and any(Who.GUESTS not in line.command.open_to for line in lines):
        return Judgement.NOT_A_PLAYER
    wants_no_mail = sender.by_thread and not sender.is_player and all(line.command.answers_news for line in lines)
    is_sure = wants_no_mail or (not any(map(ends, lines)) and all(map(covered, lines)))
    return Judgement.RUN if is_sure else Judgement.ASK


def is_covered(sender: Sender, line: Line, goes_to_opponent: Callable[[Line], bool]) -> bool:
    """Return whether the line needs no more proof than its sender has; looking needs none if the answer is small."""
    if not line.command.changes:
        return sender.proven or not line.command.is_large
    if sender.purpose is None:
        return sender.proven
    match line.command.reach(sender.purpose) if sender.proven or sender.serves_news else Reach.NOWHERE:
        case Reach.ANYWHERE:
            return True
        case Reach.MATCH:
            return line.match in (None, sender.match)
        case Reach.OPPONENT:
            return goes_to_opponent(line)
        case Reach.GUEST:
            return not sender.is_player
        case Reach.NOWHERE:
            return False
