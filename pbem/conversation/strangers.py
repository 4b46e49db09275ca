"""What a stranger's message comes to: one command in our own words, or a few words on what this is.

The address in From may be a victim's. So an answer can't be made to carry a message, and is short whatever is asked.
"""

import sys
from dataclasses import replace

from pbem.conversation import confirmations, execute, meaning, yes_or_no
from pbem.conversation.command import Command, Line, Request, Role
from pbem.conversation.feature import NAME, suggested_name, words_in_use
from pbem.conversation.judge import Outcome, Verdict
from pbem.conversation.reply import Reply, refused
from pbem.conversation.syntax import person_names, phrases, wording
from pbem.conversation.syntax.arguments import MATCH_THEN
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.conversation.syntax.wording import Reading
from pbem.errors import Refused, Silence, Unanswerable
from pbem.mail.reading.message import Message
from pbem.matches import queries
from pbem.messages.said.messages import Introduction, InvitationWaiting, titles
from pbem.players import rate_limits
from pbem.players.rate_limits import AnswersLeft
from pbem.storage.models import Match

TO_START = (
    'To start, reply "play quadrupel", and you have a match with a program at once; or "join NAME", with a name of '
    "your own, to play people."
)
INSISTS = f"{rate_limits.ONCE}insists"
"""The gist of the second answer to a stranger who is told what this is, and writes again."""
DECLINES = "I decline the invitation."  # what a bare no of somebody who is no player says
HELPFUL = ("help", "play quadrupel", "rules quadrupel")
MOST_NAMES, MOST_KEPT = 4, 3  # how many words a person's name may have, and how many lines beside it wait for a name
INTRODUCTION, MOST_INTRODUCTIONS = "introduction", 3
"""The gist of answers that say what this is, and how often an address gets one in thirty days; at most once a day."""


def _bare(request: Request, parsed: ParsedMessage) -> ParsedMessage | None:
    """Return the message with the one command that is answered; None if there is none.

    Whoever joins, or wants to play at once, is asked about that alone; the rest of the message is carried out with it,
    once they have agreed.
    Raise Refused for a command that is open to strangers, with words that it doesn't know.
    """
    for line in _by_rank(parsed.commands):
        only = line.command.newcomer.line(request, line) if line.command.newcomer.line is not None else None
        if only is not None:
            return ParsedMessage((only,))
    return None


def reread(
    request: Request, message: Message, parsed: ParsedMessage, *, is_confirmed: bool
) -> tuple[ParsedMessage, bool]:
    """Return what a message means from somebody who is no player, and whether a stranger has written more than that.

    What isn't a line as our help writes it is left to be read as sentences. Raises Refused.
    """
    sender = request.sender
    if sender.is_player or any(line.command.of_admin for line in parsed.commands):
        return parsed, False
    if not sender.is_stranger and not is_confirmed:
        answers_us = not parsed.commands and sender.match is None
        return _joining_first(_named(request, message, parsed) if answers_us else parsed), False
    if is_confirmed:
        return _joining_first(parsed), False
    try:
        bare = _bare(request, parsed)
    except Refused:
        if not _said_otherwise(request, parsed):
            raise
        bare = None
    if bare is not None and _says_more(request, parsed, bare.commands[0]):
        bare = None
    return bare or replace(parsed, commands=()), len(parsed.commands) > 1


def _said_otherwise(request: Request, parsed: ParsedMessage) -> bool:
    """Return whether the message says as a sentence what a line of it can't be read as."""
    said = meaning.wishes_in(request)
    return bool(said.lines or said.look) and not any("=" in line.text for line in parsed.commands)


def _says_more(request: Request, parsed: ParsedMessage, line: Line) -> bool:
    """Return whether the message, read as sentences, says more than its one line does: "play quadrupel with Otto"."""
    if len(parsed.commands) > 1 or "=" in line.text or not line.command.changes:
        return False
    said = meaning.wishes_in(request).lines
    return len(said) > 1 or any(len(each) > len(line.text) and not each.startswith("join") for each in said)


def _is_of_now(command: Command) -> bool:
    """Return whether a command is about what there is already, and so asks for nothing that could wait for a name."""
    about_now = command.of_match and not command.grammar.has(MATCH_THEN)
    return about_now or Role.ANSWERS in command.role or command.at_once.news


