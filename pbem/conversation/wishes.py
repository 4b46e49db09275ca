"""What becomes of a message in plain sentences: it is answered, shown, asked about or suggested, and never acts.

A newcomer is asked whether the lines in our words were meant; so is a player, where they would end something. What only
looks is shown to a player at once.
"""

from dataclasses import replace

from pbem.conversation import answers, confirmations, execute, reading, strangers
from pbem.conversation.core import Request
from pbem.conversation.reply import Reply, refused
from pbem.conversation.syntax import did_you_mean, wording
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.conversation.syntax.wording import Reading
from pbem.errors import Refused, Silence, Unanswerable
from pbem.players import rate_limits
from pbem.players.rate_limits import AnswersLeft

TO_START = (
    'To start, reply "play quadrupel", and you have a match with a program at once; or "join NAME", with a name of '
    "your own, to play people."
)
INSISTS = f"{rate_limits.ONCE}insists"
"""The gist of the second answer to a stranger who is told what this is, and writes again."""
DECLINES = "I decline the invitation."
"""What a bare no of somebody who is no player says."""
HELPFUL = ("help", "play quadrupel", "rules quadrupel")


# Newcomers -------------------------------------------------------------------------------


def of_newcomer(request: Request, reply: Reply, parsed: ParsedMessage, left: AnswersLeft | None) -> Reply:
    """Return the answer to somebody who is no player: what they want, in our words; or what this is.

    Raise Refused or Unanswerable.
    """
    has_commands = bool(strangers.waiting_lines(request, parsed, Reading()))
    if has_commands or strangers.name_alone(request, parsed) or strangers.invitation_to(request) is not None:
        return strangers.introduce(request, reply, parsed, left, Reading())
    wish = reading.wishes_in(request)
    if not wish.wishes and answers.answer(request.message.certain) is answers.Answer.NO:
        wish = reading.understood(request, (DECLINES,))
    lines = reading.read_lines(request, request.message, wish.lines).commands if wish.lines else ()
    shown = reading.read_lines(request, request.message, (wish.look,)).commands if wish.look and not lines else ()
    if not (lines and lines[0].command.newcomer.rank):
        strangers.check_left(left)
    if lines and lines[0].command.newcomer.line is not None:
        only = lines[0].command.newcomer.line(request, lines[0])  # may say why it can't be
        if only is not None and only.command.changes:
            asked = ParsedMessage(commands=(only, *lines[1:]), words=(), first="")
            return confirmations.hold(request, reply, asked, wish=wish)
        if only is not None:
            return execute.execute(request, reply, ParsedMessage(commands=(only,), words=(), first=""))
    if shown and (looks := shown[0].command.newcomer.line) and (only := looks(request, shown[0])) is not None:
        return execute.execute(request, reply, ParsedMessage(commands=(only,), words=(), first=""))
    is_question = bool(wish.answers) and not lines and not wish.wants("join", "my_name", "how_works", "games")
    if is_question:
        return refused(request, reply, _answer(wish, *(() if any(each.quiet for each in wish.wishes) else (TO_START,))))
    try:
        return strangers.introduce(request, reply, parsed, left, wish)
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
    likely = tuple(dict.fromkeys((*wish.lines, *wish.maybe, *HELPFUL)))[: wording.MOST_MAYBE]
    return Refused(
        "We still don't understand what you want.",
        fits=wording.human(admin=bool(request.server.admin)),
        meant=likely,
        wish=True,
        gist=INSISTS,
    )


# Players ---------------------------------------------------------------------------------


def of_player(request: Request, reply: Reply, parsed: ParsedMessage) -> Reply:
    """Return the answer to a message without commands of a player, or of somebody who is invited; or raise Refused."""
    refusal, is_guess = did_you_mean.before_sentences(request, parsed)
    wish = Reading() if refusal and not is_guess else reading.understood(request, (parsed.first, *parsed.prose))
    if refusal is not None and not wish.wishes:
        raise refusal
    return _told(request, reply, wish) if wish.wishes else refused(request, reply, _unclear(request, parsed, wish))


def _told(request: Request, reply: Reply, wish: Reading) -> Reply:
    lines = reading.read_lines(request, request.message, wish.lines).commands if wish.lines else ()
    if any(line.ends(request) for line in lines) and request.sender.proven:
        return confirmations.hold(request, reply, ParsedMessage(commands=lines, words=(), first=""), wish=wish)
    if wish.look and not lines and request.sender.proven and request.sender.is_player and len(wish.wishes) == 1:
        shown = reading.read_lines(request, request.message, (wish.look,))
        return execute.execute(request, reply, replace(shown, words=()))
    return refused(request, reply, wording.suggestion(wish))


def _unclear(request: Request, parsed: ParsedMessage, wish: Reading) -> Refused:
    refusal = did_you_mean.nothing_found(request, parsed)
    if wish.maybe and not refusal.meant:
        refusal.meant = wish.maybe
        refusal.fits = f"{refusal.fits} {wording.human(admin=True)}" if request.server.admin else refusal.fits
    return refusal
