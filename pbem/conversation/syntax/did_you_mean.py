"""Refusals of lines that aren't commands, with what was probably meant. Nothing is carried out without asking."""

from notation.games import GAMES, GameMissing
from notation.resemblance import resembling
from pbem.conversation.core import Line, Request
from pbem.conversation.refusals import not_a_command, not_there
from pbem.conversation.syntax import rognlie, slots
from pbem.conversation.syntax.commands import Commands
from pbem.conversation.syntax.grammar import GAME, TURN
from pbem.conversation.syntax.line import LineReader
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.conversation.target import is_to_move
from pbem.errors import Refused, Unread
from pbem.mail.reading.text.normalize import to_ascii
from pbem.matches import turns
from pbem.matches.queries import pack_of
from pbem.matches.snapshot import Snapshot, snapshot_of
from pbem.matches.turns import SET_UP
from pbem.players.rate_limits import NO_COMMAND
from pbem.storage.models import Match, MatchState

SHOWN, FEW_WORDS = 60, 3


def before_sentences(request: Request, parsed: ParsedMessage) -> tuple[Refused | None, bool]:
    """Return what a message without commands means as a turn or a misspelt command; and whether that is a mere guess.

    None where it isn't a line at all.
    """
    refusal = _unreadable(request, parsed) or _as_turn(request, parsed)
    guess = parsed.guess
    if refusal is None and guess is not None and not (guess.command.grammar.has(TURN) or guess.command.grammar.is_kept):
        names_game = guess.command.grammar.has(GAME) and any(word in GAMES for word in guess.words.lower().split())
        is_vague = len(parsed.first.split()) > FEW_WORDS and not names_game
        return _finished(not_a_command(parsed.first, guess), parsed), is_vague
    return (_finished(refusal, parsed) if refusal is not None else None), False


def _unreadable(request: Request, parsed: ParsedMessage) -> Refused | None:
    match = _about(request)
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
    return rognlie.advice(parsed.first, match.game if match else None)


def _as_turn(request: Request, parsed: ParsedMessage) -> Refused | None:
    guess, said, match = parsed.guess, parsed.first, _about(request)
    if guess is not None and guess.command.grammar.has(TURN):
        said, match = guess.words, request.session.get(Match, guess.match) if guess.match else None
    elif guess is None and parsed.overlooked:
        said = parsed.overlooked[0]
    if match is None:
        return None
    return _turn_suggested(request, match, said) or _set_up_expected(request, match, said)


def nothing_found(request: Request, parsed: ParsedMessage) -> Refused:
    return _finished(_nothing_found(parsed.first, _about(request), request.commands), parsed)


def _about(request: Request) -> Match | None:
    return request.session.get(Match, request.sender.match) if request.sender.match else None


def _finished(refusal: Refused, parsed: ParsedMessage) -> Refused:
    refusal.unsent = parsed.prose if refusal.proposal else ()
    refusal.gist = refusal.gist or (None if refusal.meant else NO_COMMAND)
    return refusal


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
    if respelt.split() != line.text.split():
        refusal.meant, refusal.proposal = (respelt,), respelt


KEYS = str.maketrans("фисвуапршолд", "abcdefghijkl")
"""The keys of letters on a Russian keyboard, where a turn was meant."""


def _turn_suggested(request: Request, match: Match, text: str) -> Refused | None:
    """Return the refusal that suggests the turns which a text names: "Ich ziehe von d2 nach d1"; none if negated."""
    if not is_to_move(request, match) or slots.is_negated(text):
        return None
    snapshot = snapshot_of(request.session, match)
    held = LineReader(request.commands, lambda _: snapshot.pack, match.id).held_turn(to_ascii(text))
    meant = turns_meant(snapshot, text) or (_resembling(snapshot, held) if held else ())
    if not meant:
        return None
    return with_turns(Refused("We can't read this as a turn.", read=text[:SHOWN], match=match.id), meant)


def turns_meant(snapshot: Snapshot, text: str) -> tuple[str, ...]:
    """Return the legal turns that a text resembles, or whose squares it names two by two."""
    latin = text.lower().translate(KEYS)
    cells = slots.cells_in(latin)
    pairs = ("".join(cells[at : at + 2]) for at in range(0, len(cells) - 1, 2))
    whole = _resembling(snapshot, text) or (_resembling(snapshot, latin) if latin != text.lower() else ())
    return whole or tuple(dict.fromkeys(turn for pair in pairs for turn in _resembling(snapshot, pair)))


def _set_up_expected(request: Request, match: Match, text: str) -> Refused | None:
    if not is_to_move(request, match) or not SET_UP.match(text):
        return None
    snapshot = snapshot_of(request.session, match)
    hint = snapshot.notation.hint(snapshot.position)
    if hint is None or not hint.sets_up:
        return None
    sentence, fits = "We can't read this as a set-up.", f'For example "{hint.example}".'
    return Refused(sentence, read=text[:SHOWN], fits=fits, match=match.id)


def _resembling(snapshot: Snapshot, text: str) -> tuple[str, ...]:
    notation = snapshot.notation
    set_up = turns.set_up_in(notation, snapshot.position, text)
    return (set_up,) if set_up is not None else resembling(notation, snapshot.position, text)


def with_turns(refusal: Refused, meant: tuple[str, ...]) -> Refused:
    refusal.meant = meant
    refusal.proposal = f"#{refusal.match} {meant[0]}" if len(meant) == 1 else None
    return refusal


def _nothing_found(said: str, match: Match | None, commands: Commands) -> Refused:
    if match is not None and match.state == MatchState.OFFERED:
        return Refused(
            "We found no command in your message.",
            read=said[:SHOWN],
            fits=f'"rules {match.game}" sends the rules, and "help" explains the rest.',
            match=match.id,
        )
    word = said.split()[0]
    command = commands.named(word.strip(".,:;!?"))
    if command is not None and len(said.split()) == 1:
        return Refused(f'"{command.name}" needs more than that.', read=said[:SHOWN], fits=command.advice)
    if match is not None:
        return Refused(
            "We found neither a turn nor a command in your message.",
            read=said[:SHOWN],
            at=0,
            width=len(word[:SHOWN]),
            fits='To write to your opponent, start the line with "say". "show" sends the board with what you can play, '
            'and "help" lists all commands.',
            match=match.id,
        )
    if len(said.split()) > FEW_WORDS:
        return Refused(
            "We found no command in your message.",
            read=said[:SHOWN],
            fits='"games" lists your matches, "play quadrupel" begins one with the house, and "help" lists everything.',
        )
    return Refused(
        f'We don\'t know the command "{word[:30]}".',
        read=said[:SHOWN],
        at=0,
        width=len(word[:SHOWN]),
        fits='"help" lists the commands. To name a match, write "#42 TURN".',
    )
