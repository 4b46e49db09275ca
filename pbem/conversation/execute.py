"""Carry a message out: run its commands in order, as far as what it may have us look up goes.

That is counted in turns to replay and lines to list: as measured, one takes up to half a millisecond and half a KB of
the answer (bench/growth.py). Turns cost nothing. Nothing here asks who the sender is; the caller has settled that.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from itertools import chain
from math import ceil

from sqlmodel import Session, col, func

from notation.games import GameMissing
from pbem.conversation import meaning
from pbem.conversation.command import Decision, Line, Request, Role
from pbem.conversation.judge import Outcome, Verdict, covers_notes
from pbem.conversation.refusals import forbidden, not_alone, not_there
from pbem.conversation.reply import Reply, clipped, follow, not_attempted, refused
from pbem.conversation.syntax import wording
from pbem.conversation.syntax.arguments import GAME
from pbem.conversation.syntax.draft import MOST_COMMANDS
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.conversation.syntax.wording import Reading
from pbem.conversation.target import Allotment, allot, note_to_opponent, opponent_in, target_of
from pbem.errors import Refused
from pbem.matches.agreements import is_muted_for
from pbem.matches.events import NotPossible
from pbem.matches.queries import is_hidden, seat_of
from pbem.messages.said.sections import NewsResumed, NotAttempted, NotSent, Overlooked
from pbem.players import news_times, rate_limits
from pbem.storage.models import Incoming, Match, Player


def execute(request: Request, reply: Reply, parsed: ParsedMessage) -> Reply:
    """Run the commands in order; the first refusal undoes its own line and stops."""
    # The text of an unsubscribe message comes from the mail program, not from the player.
    words = Allotment() if request.sender.serves_news else allot(parsed, request.sender.match)
    left = dict(words.by_target)
    reply = replace(reply, prose=left.pop(None, ()))
    done: list[str] = []
    spent = 0
    commands = _behind_turns(parsed.commands)
    covered: tuple[Line, ...] = ()
    for number, line in enumerate(commands):
        if line in covered or (request.is_trial and not line.command.changes and not line.malformed):
            continue
        later = commands[number + 1 :]
        target = target_of(line)
        own = left.pop(target, ())
        try:
            spent = charge(request, line, spent)
            reply = replace(reply, cost=spent)
            is_undone = line.command.changes and not line.malformed
            with request.session.begin_nested() if is_undone else nullcontext():  # nothing of a refused line remains
                before = replace(reply, prose=own or reply.prose)
                if line.command.of_admin and line.command.changes and len(commands) > 1:
                    raise not_alone(line)  # what stands above it is done
                after, decision = _carry_out(replace(request, later=later), before, line)
        except Refused as refusal:
            unsent = (*reply.prose, *own, *chain.from_iterable(left.values()), *words.unclear)
            about = replace(reply, match=_about(request, line) or reply.match, prose=unsent)
            reply = refused(request, about, refusal, line)
            outcome = Outcome.REFUSED_IN_PART if done else Outcome.REFUSED
            return not_attempted(replace(reply, verdict=Verdict(outcome)), later, parsed.beyond)
        if own:
            left |= {target: after.prose} if after.prose else {}
            after = replace(after, prose=reply.prose)
        reply = after
        covered += decision.covers
        done += [decision.log or line.command.name, *(each.command.name for each in decision.covers)]
    reply = _with_prose_sent(request, reply)
    for target, lines in left.items():
        if isinstance(target, int):
            reply = _with_prose_sent(request, replace(reply, prose=lines), target)
        else:
            reply = reply.adding(NotSent(lines=lines))  # an invitation takes only some words along
    if words.unclear:
        reply = reply.adding(NotSent(lines=words.unclear, matches=words.matches))
    if parsed.withheld:
        reply = reply.adding(NotSent(lines=clipped(parsed.withheld), may_be_quoted=True))
    if parsed.overlooked:
        reply = reply.adding(Overlooked(lines=clipped(parsed.overlooked)))
    if parsed.beyond:
        reply = reply.adding(NotAttempted(lines=clipped(parsed.beyond), most=MOST_COMMANDS))
    return replace(reply, verdict=Verdict(Outcome.DONE, ", ".join(done)))


def _behind_turns(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Return the lines with offers and conditions behind the turns of their message: they go together in any order."""
    last = max((at for at, line in enumerate(lines) if line.command.plays), default=-1)
    early = tuple(line for line in lines[: last + 1] if Role.GOES_WITH_TURN in line.command.role)
    return (*(line for line in lines[: last + 1] if line not in early), *early, *lines[last + 1 :])


