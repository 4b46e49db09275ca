"""What a stranger's message comes to: one command in our own words, or a few words on what this is.

The address in From may be a victim's. So an answer can't be made to carry a message, and is short whatever is asked.
"""

from dataclasses import replace
from itertools import takewhile

from pbem.conversation import confirmations, execute, meaning, yes_or_no
from pbem.conversation.command import Command, Line, Request, Role
from pbem.conversation.reply import Reply, refused
from pbem.conversation.syntax import commands_for_wishes, names_in_sentences, vocabulary
from pbem.conversation.syntax.arguments import MATCH_THEN
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.errors import Refused, Silence, Unanswerable
from pbem.features.accounts import name_rules
from pbem.matches import queries
from pbem.messages.contents.message_payloads import Introduction, InvitationWaiting, titles
from pbem.players import message_budgets, sender_identity
from pbem.storage.models import Match
from pbem.storage.verdicts import Outcome, Verdict

TO_START = (
    'To start, reply "play quadrupel", and you have a match with a program at once; or "join NAME", with a name of '
    "your own, to play people."
)
INSISTS = f"{message_budgets.ONCE}insists"
"""The gist of the second answer to a stranger who is told what this is, and writes again."""
DECLINES = "I decline the invitation."  # what a bare no of somebody who is no player says
HELPFUL = ("help", "play quadrupel", "rules quadrupel")
MOST_KEPT = 3  # how many lines wait for a name
INTRODUCTION, MOST_INTRODUCTIONS = "introduction", 3
"""The gist of answers that say what this is, and how often an address gets one in thirty days; at most once a day."""


def reread(request: Request, parsed: ParsedMessage) -> ParsedMessage:
    """Return what of a message counts from somebody who is no player.

    Whoever joins, or wants to play at once, is asked about that alone; the rest is carried out with it, once they have
    agreed. What isn't a line as our help writes it is left to be read as sentences: "play quadrupel with Otto". Raise
    Refused for a command that is open to strangers, with words that neither it nor any sentence has.
    """
    sender, lines = request.sender, execute.by_rank(parsed.commands)
    if any(line.command.of_admin for line in lines):
        return parsed
    if not sender.is_stranger:
        is_name = not lines and sender.match is None
        return _named(request, parsed) if is_name else replace(parsed, commands=lines)
    said = commands_for_wishes.Reading()
    if lines and not any("=" in line.text for line in lines):
        said = _wishes_in(request)
    try:
        only = next(filter(None, (_in_our_words(request, line) for line in lines)), None)
    except Refused:
        if not (said.lines or said.looks):
            raise
        only = None
    is_more = len("\n".join(said.lines)) > len(only.text) if only and only.command.changes else bool(said.answers)
    if only is None or (len(lines) == 1 and is_more and (only.command.changes or not only.words)):
        return replace(parsed, commands=())
    return replace(parsed, commands=(only,)) if only.command.grammar.takes_below else ParsedMessage((only,))


def _in_our_words(request: Request, line: Line) -> Line | None:
    """Return a line in our own words if a stranger can write it; raise Refused for unknown words."""
    return line.command.for_stranger(request, line) if line.command.for_stranger is not None else None


def _joining(request: Request) -> Command:
    return next(command for command in request.commands.values() if command.newcomer_rank == 1)


def _named(request: Request, parsed: ParsedMessage) -> ParsedMessage:
    """Return the message as one that joins, if all that a newcomer writes in answer to us is their name.

    What else they had asked for is in the message that is answered, and follows.
    """
    written = parsed.first.strip().rstrip(".!")
    name = (names_in_sentences.own_name(written) or written).lower()
    is_word = name in vocabulary.stop_words() or yes_or_no.says_only(name)
    if is_word or not request.features.accept_name(name):
        return parsed
    joins = _joining(request)
    text = (f"{joins.name} {name}", *_rest_of_first(request))
    return replace(meaning.read_ours(request, text), first=parsed.first)


def _rest_of_first(request: Request) -> tuple[str, ...]:
    answered = sender_identity.answered_message(request.session, request.message, request.sender)
    return tuple((answered.proposal or "").split("\n")[1:]) if answered is not None else ()


def of_newcomer(request: Request, reply: Reply, parsed: ParsedMessage) -> Reply:
    """Return the answer to somebody who is no player: what they want, in our words; or what this is.

    Raise Refused or Unanswerable.
    """
    wish = commands_for_wishes.Reading()
    is_plain = bool(_waiting_lines(request, wish)) or _invitation_to(request) is not None
    if not is_plain:
        wish = _wishes_in(request)
        if not wish.wishes and yes_or_no.answer(request.message.certain) is yes_or_no.Answer.NO:
            wish = meaning.understood(request, (DECLINES,))
        if (answer := _answer(request, reply, wish)) is not None:
            return answer
    if not request.sender.is_stranger:
        return _introduce(request, reply, parsed, wish)
    request.check_left()
    told = message_budgets.times(request.session, request.sender, INTRODUCTION, message_budgets.MONTH, request.now)
    if len(told) < MOST_INTRODUCTIONS and all(request.now - time >= message_budgets.DAY for time in told):
        return _introduce(request, reply, parsed, wish)
    if is_plain:
        raise Unanswerable(Silence.STRANGER_WAS_INTRODUCED)
    refusal = Refused(
        "We still don't understand what you want.",
        fits=" ".join((*wish.supposed, commands_for_wishes.human(admin=bool(request.server.admin)))),
        meant=tuple(dict.fromkeys((*(line.text for line in _waiting_lines(request, wish)), *HELPFUL)))[: len(HELPFUL)],
        wish=True,
        gist=INSISTS,
    )
    return refused(request, reply, refusal)


