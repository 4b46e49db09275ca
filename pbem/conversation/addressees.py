"""Whose the words of a message are: each block goes to the opponent in the match of the turn that it stands under.

Where a message is about one match only, all of it goes there. Where it is about several and a block's place doesn't
tell, it goes to nobody, and its author is asked: a guess might hand one opponent what was meant for another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pbem.conversation.core import Decision, Line, Request
from pbem.conversation.syntax.draft import Prose
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.conversation.target import opponent_in
from pbem.mail.reading.text.written import trim
from pbem.matches.naming import name
from pbem.messages.said.messages import Words as Note
from pbem.messages.said.sections import WordsPassedOn
from pbem.players import pairs, rate_limits
from pbem.players.notices import Notice
from pbem.storage.models import Match, Player

Lines = tuple[str, ...]
Target = int | str
"""The number of a match, or the text of a line that takes the words below it along: a challenge, an own note."""


@dataclass(frozen=True, slots=True)
class Allotment:
    """The words of a message by the target to which they go."""

    whole: Lines = ()
    """What goes wherever the message goes."""
    by_target: dict[Target, Lines] = field(default_factory=dict)
    unclear: Lines = ()
    targets: tuple[Target, ...] = ()


def allot(parsed: ParsedMessage, about: int | None) -> Allotment:
    kept: dict[Target, Lines] = {}
    for number, line in enumerate(parsed.commands):
        if line.command.takes_rest and (target := target_of(line)):
            below = [block for block in parsed.words if block.under[-1:] == (number,)]
            parsed = replace(parsed, words=tuple(block for block in parsed.words if block not in below))
            kept[target] = trim([line for block in below for line in (*block.lines, "")])
    found = _to_others(parsed, about)
    return replace(found, by_target={**found.by_target, **kept})


def _to_others(parsed: ParsedMessage, about: int | None) -> Allotment:
    others = [line for line in parsed.commands if not line.command.takes_rest]
    targets = list(dict.fromkeys(target for line in others if (target := target_of(line)) is not None))
    if about is not None and about not in targets and not any(line.command.changes for line in parsed.commands):
        targets.append(about)  # "show 6" in a reply about #15, and words below
    if len(targets) < 2:
        return Allotment(whole=parsed.prose, targets=tuple(targets))
    found: dict[Target | None, list[str]] = {}
    for block in parsed.words:
        found.setdefault(_owner(block, parsed.commands), []).extend((*block.lines, ""))
    unclear = trim(found.pop(None, []))
    return Allotment(
        by_target={target: trim(lines) for target, lines in found.items() if target is not None},
        unclear=unclear,
        targets=tuple(targets),
    )


def target_of(line: Line) -> Target | None:
    """Return the match that a line is about, the challenge that it makes, or the text that all below belongs to."""
    if line.command.starts_match or line.command.takes_rest:
        return line.text
    return line.match if line.command.of_match else None


def _owner(block: Prose, commands: Sequence[Line]) -> Target | None:
    """Looking at a match is no reason to write to the opponent in it."""
    above = [commands[number] for number in block.under if number < len(commands)]
    targets = {target_of(line) for line in above if line.command.changes and not line.command.takes_rest}
    return targets.pop() if len(targets) == 1 and len(above) == len(block.under) else None


def note_to_opponent(request: Request, match: Match, player: Player, note: tuple[str, ...]) -> Decision:
    rate_limits.of_match(request.session, match.id or 0, player, request.incoming, request.now)
    other = opponent_in(request, match, player)
    pairs.check(request.session, match, other, note, request.now)
    notice = Notice(other, Note(message=note, by=name(player)), match, match.plies)
    told = WordsPassedOn(match=match.id or 0, opponent=name(other), message=note)
    return Decision(answer=(told,), messages=(notice,), takes_prose=True)