def _malformed(request: Request, line: Line) -> Refused:
    """Return the refusal of a line whose fault the reader doesn't know: what it means, if it is a sentence."""
    given, grammar = line.given, line.command.grammar
    is_named = given.missing is None or GAME not in given.missing.pieces
    is_plain = "=" not in line.text and (grammar.has(GAME) or not any(map(str.isdecimal, line.text)))
    is_sentence = bool(given.unread) and is_plain and is_named
    wish = meaning.understood(request, [line.text]) if is_sentence else Reading()
    return wording.suggestion(wish) if wish.wishes else line.misfit()


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
    reply = replace(reply, match=_about(request, line) or reply.match)
    reply = follow(request, reply, decision)
    if Role.RESUMES in line.command.role:
        reply = follow(request, reply, _resumed(request))
    return reply, decision


def _resumed(request: Request) -> Decision:
    player = request.sender.player
    if player is None or player.stopped is None or player.complained is not None:
        return Decision()
    news_times.resume(request.session, player)
    return Decision(answer=(NewsResumed(),))


def _about(request: Request, line: Line) -> int | None:
    if line.match is None or line.malformed or not line.command.of_match:
        return None
    match = request.session.get(Match, line.match)
    return match.id if match else None


def _with_prose_sent(request: Request, reply: Reply, number: int | None = None) -> Reply:
    if not reply.prose:
        return reply
    number = number or reply.match or reply.sender.match
    match = request.session.get(Match, number) if number else None
    player = reply.sender.player
    request = replace(request, sender=reply.sender)
    unsent = reply.adding(NotSent(lines=reply.prose))
    if match is None or player is None or not _may_write(request, match, player):
        return unsent
    try:
        note = note_to_opponent(request, match, player, reply.prose)
    except Refused:  # more than the opponent is told about the match in a day, or of the player in an hour
        return unsent
    return follow(request, reply, note)


def _may_write(request: Request, match: Match, player: Player) -> bool:
    if not covers_notes(request.sender, match.id or 0):
        return False
    if player.confirmed is None or seat_of(match, player) is None or match.level is not None:
        return False
    return not (is_hidden(match, opponent_in(request, match, player)) or is_muted_for(match, player))


MOST_COST = 4_000  # what one message can cost
MOST_COST_UNPROVEN = 100  # the same for a message that proves nothing, whose answer may go to a victim
MOST_COST_PER_HOUR = 20_000  # what all messages of a player can cost within an hour


def cost(request: Request, line: Line) -> int:
    """Return what the line costs to answer, in turns to replay and lines to list; 0 if it does more than look."""
    own = line.command.cost
    if not own or not line.command.of_match:
        return own
    match = request.session.get(Match, line.match) if line.match is not None else None
    if match is None:
        return 0
    return own + (match.plies if line.ply is None else min(line.ply, match.plies))


def charge(request: Request, line: Line, spent: int) -> int:
    """Return what a message has cost with that line; raise Refused if that's too much. One line alone never is."""
    own = cost(request, line)
    if not own:
        return spent
    is_unproven = request.sender.standing is not None
    if spent and spent + own > (MOST_COST_UNPROVEN if is_unproven else MOST_COST):
        proven = "in a reply to one of our messages" if is_unproven else "in another message"
        raise Refused(
            "One message can't hold everything you asked for, so the answer ends here.",
            read=line.text,
            fits=f"Send this line and those below {proven}.",
        )
    sender, session = request.sender, request.session
    player = sender.player if sender.proven else None
    earlier = _cost_of_hour(session, player, request.incoming, request.now) if player else 0
    if player and earlier and earlier + spent + own > MOST_COST_PER_HOUR:
        again = _when_cost_falls_to(session, player, MOST_COST_PER_HOUR - spent - own, request.now)
        minutes = max(1, ceil((again - request.now).total_seconds() / 60))
        raise Refused(
            "You've had us look up as much as one player can within an hour, so the answer ends here.",
            read=line.text,
            fits=f"This works again in {minutes} minutes. Your turns count as always.",
            gist=f"{rate_limits.ONCE}until {again:%d %H}",
        )
    return spent + own


def _cost_of_hour(session: Session, player: Player, this: Incoming, now: datetime) -> int:
    """Return what a player's other messages have cost within an hour."""
    cost = func.coalesce(func.sum(Incoming.cost), 0)
    return int(session.exec(rate_limits.of_hour(player, now, cost).where(Incoming.id != this.id)).one())


def _when_cost_falls_to(session: Session, player: Player, most: int, now: datetime) -> datetime:
    costs = rate_limits.of_hour(player, now, Incoming.received, Incoming.cost).where(col(Incoming.cost) > 0)
    newest_first = costs.order_by(col(Incoming.received).desc())
    total = 0
    found: Sequence[tuple[datetime, int]] = session.exec(newest_first).all()
    for received, cost in found:
        total += cost
        if total > most:
            return received + rate_limits.HOUR
    return now