def of_newcomer(request: Request, reply: Reply, parsed: ParsedMessage, left: AnswersLeft | None) -> Reply:
    """Return the answer to somebody who is no player: what they want, in our words; or what this is.

    Raise Refused or Unanswerable.
    """
    has_commands = bool(waiting_lines(request, parsed, Reading()))
    if has_commands or name_alone(request, parsed) or invitation_to(request) is not None:
        return introduce(request, reply, parsed, left, Reading())
    wish = meaning.wishes_in(request)
    if not wish.wishes and yes_or_no.answer(request.message.certain) is yes_or_no.Answer.NO:
        wish = meaning.understood(request, (DECLINES,))
    lines = meaning.read_ours(request, wish.lines).commands
    shown = meaning.read_ours(request, (wish.look,)).commands if wish.look and not lines else ()
    if not (lines and lines[0].command.newcomer.rank):
        check_left(left)
    if lines and lines[0].command.newcomer.line is not None:
        only = lines[0].command.newcomer.line(request, lines[0])  # may say why it can't be
        if only is not None and only.command.changes:
            asked = ParsedMessage((only, *lines[1:]))
            return confirmations.hold(request, reply, asked, wish=wish)
        if only is not None:
            return execute.execute(request, reply, ParsedMessage((only,)))
    if shown and (looks := shown[0].command.newcomer.line) and (only := looks(request, shown[0])) is not None:
        return execute.execute(request, reply, ParsedMessage((only,)))
    is_question = bool(wish.answers) and not lines and not wish.wants("join", "my_name", "how_works", "games")
    if is_question:
        return refused(request, reply, _answer(wish, *(() if any(each.quiet for each in wish.wishes) else (TO_START,))))
    try:
        return introduce(request, reply, parsed, left, wish)
    except Unanswerable as silence:
        if silence.silence is not Silence.STRANGER_WAS_INTRODUCED:
            raise
    return refused(request, reply, _insisting(request, wish))


def _answer(wish: Reading, *more: str) -> Refused:
    return Refused(
        f"You want to {wish.sentence}.",
        fits=" ".join((*wish.notes, *more)),
        wish=True,
        gist=f"wish {wish.wishes[0].name}",
    )


def _insisting(request: Request, wish: Reading) -> Refused:
    """Return the answer to somebody who has been told what this is, and whom we don't understand either now."""
    return Refused(
        "We still don't understand what you want.",
        fits=" ".join((*wish.supposed, wording.human(admin=bool(request.server.admin)))),
        meant=tuple(dict.fromkeys((*wish.lines, *HELPFUL)))[: len(HELPFUL)],
        wish=True,
        gist=INSISTS,
    )


def introduce(request: Request, reply: Reply, parsed: ParsedMessage, left: AnswersLeft | None, wish: Reading) -> Reply:
    """Return the reply that says what this is, and how to join; raise Unanswerable where it was said often enough.

    A `yes` in answer to it joins, under that name or another; the rest of what they had asked for is repeated, and
    waits for the name. Somebody with an open invitation is told of that instead. The reply goes to the invited address
    and carries a token of the match, as the invitation did, so that a plain `yes` in answer to it accepts.
    """
    if not request.sender.is_stranger:
        name, rest = full_name(request, parsed), wish.lines or _rest_of_first(request, request.message)
        wants_name = name is not None
    else:
        check_left(left)
        told = rate_limits.times(request.session, request.sender, INTRODUCTION, rate_limits.MONTH, request.now)
        if len(told) >= MOST_INTRODUCTIONS or any(request.now - time < rate_limits.DAY for time in told):
            raise Unanswerable(Silence.STRANGER_WAS_INTRODUCED)
        reply = replace(reply, gist=INTRODUCTION, verdict=Verdict(Outcome.INTRODUCED))
        if (waiting := invitation_to(request)) is not None:
            return replace(reply.adding(InvitationWaiting(match=waiting.id or 0)), match=waiting.id)
        name, rest = None, tuple(line.text for line in waiting_lines(request, parsed, wish))
        wants_name = bool(rest) or wish.wants("join", "my_name") or _wants_to_join(request, parsed)
    name = name or suggested_name(request.sender.address, request.features)
    section = Introduction(
        name=name,
        wants_name=wants_name,
        sentence=wish.sentence,
        answers=() if wish.wants("join", "how_works") else wish.notes,
        rest=rest[:MOST_KEPT],
        house=request.house.enabled,
        games=titles(),
        language=meaning.language_of(request),
    )
    proposal = "\n".join((f"join {name or ''}".strip(), *rest[:MOST_KEPT])) if name or rest else None
    return replace(reply.adding(section), verdict=Verdict(Outcome.INTRODUCED), proposal=proposal)


