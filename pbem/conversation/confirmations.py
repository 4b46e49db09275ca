"""The question whether a message was meant, and what a yes carries out.

A message waits for a yes if it doesn't prove who sent it, or has a command that asks once more. Its lines are stored
with the question, which goes to the address on file, and are carried out when that agrees.
"""

from dataclasses import replace
from datetime import timedelta

from sqlmodel import col, select

from pbem.conversation import execute, meaning, refusals, yes_or_no
from pbem.conversation.command import Decision, Letter, Request
from pbem.conversation.reply import Reply, follow
from pbem.conversation.syntax.commands_for_wishes import Reading
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.conversation.yes_or_no import Answer
from pbem.errors import Silence, Unanswerable
from pbem.matches.queries import seat_of
from pbem.messages.contents import answer_sections
from pbem.messages.contents.answer_sections import clipped
from pbem.messages.contents.message_payloads import ActDone, Asking, Confirmation
from pbem.players import addresses_and_revocation, message_budgets
from pbem.storage.mailboxes_and_domains import mailbox
from pbem.storage.message_payload_base import Section, load
from pbem.storage.models import Incoming, IncomingState, Match, Outgoing, Player
from pbem.storage.verdicts import Outcome, Verdict
from pbem.tokens import Purpose

QUESTION_LIVES = timedelta(days=14)  # how long our questions can be answered
EXPIRED = answer_sections.QuestionExpired(days=QUESTION_LIVES.days)
NO_WISH = Reading()


def hold(
    request: Request,
    reply: Reply,
    parsed: ParsedMessage,
    *,
    has_more: bool = False,
    wish: Reading = NO_WISH,
    agreed: Outgoing | None = None,
) -> Reply:
    """Hold a message and ask the address on file whether it was meant; refuse at once what can't be done.

    This is for messages that prove nothing, and for those with a command that asks once more: all of their items wait,
    also what is beside these commands. Where it proves nothing, that is asked once within an hour. The lines of a
    `wish` are carried out instead of the message, and those of the message with whose suggestion it `agreed`.
    """
    savepoint = request.session.begin_nested()
    sender = replace(request.sender, player=request.on_file(), proven=True, purpose=None)
    # A newcomer's wishes beside the first can be done once they have joined.
    tried = replace(parsed, commands=parsed.commands[:1]) if wish.wishes and not sender.is_player else parsed
    trial = execute.execute(replace(request, sender=sender, is_trial=True), replace(reply, sender=sender), tried)
    savepoint.rollback()
    if trial.verdict.outcome is not Outcome.DONE:
        told = (answer_sections.Refusal, answer_sections.NotAttempted, answer_sections.NotSent)
        refused = (section for section in trial.sections if isinstance(section, told))
        return replace(reply.adding(*refused), verdict=Verdict(Outcome.REFUSED), proposal=trial.proposal)
    lines = clipped(tuple(line.text for line in parsed.commands), most=len(parsed.commands))
    matches = {line.match for line in parsed.commands if line.command.of_match and line.match is not None}
    words = parsed.prose if any(line.command.grammar.takes_below for line in parsed.commands) else ()
    gist = message_budgets.gist_of("confirm", (*lines, *words, *map(str, sorted(matches))))
    acts = tuple(section.act for section in trial.sections if isinstance(section, ActDone))
    can_repeat = bool(acts) or not request.sender.is_stranger  # an act can be undone, and wanted again
    if not can_repeat and message_budgets.was_asked(request.session, request.sender, gist, request.now):
        raise Unanswerable(Silence.STRANGER_WAS_ASKED)
    is_unproven = request.sender.standing is not None
    if is_unproven and message_budgets.is_open_question(request.session, request.sender, gist, request.now):
        raise Unanswerable(Silence.IS_BEING_ASKED)
    player = request.on_file()
    request.incoming.state = IncomingState.HELD
    ends = [line for line in parsed.commands if line.ends(request)] if request.sender.proven else []
    asking = tuple(Asking(command=one.command.name, match=one.match if one.command.of_match else None) for one in ends)
    match = request.session.get(Match, next(iter(matches))) if len(matches) == 1 else None
    is_own = match is not None and seat_of(match, player) is not None
    question = Confirmation(
        lines=() if acts else lines,  # the act is told in our words, which go when the player leaves
        prose=clipped(parsed.prose) if player.confirmed and not acts else (),
        joining=player.confirmed is None and not acts,
        more=has_more,
        unknown=request.sender.unknown or "",
        beyond=request.sender.match if request.sender.proven and request.sender.purpose is Purpose.PLAY else None,
        match=match.id if match is not None and is_own else None,
        asking=asking,
        acts=acts,
        sentence=wish.sentence,
        answers=wish.notes,
        language=meaning.language_of(request) if player.confirmed is None else "en",
        held=parsed.items,
        withheld=clipped(parsed.withheld),
        about=meaning.about(request),
        answers_about=request.sender.match,
        seen=request.sender.ply,
        seen_of=dict(request.sender.plies),
        agreed=agreed.id if agreed is not None else None,
    )
    about = asking[0].match if len(asking) == 1 else None
    asked = _asked(request, player, request.incoming.id or 0, question, about, gist)
    return replace(follow(request, reply, asked), verdict=Verdict(Outcome.ASKED))


