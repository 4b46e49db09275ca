"""One mail, one transaction: read, authorise, execute, owe the answers. A crash shunts the mail."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Any

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlmodel import Session, col, select

from pbem import (
    attempts,
    authority,
    bounces,
    budgets,
    failpoints,
    mail,
    outgoing,
    preferences,
    proofs,
    proposals,
    sender_checks,
)
from pbem.attempts import Attempts
from pbem.body import Unreadable
from pbem.commands import COMMANDS, address, suggestions
from pbem.commands.choices import resume
from pbem.commands.core import Context, Line
from pbem.commands.play import send_words
from pbem.commands.reading import Reader, Reading, tagged_match
from pbem.config import ChecksSettings, LimitsSettings, ServerSettings
from pbem.database import transaction
from pbem.failpoints import Step
from pbem.mail import Mail
from pbem.matches import count, stand
from pbem.models import Incoming, IncomingState, Match, MatchState, Outgoing, Player
from pbem.preferences import OFF
from pbem.refusals import Refused, Unanswerable
from pbem.sender_checks import Checked
from pbem.tokens import Keyring, Purpose
from pbem.transport import Arrival

log = structlog.get_logger()

OPEN_TO_STRANGERS = frozenset({"join", "help", "rules"})
INVITED_MAY = frozenset({"accept", "decline", "help", "rules", "show"})
MAILS = frozenset({"turn", "welcome"})
"""The sections that are mails of their own where there is nothing else to say."""


@dataclass(frozen=True, slots=True)
class Office:
    """What handling a mail needs besides the mail: the settings and the server's key."""

    server: ServerSettings
    keyring: Keyring
    checks: ChecksSettings
    limits: LimitsSettings
    attempts: Attempts = field(default_factory=Attempts)


def store(session: Session, arrivals: tuple[Arrival, ...], now: datetime) -> list[int]:
    """Add rows for the arrivals that are not there yet; the ids of the new ones. Raw mail comes first."""
    added = []
    for arrival in arrivals:
        row = Incoming(
            key=mail.key(arrival.raw, arrival.recipients),
            raw=arrival.raw,
            size=arrival.size or len(arrival.raw),
            source=arrival.source,
            sender=arrival.sender,
            recipients=list(arrival.recipients),
            received=now,
        )
        if _is_stored(session, row.key):
            log.info("mail in", incoming=None, source=arrival.source, verdict="duplicate")
            continue
        try:
            with session.begin_nested():
                session.add(row)
        except IntegrityError:
            if not _is_stored(session, row.key):
                raise
            log.info("mail in", incoming=None, source=arrival.source, verdict="duplicate")  # it came twice at once
            continue
        added.append(row.id or 0)
    return added


def _is_stored(session: Session, key: str) -> bool:
    return session.exec(select(Incoming.id).where(Incoming.key == key)).first() is not None


def waiting(session: Session) -> list[int]:
    """The ids of the mails that nobody has handled yet, oldest first."""
    return [
        found
        for found in session.exec(
            select(Incoming.id).where(Incoming.state == IncomingState.NEW).order_by(col(Incoming.id))
        )
        if found is not None
    ]


def handle(engine: Engine, office: Office, incoming_id: int, now: datetime) -> None:
    """Handle a stored mail and commit; shunt it where that fails three times, in this process or one that it ended.

    Raises OperationalError where the database is at fault: then the mail is still new and can be tried again.
    """
    error, trouble = attempts.ENDED, attempts.NO_TRACEBACK
    while (number := office.attempts.begin(engine, incoming_id)) is not None and number <= attempts.MOST:
        failpoints.reach(Step.COUNTED)
        try:
            about = _attempt(engine, office, incoming_id, now)
        except OperationalError:
            raise
        except Exception as bug:  # noqa: BLE001 - whatever it is, it is a bug, and the other mails must go on
            error, trouble = type(bug).__name__, traceback.format_exc()
            log.warning("mail in", incoming=incoming_id, verdict="failed", error=error, attempt=number)
            office.attempts.end(incoming_id)
        else:
            office.attempts.end(incoming_id)
            if about is not None:
                log.info("mail in", **about)
            return
    if number is not None:
        attempts.shunt(engine, incoming_id, error, trouble, now)
        office.attempts.end(incoming_id)
        # The traceback is in the row: it may hold what people wrote, and a log line never does.
        log.error("mail in", incoming=incoming_id, verdict="shunted", error=error)


