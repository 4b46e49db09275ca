"""Carry a message out: run its commands in order, as far as what it may have us look up goes.

That is counted in turns to replay and lines to list: as measured, one takes up to half a millisecond and half a KB of
the answer (bench/growth.py). Turns cost nothing. Nothing here asks who the sender is; the caller has settled that.
"""

import sys
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain

from notation.games import GameMissing
from pbem.conversation import meaning
from pbem.conversation.command import BOARD, Decision, Line, Request, Role
from pbem.conversation.refusals import forbidden, not_there
from pbem.conversation.reply import Reply, follow, refused
from pbem.conversation.syntax import commands_for_wishes
from pbem.conversation.syntax.arguments import GAME
from pbem.conversation.syntax.mail import MOST_COMMANDS, ParsedMessage
from pbem.conversation.turns_in_prose import FEW_WORDS
from pbem.errors import Refused
from pbem.mail.reading.text.kept_and_cut_lines import trim
from pbem.matches.agreements import is_muted_for
from pbem.matches.obstacles import NotPossible
from pbem.matches.queries import opponent_in, seat_of
from pbem.matches.shown_names import is_hidden, name
from pbem.messages.contents.answer_sections import (
    NewsResumed,
    NotAttempted,
    NotSent,
    Overlooked,
    WordsPassedOn,
    clipped,
)
from pbem.messages.contents.message_payloads import Words as Note
from pbem.players import message_budgets, news_times_and_pauses
from pbem.players.queue_match_news import Notice
from pbem.storage.models import Match, Player
from pbem.storage.verdicts import Outcome, Verdict
from pbem.tokens import Purpose

Target = int | str
"""The number of a match, or the text of a line that takes the words below it along: a challenge, a question."""


def execute(request: Request, reply: Reply, parsed: ParsedMessage) -> Reply:
    """Run the commands in order; the first refusal undoes its own line and stops."""
    words, unclear, targets = allot(parsed, request)
    reply = replace(reply, prose=words.pop(None, ()))
    done, covered, commands = list[str](), tuple[Line, ...](), _behind_turns(parsed.commands)
    for number, line in enumerate(commands):
        if line in covered or (request.is_trial and not line.command.changes and not line.malformed):
            continue
        later, target = commands[number + 1 :], target_of(line)
        own = words.pop(target, ())
        try:
            reply = replace(reply, cost=charge(request, line, reply.cost))
            is_undone = line.command.changes and not line.malformed
            with request.session.begin_nested() if is_undone else nullcontext():  # nothing of a refused line remains
                before = replace(reply, prose=own or reply.prose)
                after, decision = _carry_out(replace(request, later=later), before, line)
        except Refused as refusal:
            unsent = (*reply.prose, *own, *chain.from_iterable(words.values()), *unclear)
            reply = refused(request, replace(reply, match=_about(request, line) or reply.match), refusal, line)
            reply = replace(reply, prose=unsent, verdict=Verdict(Outcome.REFUSED_IN_PART if done else Outcome.REFUSED))
            if later or parsed.beyond:
                lines = (*(line.text for line in later), *clipped(parsed.beyond))
                reply = reply.adding(NotAttempted(lines=lines))
            return reply.adding(NotSent(lines=unsent)) if unsent else reply
        if own:
            words |= {target: after.prose} if after.prose else {}
            after = replace(after, prose=reply.prose)
        reply = after
        covered += decision.covers
        done += [decision.log or line.command.name, *(line.command.name for line in decision.covers)]
    reply = _with_prose_sent(request, reply)
    for target, lines in words.items():
        if isinstance(target, int):
            reply = _with_prose_sent(request, replace(reply, prose=lines), target)
        else:
            reply = reply.adding(NotSent(lines=lines))  # an invitation takes only some words along
    sections = (
        NotSent(lines=unclear, matches=targets),
        NotSent(lines=clipped(parsed.withheld), may_be_quoted=True),
        Overlooked(lines=clipped(parsed.overlooked)),
        NotAttempted(lines=clipped(parsed.beyond), most=MOST_COMMANDS),
    )
    reply = reply.adding(*(section for section in sections if section.lines))
    return replace(reply, verdict=Verdict(Outcome.DONE, ", ".join(done)))