def _asked(
    request: Request, player: Player, held_id: int, question: Confirmation, about: int | None, gist: str
) -> Decision:
    asked = Letter(
        payload=question,
        player=player,
        purpose=Purpose.CONFIRM,
        match=request.session.get(Match, about) if about else None,
        token_subject=held_id,
        cause=request.cause(request.sender.standing, gist),
    )
    return Decision(messages=(asked,))


def confirm(request: Request, reply: Reply, held_id: int) -> Reply:
    """Carry out what waits, if its question is answered with yes. Return the reply to the answer."""
    held = request.session.get(Incoming, held_id, with_for_update=True)
    if held is None:
        raise Unanswerable(Silence.UNKNOWN_TOKEN)
    if held.state != IncomingState.HELD:
        return ended(reply, Outcome.SETTLED, answer_sections.AlreadySettled(verdict=held.verdict or ""))
    questions = select(Outgoing).where(Outgoing.incoming == held_id, Outgoing.template == "confirm")
    asked = request.session.exec(questions.order_by(col(Outgoing.id)).limit(1)).one()
    if request.now - held.received > QUESTION_LIVES:
        _close(request, held, asked, "not confirmed in time")
        return ended(reply, Outcome.TOO_LATE, EXPIRED)
    player = request.on_file()
    reply, question = replace(reply, match=asked.match), load(Confirmation, asked.payload)
    answer = _answer(request, player, question)
    if isinstance(answer, Confirmation):
        gist = message_budgets.gist_of("confirm", ["again", str(held_id)])
        joins = question.joining
        left = message_budgets.questions_left(request.session, request.sender, gist, request.now, joins=joins)
        if left <= 0:
            raise Unanswerable(Silence.ASKED_OFTEN_ENOUGH)
        repeated = replace(answer, last=left == 1, held=(), withheld=())
        again = _asked(request, player, held_id, repeated, asked.match, gist)
        return replace(follow(request, reply, again), verdict=Verdict(Outcome.ASKED_AGAIN))
    if answer is Answer.NO:
        _close(request, held, asked, str(Verdict(Outcome.NOT_CONFIRMED)))
        return ended(reply, Outcome.NOT_CONFIRMED, answer_sections.HeldDropped())
    if not question.held:  # it was asked by an older version, which stored them elsewhere
        return ended(reply, Outcome.TOO_LATE, EXPIRED)
    sender, seen_of = request.sender, question.seen_of or {}
    match, ply = question.answers_about, question.seen
    sender = replace(sender, match=match, ply=ply, plies=seen_of, held_message=None, purpose=None)
    request = replace(request, sender=sender, language=question.language)
    parsed = meaning.reader(request, question.about).restored(question.held, question.withheld)
    refusals.check_account(request, player, parsed.commands)
    if (agreed := request.session.get(Outgoing, question.agreed or 0, with_for_update=True)) is not None:
        meaning.suggested_line(request.session, agreed, agreed.proposal or meaning.DONE)
        agreed.proposal = meaning.DONE
    _close(request, held, asked, "confirmed")
    held.player = player.id  # who has just confirmed it
    if question.unknown:
        addresses_and_revocation.note(request.session, player, question.unknown, request.now)
    if not sender.is_player:
        parsed = replace(parsed, commands=execute.by_rank(parsed.commands))
    done = execute.execute(request, replace(reply, sender=sender, subject=request.message.subject), parsed)
    held.verdict = f"confirmed; {done.verdict}"
    return replace(done, verdict=replace(done.verdict, confirmed=held_id))


def _answer(request: Request, player: Player, question: Confirmation) -> Answer | Confirmation:
    """Return what is answered to a question as it was asked first; or that as it is asked again, if it doesn't count.

    A newcomer can also answer with their name, or with the same command. The yes of a player counts from an address
    that is known as theirs, and from the one that is asked about: nobody else can have the question by then.
    """
    sender = request.sender
    if sender.by_thread or (question.acts and sender.vouched):
        return replace(question, by_thread=True)
    answer = yes_or_no.answer(request.message.certain)
    if answer is None and question.joining:
        written = next((line.strip().strip(".!") for line in request.message.certain if line.strip()), "").casefold()
        lines = [line.casefold() for line in question.lines]
        is_same = bool(written) and any(written in (line, line.partition(" ")[2]) for line in lines)
        answer = Answer.YES if is_same else None
    if answer is None:
        return replace(question, unclear=True)
    wrote = request.message.sender or ""
    is_asked_about = bool(question.unknown) and mailbox(wrote) == mailbox(question.unknown)
    is_free = answer is Answer.NO or question.joining or is_asked_about
    if not is_free and not addresses_and_revocation.is_known(request.session, player, wrote):
        return replace(question, answered_from=wrote or "an unknown address")
    return answer


def ended(reply: Reply, outcome: Outcome, told: Section) -> Reply:
    return replace(reply, verdict=Verdict(outcome)).adding(told)


def _close(request: Request, held: Incoming, asked: Outgoing, verdict: str) -> None:
    held.state, held.handled, held.verdict, held.recipients = IncomingState.DONE, request.now, verdict, []
    if asked.content is not None:
        asked.content.payload = asked.payload | {"held": [], "withheld": []}
