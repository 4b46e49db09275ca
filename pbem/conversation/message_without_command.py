"""Refusals of lines that aren't commands, with what was probably meant. Nothing is carried out without asking."""

from notation.games import GAMES, GameMissing
from pbem.conversation.command import Commands, Line, Request
from pbem.conversation.refusals import not_a_command, not_there
from pbem.conversation.syntax.arguments import GAME, TURN
from pbem.conversation.syntax.line import LineReader
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.conversation.syntax.prose import is_greeting
from pbem.conversation.turns_in_prose import FEW_WORDS, SHOWN, refusal_with_turns
from pbem.errors import Refused, Unread
from pbem.matches.queries import pack_of
from pbem.players.message_budgets import NO_COMMAND
from pbem.storage.models import Match, MatchState

TURNS_OF_SOME = ("pass", "swap")  # what is a turn in some games


def line_meant(request: Request, parsed: ParsedMessage) -> Refused | None:
    """Return what a message without commands means as a turn or a misspelt command; None if it may be sentences."""
    match = _about(request)
    found = _unreadable(request, parsed, match) or refusal_with_turns(request, parsed, match) or _misspelt(parsed)
    return found and _finished(found, parsed)


def nothing_found(request: Request, parsed: ParsedMessage) -> Refused:
    found = _misspelt(parsed, may_be_sentence=True) or _nothing_found(parsed.first, _about(request), request.commands)
    return _finished(found, parsed)


def _misspelt(parsed: ParsedMessage, *, may_be_sentence: bool = False) -> Refused | None:
    guess = parsed.guess
    if guess is None or is_greeting(parsed.first) or guess.command.grammar.has(TURN) or guess.command.grammar.is_kept:
        return None
    names_game = guess.command.grammar.has(GAME) and any(word in GAMES for word in guess.words.lower().split())
    is_clear = names_game or may_be_sentence or len(parsed.first.split()) <= FEW_WORDS
    return not_a_command(parsed.first, guess) if is_clear else None


def _about(request: Request) -> Match | None:
    return request.session.get(Match, request.sender.match) if request.sender.match else None


def _finished(refusal: Refused, parsed: ParsedMessage) -> Refused:
    refusal.unsent = parsed.prose if refusal.proposal else ()
    refusal.gist = refusal.gist or (None if refusal.meant else NO_COMMAND)
    return refusal


def _unreadable(request: Request, parsed: ParsedMessage, match: Match | None) -> Refused | None:
    if (hidden := request.message.hidden) is not None:
        return Unread(hidden.value, hidden.value, hidden.way_out)
    if not parsed.first:
        return Refused(
            "Your message has no text of your own (quotes and signatures don't count).",
            fits="Write a command at the top of your message.",
            match=match.id if match else None,
        )
    if match is not None and match.to_move is not None:
        try:
            pack_of(match)
        except GameMissing as missing:
            return not_there(missing, match)
    if parsed.doubtful is not None:
        return _doubted(parsed.doubtful, match)
    if match is not None and parsed.first.strip(" .!").lower() in TURNS_OF_SOME:
        sentence, fits = f"That isn't a turn of {GAMES.title(match.game)}.", f'"help {match.game}" explains its turns.'
        return Refused(sentence, read=parsed.first[:SHOWN], fits=fits, match=match.id)
    return None


def _doubted(line: Line, match: Match | None) -> Refused:
    return Refused(
        "This may be quoted, or one of your words, so nothing was done.",
        read=line.text[:SHOWN],
        meant=(line.text,),
        proposal=line.text if line.match is None or line.text.startswith("#") else f"#{line.match} {line.text}",
        match=match.id if match else None,
    )


def add_spelling(request: Request, line: Line, refusal: Refused) -> None:
    if refusal.meant or not line.command.grammar.has(GAME):
        return
    respelt = LineReader(request.commands, lambda _: None, line.match).respelt(line.text)
    if respelt.lower().split() != line.text.lower().split():
        refusal.meant, refusal.proposal = (respelt,), respelt


def _nothing_found(said: str, match: Match | None, commands: Commands) -> Refused:
    word, *others = said.split()
    command, at, sentence = commands.named(word.strip(".,:;!?")), None, "We found no command in your message."
    if match is not None and match.state == MatchState.OFFERED:
        fits = f'"rules {match.game}" sends the rules, and "help" explains the rest.'
    elif command is not None and not others:
        sentence, fits, match = f'"{command.name}" needs more than that.', command.advice, None
    elif match is not None:
        sentence, at = "We found neither a turn nor a command in your message.", 0
        fits = (
            'To write to your opponent, start the line with "say". "show" sends the board with what you can play, and'
            ' "help" lists all commands.'
        )
    elif len(others) >= FEW_WORDS:
        fits = '"games" lists your matches, "play quadrupel" begins one with the house, and "help" lists everything.'
    else:
        sentence, at = f'We don\'t know the command "{word[:30]}".', 0
        fits = '"help" lists the commands. To name a match, write "#42 TURN".'
    about = match.id if match else None
    return Refused(sentence, read=said[:SHOWN], at=at, width=len(word[:SHOWN]), fits=fits, match=about)