def _attempt(engine: Engine, office: Office, incoming_id: int, now: datetime) -> dict[str, Any] | None:
    """Handle the mail in one transaction, if it still waits; what the log is to say of it."""
    checked = _checked(engine, office, incoming_id, now)
    with transaction(engine) as session:
        row = session.get_one(Incoming, incoming_id, with_for_update=True)
        about = _handle(session, office, row, checked, now) if row.state == IncomingState.NEW else None
        failpoints.reach(Step.COMMITTING)
    failpoints.reach(Step.COMMITTED)
    return about


def _checked(engine: Engine, office: Office, incoming_id: int, now: datetime) -> Checked:
    """What the sender checks say of the mail; asked before its transaction, since they may ask the DNS."""
    if not (office.checks.authserv_id or office.checks.dkim):
        return sender_checks.NOT_CHECKED
    with transaction(engine) as session:
        raw = session.get_one(Incoming, incoming_id).raw
    return sender_checks.check(raw, office.server.address, office.checks, now)


def _handle(session: Session, office: Office, row: Incoming, checked: Checked, now: datetime) -> dict[str, Any]:
    """Handle the mail within the transaction; what the log is to say of it."""
    about: dict[str, Any] = {"message_id": None, "player": None, "match": None}
    try:
        letter = mail.read(row.raw, row.sender, tuple(row.recipients))
        failpoints.reach(Step.READ)
        about["message_id"] = letter.message_id
        if (letter.automatic or letter.sender is None) and (bounce := bounces.take(session, office.server, row, now)):
            raise Unanswerable(bounce)
        if letter.automatic:
            raise Unanswerable(f"automatic: {letter.automatic}")
        if letter.sender is not None and authority.is_ours(letter.sender, office.server):
            raise Unanswerable("automatic: own mail")
        sender = authority.of(session, letter, office.server, office.keyring, now)
        sender = proofs.weigh(session, sender, letter, checked, office.checks, row)
        if sender.player is None and (bounce := bounces.take(session, office.server, row, now)):
            raise Unanswerable(bounce)
        failpoints.reach(Step.AUTHORISED)
        context = Context(session, office.server, office.keyring, now, row, letter, sender, COMMANDS)
        verdict = _converse(context, office.limits)
        about |= {
            "player": sender.player.name if sender.player else None,
            "match": context.match or sender.match,
        }
    except (Unanswerable, Unreadable) as error:
        verdict = f"no answer: {error}"
    row.verdict, row.handled = verdict, now
    if row.state == IncomingState.NEW:
        row.state = IncomingState.DONE
    session.add(row)
    return {"incoming": row.id, "source": row.source, "verdict": verdict, **about}


def _converse(context: Context, limits: LimitsSettings) -> str:
    """Do what the mail says, owe the answers, and say in a word what became of it."""
    try:
        _bound(context, limits)
    except Refused as refusal:
        _refuse(context, refusal, None)
        _answer(context)
        return "refused"
    if context.incoming.size > len(context.incoming.raw) or len(context.incoming.raw) > context.server.mail_limit:
        if context.sender.is_stranger:
            raise Unanswerable("too large, and from a stranger")
        limit = context.server.mail_limit // 1000
        _refuse(
            context,
            Refused(
                f"Your mail is larger than {limit} KB, so it was not read.",
                fits="Send the words alone, without attachments.",
            ),
            None,
        )
        verdict = "refused"
    elif context.sender.held is not None:
        verdict = _confirmed(context, context.sender.held)
    elif context.sender.move is not None:
        verdict = _moved(context, context.sender.move)
    else:
        verdict = _understood(context, context.mail, _obey)
    failpoints.reach(Step.EXECUTED)
    _answer(context)
    return verdict


def _understood(context: Context, letter: Mail, act: Callable[[Context, Reading], str]) -> str:
    """Read the mail and act on it; a `yes` in its first line stands for what the answered mail suggests."""
    try:
        reading, agreed = _reading(context, letter)
    except Refused as refusal:
        _refuse(context, refusal, None)
        return "refused"
    verdict = act(context, reading)
    if agreed is not None and verdict.startswith(("done", "refused in part")):
        agreed.proposal = proposals.DONE
        context.session.add(agreed)
    return verdict


