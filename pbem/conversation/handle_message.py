"""The path of a message whose sender is known: its budget, what it says, the judgement, what follows, the reply.

Who may do what at once, who is asked first and who is introduced is in `judge`.
"""

from dataclasses import replace
from functools import partial

from pbem import failpoints
from pbem.conversation import confirmations, execute, meaning, message_without_command
from pbem.conversation.command import NO_PLAYER, Line, Request, Role
from pbem.conversation.judge import Judgement, is_covered, judge
from pbem.conversation.refusals import check_account, not_alone
from pbem.conversation.reply import Reply, enqueue, refused
from pbem.conversation.syntax import commands_for_wishes
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.errors import Refused, Silence, Unanswerable, Unread
from pbem.failpoints import Step
from pbem.mail.reading.limits import LARGEST_MESSAGE, LARGEST_OF_STRANGERS
from pbem.mail.reading.machines import Automatic
from pbem.matches.queries import seat_of
from pbem.messages.contents.answer_sections import FirstOnly, SentElsewhere
from pbem.players import bounces, message_budgets, player_directory
from pbem.storage.models import Match
from pbem.tokens import Purpose


def converse(request: Request) -> Reply:
    """Answer a message, and queue its one reply. Raises Unanswerable where nothing is said."""
    is_answer = request.sender.held_message is not None or request.sender.address_question is not None
    reply = Reply(sender=request.sender, subject=request.message.subject if is_answer else "")
    try:
        who = request.session, request.sender, request.server
        request = replace(request, is_half_used=message_budgets.of_unproven(*who, request.limits, request.now))
        _check_readable(request)
        reply = _reply_to(request, reply)
    except Refused as refusal:
        reply = refused(request, reply, refusal)
    if request.message.automatic is Automatic.LIST and not reply.verdict.has_acted:
        raise Unanswerable(Silence.AUTOMATIC, Automatic.LIST.value)
    if request.sender.is_stranger and reply.sections:  # what they write in reply proves whose address it is
        reply = replace(reply, sender=replace(reply.sender, player=request.on_file()))
    failpoints.reach(Step.EXECUTED)
    enqueue(request, reply)
    return reply


def _reply_to(request: Request, reply: Reply) -> Reply:
    session, sender, player, now = request.session, request.sender, request.sender.player, request.now
    if player is not None and (sender.proven or sender.unknown):
        bounces.reinstate(session, player, now)  # whoever it is has read what we sent
    if player is not None and sender.proven:
        player_directory.note(session, player, now)
    if sender.address_question is not None:
        return request.features.answers[Purpose.ADDRESS](request, reply, sender.address_question)
    if sender.held_message is not None:
        return confirmations.confirm(request, reply, sender.held_message)
    return _handle_text(request, reply)


def _handle_text(request: Request, reply: Reply) -> Reply:
    excess, parsed = _excess(request), meaning.read(request)
    reply = replace(reply, subject=parsed.subject)
    try:
        if (player := request.sender.player) is not None and player.banned is not None:
            check_account(request, player, parsed.commands)
        parsed, agreed = meaning.as_meant(request, parsed)
        counted = parsed if request.sender.is_player else request.features.reread(request, parsed)
        to_opponent, ends = partial(_goes_to_opponent, request), partial(_ends, request, counted)
        judgement = judge(request.sender, counted, goes_to_opponent=to_opponent, ends=ends)
        if excess and not (judgement is Judgement.RUN and all(line.command.plays for line in counted.commands)):
            raise excess
        has_more = len(counted.commands) < len(parsed.commands)
        match judgement:
            case Judgement.RUN:
                reply = execute.execute(request, reply, counted)
                handled = {line.match for line in counted.commands}
                elsewhere = tuple(match for match in request.sender.elsewhere if match not in handled)
                reply = reply.adding(SentElsewhere(matches=elsewhere)) if elsewhere else reply
                reply = reply.adding(FirstOnly()) if has_more else reply
            case Judgement.ASK:
                whole = replace(counted, items=counted.items or parsed.items)
                reply = confirmations.hold(request, reply, whole, has_more=has_more, agreed=agreed)
            case Judgement.INTRODUCE:
                reply = request.features.introduce(request, reply, parsed)
            case Judgement.NOT_ALONE:
                raise not_alone(counted.commands)
            case Judgement.NOT_A_PLAYER:
                raise Refused(NO_PLAYER, fits='Write "join NAME" in a line above that; the name is one word.')
            case Judgement.NO_COMMAND:
                reply = _answer_sentences(request, reply, parsed)
    except Refused as refusal:
        return refused(request, reply, refusal)
    if excess and not reply.verdict.has_acted:
        raise excess
    if agreed is not None and reply.verdict.has_acted:
        agreed.proposal = meaning.DONE
    return reply


