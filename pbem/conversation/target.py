"""The match that a command is about, and its two players."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from engines.core import Seat
from pbem.conversation.command import Decision, Line, Request, Role
from pbem.conversation.syntax.draft import Prose
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.errors import Refused
from pbem.mail.reading.text.written_text import trim
from pbem.matches.queries import awaiting, locked, name, opponent_of, seat_of
from pbem.messages.said.messages import Words as Note
from pbem.messages.said.sections import WordsPassedOn
from pbem.players import directory, rate_limits
from pbem.players.notices import Notice
from pbem.storage.models import Match, Player


def match_of(request: Request, line: Line) -> Match:
    """Return the match of the line, locked for this transaction; raise Refused."""
    if line.match is None:
        raise _which(request, line)
    match = locked(request.session, line.match)
    if match is None:
        raise Refused(f"There is no match #{line.match}.", read=line.text, fits='"games" lists yours.')
    return match


def _which(request: Request, line: Line) -> Refused:
    player, sentence = request.sender.player, "Which match? This message isn't a reply about one."
    yours = [match.id for match in awaiting(request.session, player)] if player else []
    if request.sender.plies:
        sentence = "Which match? The message you replied to shows several."
    number, listed = (yours or [42])[0], " and ".join(f"#{each}" for each in yours)
    return Refused(
        sentence,
        read=line.text,
        fits=f'Put its number in front, as in "#{number} {line.text[:30]}"; '
        + (f"it's your turn in {listed}." if yours else '"games" lists yours.'),
    )


def own_match(request: Request, line: Line) -> tuple[Match, Player, Seat]:
    player = request.sender.player
    match = match_of(request, line)
    seat = seat_of(match, player) if player else None
    if player is None or seat is None:
        raise Refused(
            f"You don't play in match #{match.id}.",
            read=line.text,
            fits=f'"games" lists the matches you play in. If you watch this one, "unwatch {match.id}" ends that.',
        )
    return match, player, seat


def is_to_move(request: Request, match: Match) -> bool:
    player = request.sender.player
    return player is not None and match.to_move is not None and seat_of(match, player) == match.to_move


def opponent_in(request: Request, match: Match, player: Player) -> Player:
    return request.session.get_one(Player, opponent_of(match, player))


# Whose the words of a message are: each block goes to the opponent in the match of the turn that it stands under.
#
# Where a message is about one match only, all of it goes there. Where it is about several and a block's place doesn't
# tell, it goes to nobody, and its author is asked: a guess might hand one opponent what was meant for another.
Lines = tuple[str, ...]
Target = int | str
"""The number of a match, or the text of a line that takes the words below it along: a challenge, a question."""


@dataclass(frozen=True, slots=True)
class Allotment:
    by_target: dict[Target | None, Lines] = field(default_factory=dict)
    """The words of a message by the target to which they go; under None, what goes wherever the message goes."""
    unclear: Lines = ()  # those that may be meant for several of the matches
    matches: tuple[int, ...] = ()


def allot(parsed: ParsedMessage, about: int | None) -> Allotment:
    commands = parsed.commands
    owns = {number: line.text for number, line in enumerate(commands) if line.command.grammar.takes_below}
    targets = dict.fromkeys(target_of(line) for number, line in enumerate(commands) if number not in owns)
    if not any(line.command.changes for number, line in enumerate(commands) if number not in owns):
        targets[about] = None  # "show 6" in a reply about #15, and words below
    targets.pop(None, None)
    found: dict[Target | None, list[str]] = {}
    unclear: list[str] = []
    for block in parsed.words:
        owner: Target | None = owns.get(block.under[-1]) if block.under else None
        if owner is None and len(targets) > 1:
            owner = _owner(block, commands)
            lines = unclear if owner is None else found.setdefault(owner, [])
        else:
            lines = found.setdefault(owner, [])
        lines += (*block.lines, "")
    matches = tuple(target for target in targets if isinstance(target, int))
    return Allotment({owner: trim(lines) for owner, lines in found.items()}, trim(unclear), matches)


def target_of(line: Line) -> Target | None:
    """Return the match that a line is about, the challenge that it makes, or the text that all below belongs to."""
    if Role.CHALLENGES in line.command.role or line.command.grammar.takes_below:
        return line.text
    return line.match if line.command.of_match else None


def _owner(block: Prose, commands: Sequence[Line]) -> Target | None:
    """Looking at a match is no reason to write to the opponent in it."""
    above = [commands[number] for number in block.under if number < len(commands)]
    targets = {target_of(line) for line in above if line.command.changes and not line.command.grammar.takes_below}
    return targets.pop() if len(targets) == 1 and len(above) == len(block.under) else None


def note_to_opponent(request: Request, match: Match, player: Player, note: tuple[str, ...]) -> Decision:
    rate_limits.of_match(request.session, match.id or 0, player, request.incoming, request.now)
    other = opponent_in(request, match, player)
    directory.check(request.session, match, other, note, request.now)
    notice = Notice(other, Note(message=note, by=name(player)), match)
    told = WordsPassedOn(match=match.id or 0, opponent=name(other), message=note)
    return Decision(answer=(told,), messages=(notice,), takes_prose=True)