def _reading(context: Context, letter: Mail) -> tuple[Reading, Outgoing | None]:
    """What the mail says, in the light of the match it answers, and the mail whose suggestion it agrees to."""

    @cache  # every line of the mail asks; the row itself is fetched when it is locked
    def game_of(number: int) -> str | None:
        return context.session.exec(select(Match.game).where(Match.id == number)).first()

    player = context.sender.player
    about = context.sender.match
    if about is None and not context.sender.plies:  # the answered mail showed several; its Subject names at most one
        about = tagged_match(letter.subject)
    reader = Reader(COMMANDS, game_of, about, player.name if player else None)
    reading = reader.read(letter.subject, letter.lines)
    context.subject = reading.subject
    if player is None or not proposals.consents(letter.lines):
        return reading, None
    agreed = proposals.answered(context.session, letter, context.sender)
    if reading.commands and (agreed is None or agreed.proposal is None):
        return reading, None  # "Ok" and a turn below it
    line = proposals.line_of(context.session, agreed)
    return reader.read(letter.subject, (line, *proposals.below(letter.lines))), agreed


def _obey(context: Context, reading: Reading) -> str:
    """Execute the commands, or hold them until the sender has proven himself."""
    player = context.sender.player
    names = [line.command.name for line in reading.commands]
    if context.sender.is_stranger:
        if not (names and OPEN_TO_STRANGERS.issuperset(names)) or any(line.misfit for line in reading.commands):
            raise Unanswerable("a stranger's mail that asks for nothing open to strangers")
    elif not names:
        refusal = suggestions.of_mail(context, reading)
        _refuse(context, refusal, None)
        if refusal.proposal and reading.prose:
            context.answer("unsent", lines=list(reading.prose))
        return "refused"
    elif (player is None or player.confirmed is None) and not (INVITED_MAY | OPEN_TO_STRANGERS).issuperset(names):
        _refuse(context, _guest(), None)
        return "refused"
    changing = [line.command for line in reading.commands if line.command.changes]
    sure = context.sender.proven and not any(line.command.asks_once_more for line in reading.commands)
    if sure or context.sender.may.issuperset(command.name for command in changing):
        return _execute(context, reading)
    return _hold(context, reading)


def _execute(context: Context, reading: Reading) -> str:
    """Run the commands in order; the first refusal undoes its own line and ends the mail."""
    if not context.sender.may:  # what a mail program adds when it stops news is nobody's words
        context.prose = reading.prose
    done = []
    for number, line in enumerate(reading.commands):
        later = reading.commands[number + 1 :]
        context.moves_ahead = frozenset(
            ahead.match for ahead in later if ahead.command.name == "move" and ahead.match is not None
        )
        kept, prose_used = len(context.sections), context.prose_used
        try:
            with context.session.begin_nested():
                if line.misfit:
                    raise line.trouble or Refused(
                        f'"{line.command.name}" is written otherwise.',
                        read=line.text,
                        fits=line.command.usage,
                    )
                done.append(line.command.run(context, line) or line.command.name)
                if line.command.resumes:
                    resume(context)
        except Refused as refusal:
            del context.sections[kept:]
            context.prose_used = prose_used
            _refuse(context, refusal, line)
            if later:
                context.answer("unattempted", lines=[ahead.text for ahead in later])
            if context.prose and not context.prose_used:
                context.answer("unsent", lines=list(context.prose))
            return "refused" if number == 0 else "refused in part"
    _pass_prose_on(context)
    return f"done: {', '.join(done)}"


def _pass_prose_on(context: Context) -> None:
    """Send the prose that nothing has carried yet to the opponent, where there is one."""
    if not context.prose or context.prose_used:
        return
    number = context.match or context.sender.match
    match = context.session.get(Match, number) if number else None
    player = context.sender.player
    if match is None or player is None or player.id not in (match.seat0, match.seat1) or not context.sender.proven:
        context.answer("unsent", lines=list(context.prose))
        return
    send_words(context, match, context.message(match.id))