def _answer(request: Request, reply: Reply, wish: commands_for_wishes.Reading) -> Reply | None:
    """Return what somebody asks for in sentences, who is no player; None if that is nothing that they can have."""
    ours = meaning.read_ours(request, wish.lines)
    lines = ours.commands
    if not (lines and lines[0].command.newcomer_rank):
        request.check_left()
    wants_in = wish.wants("join", "my_name", "how_works", "games")
    looks = meaning.read_ours(request, wish.looks).commands if len(wish.looks) == 1 and not wants_in else ()
    first = next(iter((*lines, *looks)), None)
    only = _in_our_words(request, first) if first is not None else None  # may say why it can't be
    if only is not None and only.command.changes:
        held = replace(ours, commands=(only, *lines[1:]), items=((True, only.text), *ours.items[1:]))
        return confirmations.hold(request, reply, held, wish=wish)
    if only is not None:
        shown = execute.execute(request, reply, ParsedMessage((only,)))
        beside = commands_for_wishes.suggestion(replace(wish, answers=wish.beside))
        return refused(request, shown, beside) if wish.beside else shown
    if lines or not wish.answers or wants_in:
        return None
    refusal = commands_for_wishes.suggestion(wish)
    refusal.fits += f" {TO_START}" * (not any(each.quiet for each in wish.wishes))
    return refused(request, reply, refusal)


def _introduce(request: Request, reply: Reply, parsed: ParsedMessage, wish: commands_for_wishes.Reading) -> Reply:
    """Return the reply that says what this is, and how to join.

    A `yes` in answer to it joins, under that name or another; the rest of what they had asked for is repeated, and
    waits for the name. Somebody with an open invitation is told of that instead. The reply goes to the invited address
    and carries a token of the match, as the invitation did, so that a plain `yes` in answer to it accepts.
    """
    reply, said = replace(reply, verdict=Verdict(Outcome.INTRODUCED)), ""
    if not request.sender.is_stranger:
        said = names_in_sentences.signed(("Yours,", parsed.first))[1]
        wants_name, rest = bool(said), tuple(takewhile("human".__ne__, wish.lines)) or _rest_of_first(request)
    else:
        reply = replace(reply, gist=INTRODUCTION)
        if (waiting := _invitation_to(request)) is not None:
            return replace(reply.adding(InvitationWaiting(match=waiting.id or 0)), match=waiting.id)
        rest = tuple(line.text for line in _waiting_lines(request, wish))
        opening = {text.split()[0].lower().strip(".:!") for text in (parsed.first, parsed.subject) if text.split()}
        joins = _joining(request)
        wants_name = bool(rest or opening & {joins.name, *joins.aliases}) or wish.wants("join", "my_name")
    names = (said, name_rules.name_from_address(request.sender.address))
    name = next(filter(request.features.accept_name, names), None)
    how = [commands_for_wishes.human(admin=True)] * ("human" in wish.lines)
    own = {each.answer for each in wish.wishes if each.name in ("join", "how_works")}
    section = Introduction(
        name=name,
        wants_name=wants_name,
        sentence=", and to ".join(each for each in wish.sentence.split(", and to ") if "the operator" not in each),
        answers=(*(note for note in wish.notes if note not in own), *how),
        rest=rest[:MOST_KEPT],
        house=request.house.enabled,
        games=titles(),
        language=meaning.language_of(request),
    )
    proposal = "\n".join((f"join {name or ''}".strip(), *rest[:MOST_KEPT])) if name or rest else None
    return replace(reply.adding(section), proposal=proposal)


def _waiting_lines(request: Request, wish: commands_for_wishes.Reading) -> tuple[Line, ...]:
    """Return the lines that wait for a name: those of sentences, or those written, but no free text: it is repeated.

    What is about something that there is already can't wait.
    """
    if wish.lines:
        lines = meaning.read_ours(request, wish.lines).commands
        return tuple(line for line in lines if not line.command.grammar.takes_below)
    return tuple(
        line
        for line in meaning.read(request).commands
        if line.command.changes
        and not (line.malformed or line.command.grammar.is_free or line.command.answers_news)
        and Role.ANSWERS not in line.command.role
        and (not line.command.of_match or line.command.grammar.has(MATCH_THEN))
    )


def _invitation_to(request: Request) -> Match | None:
    guest = request.sender.player
    return next(iter(queries.challenges_to(request.session, guest, 1)), None) if guest is not None else None


def _wishes_in(request: Request) -> commands_for_wishes.Reading:
    """Return what a whole message wants, if it is read as sentences."""
    return meaning.understood(request, request.message.certain)