def by_rank(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Return the lines of a newcomer with those first that make them a player."""
    return tuple(sorted(lines, key=lambda line: line.command.newcomer_rank or sys.maxsize))


def _behind_turns(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Return the lines with offers and conditions behind the turns of their message: they go together in any order."""
    last = max((at for at, line in enumerate(lines) if line.command.plays), default=-1)
    early = tuple(line for line in lines[: last + 1] if Role.GOES_WITH_TURN in line.command.role)
    return (*(line for line in lines[: last + 1] if line not in early), *early, *lines[last + 1 :])


Words = dict[Target | None, tuple[str, ...]]


def allot(parsed: ParsedMessage, request: Request) -> tuple[Words, tuple[str, ...], tuple[int, ...]]:
    """Return the words of a message by the target to which they go; those whose target isn't clear; and the matches.

    Each block goes to the opponent in the match of the turn that it stands under. Where a message is about one match
    only, all of it goes there: under None. Where it is about several and a block's place doesn't tell, it goes to
    nobody, and its author is asked: a guess might hand one opponent what was meant for another.
    """
    if request.sender.serves_news:  # the text of an unsubscribe message comes from the mail program
        return {}, (), ()
    others = [line for line in parsed.commands if not line.command.grammar.takes_below]
    targets = dict.fromkeys(map(target_of, others))
    if not any(line.command.changes for line in others):
        targets[request.sender.match] = None  # "show 6" in a reply about #15, and words below
    targets.pop(None, None)
    words, unclear = dict[Target | None, list[str]](), list[str]()
    for block in parsed.words:
        takes_below = bool(block.under) and block.under[-1].command.grammar.takes_below
        owner: Target | None = block.under[-1].text if takes_below else None
        if not takes_below and len(targets) > 1:
            # looking at a match is no reason to write to the opponent in it
            above = {target_of(line) for line in block.under if line.command.changes and line in others}
            owner = above.pop() if len(above) == 1 else None
            lines = unclear if owner is None else words.setdefault(owner, [])
        else:
            lines = words.setdefault(owner, [])
        lines += (*block.lines, "")
    matches = tuple(target for target in targets if isinstance(target, int))
    return {owner: trim(lines) for owner, lines in words.items()}, trim(unclear), matches


def target_of(line: Line) -> Target | None:
    """Return the match that a line is about, the challenge that it makes, or the text that all below belongs to."""
    if Role.CHALLENGES in line.command.role or line.command.grammar.takes_below:
        return line.text
    return line.match if line.command.of_match else None


def _malformed(request: Request, line: Line) -> Refused:
    """Return the refusal of a line whose fault the reader doesn't know: what it means, if it is a sentence."""
    given, grammar = line.given, line.command.grammar
    is_named = given.missing is None or GAME not in given.missing.pieces
    is_plain = "=" not in line.text and (grammar.has(GAME) or not any(map(str.isdecimal, line.text)))
    is_sentence = bool(given.unread) and is_plain and is_named and len(line.text.split()) >= FEW_WORDS
    wish = meaning.understood(request, [line.text]) if is_sentence else commands_for_wishes.Reading()
    return commands_for_wishes.suggestion(wish) if wish.wishes else line.misfit()


def _carry_out(request: Request, reply: Reply, line: Line) -> tuple[Reply, Decision]:
    if line.malformed or not line.given.fits:
        raise line.refusal or _malformed(request, line)
    request = replace(request, sender=reply.sender, prose=reply.prose)
    try:
        decision = line.command.run(request, line)
    except NotPossible as impossible:
        raise forbidden(impossible.obstacle, impossible.match, line) from impossible
    except GameMissing as missing:
        match = request.session.get(Match, line.match) if line.match is not None and line.command.of_match else None
        raise not_there(missing, match, line.text) from missing
    reply = follow(request, replace(reply, match=_about(request, line) or reply.match), decision)
    player = request.sender.player
    if Role.RESUMES in line.command.role and player is not None and player.stopped and not player.complained:
        news_times_and_pauses.resume(request.session, player)
        reply = reply.adding(NewsResumed())
    return reply, decision


def _about(request: Request, line: Line) -> int | None:
    if line.match is None or line.malformed or not line.command.of_match:
        return None
    match = request.session.get(Match, line.match)
    return match.id if match else None


def _with_prose_sent(request: Request, reply: Reply, number: int | None = None) -> Reply:
    """Return the reply once the words in it have gone to the opponent, or with these where they can't."""
    if not reply.prose:
        return reply
    number, player = number or reply.match or reply.sender.match, reply.sender.player
    match = request.session.get(Match, number) if number else None
    request = replace(request, sender=reply.sender)
    unsent, sender = reply.adding(NotSent(lines=reply.prose)), reply.sender
    covers = match is not None and sender.proven and (sender.purpose is not Purpose.PLAY or match.id == sender.match)
    if match is None or player is None or player.confirmed is None or not covers:
        return unsent
    if seat_of(match, player) is None or match.level is not None or is_muted_for(match, player):
        return unsent
    if is_hidden(match, opponent_in(request.session, match, player)):
        return unsent
    try:
        note = note_to_opponent(request, match, player, reply.prose)
    except Refused:  # more than the opponent is told about the match in a day, or of the player in an hour
        return unsent
    return follow(request, reply, note)


def charge(request: Request, line: Line, spent: int) -> int:
    """Return what a message has cost with that line; raise Refused if that's too much. One line alone never is."""
    if own := cost(request, line):
        about = request.session, request.sender, request.incoming
        message_budgets.check_cost(*about, line.text, own, spent, request.now)
    return spent + own


def cost(request: Request, line: Line) -> int:
    """Return what the line costs to answer, in turns to replay and lines to list; 0 if it does more than look."""
    command = line.command
    own = command.own_cost if command.own_cost is not None else 0 if command.changes else BOARD
    if not own or not command.of_match:
        return own
    match = request.session.get(Match, line.match) if line.match is not None else None
    if match is None:
        return 0
    return own + (match.plies if line.ply is None else min(line.ply, match.plies))


def note_to_opponent(request: Request, match: Match, player: Player, note: tuple[str, ...]) -> Decision:
    message_budgets.of_match(request.session, match.id or 0, player, request.incoming, request.now)
    other = opponent_in(request.session, match, player)
    message_budgets.check_to_opponent(request.session, match, other, note, request.now)
    notice = Notice(other, Note(message=note, by=name(player)), match)
    told = WordsPassedOn(match=match.id or 0, opponent=name(other), message=note)
    return Decision(answer=(told,), messages=(notice,), takes_prose=True)