def waiting_lines(request: Request, parsed: ParsedMessage, wish: Reading) -> tuple[Line, ...]:
    """Return the lines that wait for a name: those of sentences, or those written, but no free text: it is repeated."""
    if wish.lines:
        return meaning.read_ours(request, wish.lines).commands
    written = meaning.read(request, request.message).commands
    ours = (line for line in written if not line.malformed and not line.command.grammar.is_free)
    changing = (line for line in ours if line.command.changes)
    return tuple(line for line in changing if not _is_of_now(line.command))


def check_left(left: AnswersLeft | None) -> None:
    """Raise Unanswerable if half of the answers of today are used: the others are for those who know what they want."""
    if left is not None and left.is_half_used:
        raise Unanswerable(Silence.DAILY_ANSWERS_TO_STRANGERS)


def name_alone(request: Request, parsed: ParsedMessage) -> bool:
    """Return whether somebody has answered us with the names of a person alone, or joins by what can't be a name."""
    joins = (line for line in parsed.commands if line.command.newcomer.rank == 1)
    is_no_name = any(len(line.words.split()) == 1 and not NAME.fullmatch(line.words.lower()) for line in joins)
    return is_no_name or (not request.sender.is_stranger and full_name(request, parsed) is not None)


def _named(request: Request, message: Message, parsed: ParsedMessage) -> ParsedMessage:
    """Return the message as one that joins, if all that a newcomer writes in answer to us is their name.

    What else they had asked for is in the message that is answered, and follows.
    """
    written = parsed.first.strip().rstrip(".!")
    name = (person_names.own_name(written) or written).lower()
    is_word = name in words_in_use(request.features) or name in phrases.stop_words() or yes_or_no.says_only(name)
    if is_word or not NAME.fullmatch(name):
        return parsed
    joins = request.commands.joining
    rest = meaning.read_ours(request, _rest_of_first(request, message)).commands
    return replace(parsed, commands=(Line(joins, name, None, f"{joins.name} {name}"), *rest), words=())


def _rest_of_first(request: Request, message: Message) -> tuple[str, ...]:
    answered = meaning.answered_message(request.session, message, request.sender)
    return tuple((answered.proposal or "").split("\n")[1:]) if answered is not None else ()


def full_name(request: Request, parsed: ParsedMessage) -> str | None:
    """Return the name that a `yes` takes where a newcomer has answered with the names of a person; None elsewhere."""
    said = parsed.first.strip().rstrip(".!").split()
    is_name = 1 < len(said) <= MOST_NAMES and all(word.isalpha() and word.istitle() for word in said)
    name = said[0].lower() if is_name else ""
    return name if NAME.fullmatch(name) and name not in words_in_use(request.features) else None


def _joining_first(parsed: ParsedMessage) -> ParsedMessage:
    return replace(parsed, commands=_by_rank(parsed.commands))


def _by_rank(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    return tuple(sorted(lines, key=lambda line: line.command.newcomer.rank or sys.maxsize))


def invitation_to(request: Request) -> Match | None:
    guest = request.sender.player
    if guest is None:
        return None
    return next(iter(queries.challenges_to(request.session, guest, 1)), None)


def _wants_to_join(request: Request, parsed: ParsedMessage) -> bool:
    """Return whether a message that gives no usable name asks to join nevertheless, perhaps in its Subject."""
    joins = request.commands.joining
    opening = (text.split()[0].lower().strip(".:!") for text in (parsed.first, parsed.subject) if text.split())
    return not {joins.name, *joins.aliases}.isdisjoint(opening)