def _excess(request: Request) -> Refused | Unanswerable | None:
    """Return what ends a message that isn't a turn: its sender writes more than a person does, or through a list."""
    session, player, most = request.session, request.sender.player, request.limits.mails_per_hour
    if player is None or not request.sender.proven:
        return None
    if request.message.automatic is Automatic.LIST:
        return Unanswerable(Silence.AUTOMATIC, Automatic.LIST.value)
    return message_budgets.excess_of(session, player, request.incoming, most, request.now)


def _answer_sentences(request: Request, reply: Reply, parsed: ParsedMessage) -> Reply:
    """Answer a message without commands, of a player or an invited person."""
    refusal = message_without_command.line_meant(request, parsed)
    wish = commands_for_wishes.Reading() if refusal else meaning.understood(request, (parsed.first, *parsed.prose))
    if not wish.wishes:
        refusal = refusal or message_without_command.nothing_found(request, parsed)
        if wish.supposed and not refusal.meant:
            human = commands_for_wishes.human(admin=True) if request.server.admin else ""
            refusal.fits = " ".join((*wish.supposed, refusal.fits, human))
        raise refusal
    ours, to_opponent = meaning.read_ours(request, wish.lines), partial(_goes_to_opponent, request)
    covered = partial(is_covered, request.sender, goes_to_opponent=to_opponent)
    is_asked = request.sender.is_player and wish.board is None and not all(map(covered, ours.commands))
    if request.sender.proven and (is_asked or any(line.ends(request) for line in ours.commands)):
        rest = f'The rest of your message goes to nobody: "{" ".join(wish.left)}"'
        wish = replace(wish, answers=(*wish.answers, *[rest] * bool(wish.left)))
        return confirmations.hold(request, reply, ours, wish=wish)
    if wish.looks and request.sender.proven:
        shown = execute.execute(request, reply, replace(meaning.read_ours(request, wish.looks), words=()))
        beside = commands_for_wishes.suggestion(replace(wish, answers=wish.beside))
        return refused(request, shown, beside) if wish.beside else shown
    raise commands_for_wishes.suggestion(wish)


def _goes_to_opponent(request: Request, line: Line) -> bool:
    player, to_opponent = request.sender.player, line.command.to_opponent
    match = request.session.get(Match, request.sender.match) if request.sender.match else None
    is_theirs = player is not None and match is not None and seat_of(match, player) is not None
    return is_theirs and to_opponent is not None and to_opponent(request, line)


def _ends(request: Request, parsed: ParsedMessage, line: Line) -> bool:
    """Return whether the line ends a match or an account. Beside a turn, a draw is a new offer: it accepts none."""
    is_offer = Role.GOES_WITH_TURN in line.command.role and any(other.command.plays for other in parsed.commands)
    return not is_offer and line.ends(request)


def _check_readable(request: Request) -> None:
    """Raise Refused for a message that is too large or can't be read, or Unanswerable if that isn't told a stranger."""
    stored = request.stored_bytes
    if request.incoming.size > stored or stored > LARGEST_MESSAGE:
        request.check_left()
        limit = LARGEST_MESSAGE if request.is_half_used is None else LARGEST_OF_STRANGERS
        raise Refused(f"Your message is larger than {limit // 1000} KB, so it wasn't read.", fits="Send only its text.")
    error = request.message.error
    if error is not None:
        if request.sender.is_stranger:
            raise Unanswerable(Silence.UNREADABLE, error)
        raise Unread(error.problem.value, str(error), error.problem.way_out)