def _hold(context: Context, reading: Reading) -> str:
    """Keep the mail and ask the address on file whether it was meant; refuse at once what can't be done.

    So it goes with a mail that proves nothing, and with any mail whose commands ask once more: all of it waits.
    """
    savepoint = context.session.begin_nested()
    sender = replace(context.sender, player=_on_file(context), proven=True)
    trial = replace(context, sender=sender, sections=[])
    verdict = _execute(trial, reading)
    savepoint.rollback()
    if verdict.startswith("refused"):
        told = ("refused", "unattempted", "unsent")
        context.sections = [part for part in trial.sections if part["template"] in told]
        context.proposal = trial.proposal
        return "refused"
    lines = [line.text for line in reading.commands]
    if context.sender.is_stranger and budgets.was_asked(context.session, context.sender.address, lines, context.now):
        raise Unanswerable("a stranger who was asked today")
    player = _on_file(context)
    context.incoming.state = IncomingState.HELD
    asking = [line for line in reading.commands if line.command.asks_once_more] if context.sender.proven else []
    words = {
        "lines": lines,
        "prose": list(reading.prose),
        "joining": player.confirmed is None,
        "asking": [{"command": line.command.name, "match": _about(line)} for line in asking],
        "unclear": False,
    }
    _ask(context, player, context.incoming.id or 0, words, _about(asking[0]) if len(asking) == 1 else None)
    return "asked for confirmation"


def _about(line: Line) -> int | None:
    """The match that the command is about; None for one that is about none."""
    return line.match if line.command.of_match else None


def _ask(context: Context, player: Player, held_id: int, words: dict[str, Any], about: int | None) -> None:
    """Owe the player's address on file the question whether a held mail was meant."""
    match = context.session.get(Match, about) if about else None
    outgoing.owe(
        context.session,
        context.now,
        context.server.domain,
        template="confirm",
        address=player.address,
        words=words,
        player=player,
        purpose=Purpose.CONFIRM,
        subject=held_id,
        match=match,
        ply=count(context.session, match) if match else 0,
        incoming=context.incoming,
        answers=(context.mail.message_id,) if context.mail.message_id else (),
    )


def _on_file(context: Context) -> Player:
    """The sender's row; a new one, not yet a player, for an address that we don't know."""
    if context.sender.player is not None:
        return context.sender.player
    player = Player(address=context.sender.address, created=context.now)
    context.session.add(player)
    context.session.flush()
    return player


def _confirmed(context: Context, held_id: int) -> str:
    """Let a held mail act, now that its sender has answered from the address on file."""
    held = context.session.get(Incoming, held_id, with_for_update=True)
    if held is None:
        raise Unanswerable("unknown token")
    if held.state != IncomingState.HELD:
        context.answer("settled", verdict=held.verdict or "")
        return "settled already"
    if context.now - held.received > address.QUESTION_LIVES:
        held.state, held.handled, held.verdict = IncomingState.DONE, context.now, "not confirmed in time"
        context.session.add(held)
        context.answer("expired", days=address.QUESTION_LIVES.days)
        return "too late"
    asked = context.session.exec(
        select(Outgoing).where(Outgoing.incoming == held_id, Outgoing.template == "confirm").limit(1)
    ).one()
    context.subject, context.match = context.mail.subject, asked.match
    player, lines = context.sender.player, context.mail.lines
    drops = proposals.refuses(lines)
    agrees = any(proposals.consents([line]) for line in lines)
    if player is not None and player.confirmed and not (drops or agrees):
        _ask(context, player, held_id, asked.words | {"unclear": True}, asked.match)
        return "asked for confirmation again"
    held.state, held.handled = IncomingState.DONE, context.now
    context.session.add(held)
    if drops:
        held.verdict = "not confirmed"
        context.answer("dropped")
        return "not confirmed"
    letter = mail.read(held.raw, held.sender, tuple(held.recipients))
    told_of = authority.of(context.session, letter, context.server, context.keyring, context.now)
    context.sender = replace(context.sender, match=told_of.match, ply=told_of.ply, held=None)
    verdict = _understood(context, letter, _execute)
    context.subject = context.mail.subject
    held.verdict = f"confirmed; {verdict}"
    return f"confirmed mail {held_id}; {verdict}"


def _moved(context: Context, question: int) -> str:
    """Let a new address answer whether a player may have it."""
    try:
        lines, context.subject = context.mail.lines, context.mail.subject
        agrees = True if proposals.consents(lines) else False if proposals.refuses(lines) else None
        return address.settle(context, question, agrees=agrees)
    except Refused as refusal:
        _refuse(context, refusal, None)
        return "refused"


def _guest() -> Refused:
    return Refused(
        "This address does not belong to a player yet.",
        fits='Write "join NAME" (one word, the name you want) to begin, or "help" to see what this is.',
    )


def _refuse(context: Context, refusal: Refused, line: Line | None) -> None:
    """Add the refusal to the answer: what was read with a caret, what is wrong, what would fit, the board."""
    match = context.session.get(Match, refusal.match) if refusal.match else None
    player = context.sender.player
    standing = stand(context.session, match) if match else None
    seat = standing.seat_of(player) if standing and player else None
    to_move = standing is not None and seat is not None and standing.base.turn == seat
    if line is not None:
        suggestions.respell(context, line, refusal)
    context.proposal = refusal.proposal
    context.answer(
        "refused",
        sentence=refusal.sentence,
        read=refusal.read,
        written=line.text if line and refusal.read and line.text != refusal.read else None,
        at=refusal.at,
        width=max(1, refusal.width),
        fits=refusal.fits,
        match=match.id if match else None,
        ply=standing.ply if standing else None,
        part=match.part if match and to_move else None,  # what somebody has begun, nobody else may see
        own=seat is not None,
        meant=list(refusal.meant),
        proposed=refusal.proposal is not None,
        as_of=proposals.as_of(context.session, match, refusal.proposal),
    )


def _answer(context: Context) -> None:
    """Owe the sender one mail with all that has to be said."""
    player, sections = context.sender.player, context.sections
    if not sections or _was_said(context):
        return
    if _wants_no_receipts(player) and all(_is_receipt(context, section) for section in sections):
        return
    shown = list(dict.fromkeys(section["words"]["match"] for section in sections if section["words"].get("match")))
    several = len(shown) > 1
    about = (context.match if not several else None) or context.sender.match
    match = context.session.get(Match, about) if about else None
    ours = match is not None and player is not None and player.id in (match.seat0, match.seat1)
    to_player = player is not None and (player.confirmed is not None or ours)
    plays = ours and not several
    words: dict[str, Any] = {"sections": sections, "subject": context.subject[:60]}
    if several or (context.sender.plies and not plays):
        now = {number: count(context.session, context.session.get_one(Match, number)) for number in shown}
        words["plies"] = {**context.sender.plies, **now}
    template = "answer"
    if len(sections) == 1 and sections[0]["template"] in MAILS:
        template, words = sections[0]["template"], sections[0]["words"]
    outgoing.owe(
        context.session,
        context.now,
        context.server.domain,
        template=template,
        address=context.sender.address,
        words=words,
        player=player if to_player else None,
        purpose=(Purpose.PLAY if plays else Purpose.PERSONAL) if to_player else None,
        subject=(match.id or 0) if match and plays else 0,
        match=match if ours else None,
        ply=count(context.session, match) if match and ours else 0,
        incoming=context.incoming,
        answers=(context.mail.message_id,) if context.mail.message_id else (),
        proposal=context.proposal,
    )


def _wants_no_receipts(player: Player | None) -> bool:
    return player is not None and preferences.of(player.settings)["receipt"] == OFF


def _is_receipt(context: Context, section: dict[str, Any]) -> bool:
    """Whether a part of the answer says only that the sender's own turn is played."""
    words = section["words"]
    if section["template"] != "turn" or words["ply"] == 0:
        return False
    return context.session.get_one(Match, words["match"]).state == MatchState.RUNNING


def _was_said(context: Context) -> bool:
    """Whether this answer, to a mail that proves nothing, is one that its address has had today already."""
    is_error = any(section["template"] == "refused" for section in context.sections)
    if context.sender.proven or not (is_error or context.sender.is_stranger):
        return False
    return budgets.was_said(context.session, context.sender.address, context.sections, context.now)


def _bound(context: Context, limits: LimitsSettings) -> None:
    """Raise Unanswerable where more mail comes than a person writes, or more answers go than a stranger should get."""
    session, sender, now = context.session, context.sender, context.now
    if sender.match is not None:
        budgets.of_match(session, sender.match, limits.match_per_day, now)
    if not sender.proven:
        budgets.of_address(session, sender.address, context.server.answers_per_hour, now)
    if sender.is_stranger:
        budgets.of_stranger(session, sender.address, limits, now)
    if sender.proven and sender.player is not None:
        context.incoming.player = sender.player.id
        budgets.of_player(session, sender.player, limits.player_per_hour, now)
        if context.mail.sender == sender.player.address:
            bounces.revive(session, sender.player, now)
