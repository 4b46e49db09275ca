"""Refusals of lines that aren't commands, with what was probably meant. Nothing is carried out without asking."""

import re

from notation.games import GAMES, GameMissing
from notation.resemblance import resembling
from pbem.conversation import meaning
from pbem.conversation.command import Line, Request
from pbem.conversation.match_of_line import is_to_move
from pbem.conversation.refusals import not_a_command, not_there
from pbem.conversation.syntax import names_in_sentences, rognlie, sentence_entities
from pbem.conversation.syntax.arguments import GAME, TURN
from pbem.conversation.syntax.command_table import Commands
from pbem.conversation.syntax.line import LineReader
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.conversation.syntax.prose_or_turn import cells
from pbem.conversation.syntax.sentence_entities import CONDITION_CELLS, IF, cells_in, is_doubted, is_negated
from pbem.conversation.syntax.suggested_commands import Reading
from pbem.errors import Refused, Unread
from pbem.mail.reading.text.normalize import to_ascii
from pbem.matches import turn_parsing
from pbem.matches.queries import of_player, opponent_of, pack_of, people_of
from pbem.matches.replayed_match import Snapshot, snapshot_of
from pbem.matches.turn_parsing import SET_UP
from pbem.players.message_budgets import NO_COMMAND
from pbem.storage.models import Match, MatchState

SHOWN, FEW_WORDS = 60, 3


def before_sentences(request: Request, parsed: ParsedMessage) -> tuple[Refused | None, bool]:
    """Return what a message without commands means as a turn or a misspelt command; and whether that is a mere guess.

    None where it isn't a line at all.
    """
    match, guess, is_vague = _about(request), parsed.guess, False
    refusal = _unreadable(request, parsed, match) or _as_turn(request, parsed, match)
    if refusal is None and guess is not None and not (guess.command.grammar.has(TURN) or guess.command.grammar.is_kept):
        names_game = guess.command.grammar.has(GAME) and any(word in GAMES for word in guess.words.lower().split())
        is_vague = len(parsed.first.split()) > FEW_WORDS and not names_game
        refusal = not_a_command(parsed.first, guess)
    return (_finished(refusal, parsed) if refusal is not None else None), is_vague


def nothing_found(request: Request, parsed: ParsedMessage) -> Refused:
    return _finished(_nothing_found(parsed.first, _about(request), request.commands), parsed)


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
    return rognlie.turn_of_some(parsed.first, match.game if match else None)


def _match_with(request: Request, said: str) -> Match | None:
    """Return the running match whose opponent a text names, if it is one: "in the game with Tom: e3f4"."""
    player = request.sender.player
    names = {names_in_sentences.as_name(word) for word in sentence_entities.words_of(said)}
    if player is None or not request.sender.proven:
        return None
    running = of_player(request.session, player, (MatchState.RUNNING,))
    people = people_of(request.session, running)
    found = [match for match in running if people[opponent_of(match, player)].name in names]
    return found[0] if len(found) == 1 else None


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
JUMP = 3  # how many squares a jump names: where it begins, what it jumps over, and where it ends
_PART = re.compile(r"(?<=[.!?;])\s+|,\s+")


def _as_turn(request: Request, parsed: ParsedMessage, match: Match | None) -> Refused | None:
    """Return the refusal that suggests the turns which a text names: "Ich ziehe von d2 nach d1"; none that it rejects.

    What it only asks about, or would play in some case, isn't offered for a yes.
    """
    guess, said = parsed.guess, parsed.first
    if guess is not None and guess.command.grammar.has(TURN):
        said, match = guess.words, request.session.get(Match, guess.match) if guess.match else None
    elif guess is None and parsed.overlooked:
        said = parsed.overlooked[0]
    match = _match_with(request, said) or match
    if match is None or not is_to_move(request, match):
        return None
    snapshot = snapshot_of(request.session, match)
    now, condition = _without_condition(said)
    parts = _PART.split(now)
    meant = _turns_in(request, snapshot, [part for part in parts if not is_doubted(part) and "?" not in part])
    if len(named := cells_in(now)) >= CONDITION_CELLS and cells(" ".join(meant)) < len(named):
        meant = ()  # there is more in it than these: a turn of the opponent, perhaps
    asked = () if meant else _turns_in(request, snapshot, [part for part in parts if not is_negated(part)])
    if len(meant) == 1 and (refusal := _with_more(request, parsed, snapshot, meant[0], condition)):
        return refusal
    if meant or asked:
        return with_turns(Refused("We can't read this as a turn.", read=said[:SHOWN], match=match.id), meant, asked)
    hint = snapshot.notation.hint(snapshot.position) if SET_UP.match(said) else None
    if hint is None or not hint.sets_up:
        return None
    fits = f'For example "{hint.example}".'
    return Refused("We can't read this as a set-up.", read=said[:SHOWN], fits=fits, match=match.id)


def _without_condition(said: str) -> tuple[str, str]:
    """Return what a text says before the "if" that two turns follow, and these; the text where there is none."""
    for found in IF.finditer(said):
        if cells_in(said[: found.start()]) and len(cells_in(said[found.end() :])) == CONDITION_CELLS:
            return said[: found.start()], said[found.end() :]
    return said, ""


SAID_BY_TURN = frozenset({"chat", "agree", "refuse", "undo", "moves", "write_move"})
"""What a turn says already, or what can't be told apart from it."""


def _with_more(
    request: Request, parsed: ParsedMessage, snapshot: Snapshot, turn: str, condition: str
) -> Refused | None:
    """Return the refusal that suggests a turn and what a text wants beside it; None if that is nothing."""
    number, more = snapshot.match.id, _beside(request, parsed, snapshot, turn, condition)
    wish = meaning.understood(request, map(sentence_entities.without_cells, (parsed.first, *parsed.prose)))
    if any(each.risky or each.name in SAID_BY_TURN for each in wish.wishes):
        wish = Reading()
    if not (more or wish.wishes):
        return None
    also = (f"and to {wish.sentence}",) if wish.lines else ()
    sentence = f"You want to play {', '.join((turn, *(means for _, means in more), *also))}."
    lines = (f"#{number} {turn}", *(f"#{number} {line}" for line, _ in more), *wish.lines)
    notes, proposal = " ".join(wish.notes), "\n".join(lines)
    return Refused(sentence, fits=notes, match=number, meant=lines, proposal=proposal, wish=True)


def _beside(
    request: Request, parsed: ParsedMessage, snapshot: Snapshot, turn: str, condition: str
) -> list[tuple[str, str]]:
    """Return the condition and the words to pass on that a text has beside a turn: lines, with how we say them."""
    found = []
    notation, match, player = snapshot.notation, snapshot.match, request.sender.player
    first = turn_parsing.after(notation, snapshot.position, turn)
    named = cells_in(condition)
    theirs = resembling(notation, first, "".join(named[:2])) if first is not None and named else ()
    second = turn_parsing.after(notation, first, theirs[0]) if first is not None and len(theirs) == 1 else None
    ours = resembling(notation, second, "".join(named[2:])) if second is not None else ()
    if len(ours) == 1:
        found.append((f"if {theirs[0]} then {ours[0]}", f"and if {theirs[0]} then {ours[0]}"))
    name = people_of(request.session, [match])[opponent_of(match, player)].name if player else ""
    if (
        match.level is None
        and name
        and (told := names_in_sentences.told(" ".join((parsed.first, *parsed.prose)), name))
    ):
        found.append((f"say {told}", f"and to write to {name}"))
    return found


def _turns_in(request: Request, snapshot: Snapshot, parts: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(turn for part in parts for turn in _turns_of(request, snapshot, part)))


def _turns_of(request: Request, snapshot: Snapshot, text: str) -> tuple[str, ...]:
    words = (word.strip(".,:;!?()") for word in to_ascii(text).lower().split())
    squares = [word for word in words if any(map(str.isdecimal, word))]
    is_prose = len(text.split()) > FEW_WORDS  # in which a bare number is no turn: "up 2 nights"
    likely = (word for word in squares if not (is_prose and word.isdecimal()))
    named = tuple(word for word in likely if turn_parsing.after(snapshot.notation, snapshot.position, word) is not None)
    if named and len(squares) < len(text.split()):
        return named
    held = LineReader(request.commands, lambda _: snapshot.pack, snapshot.match.id).held_turn(to_ascii(text))
    return turns_meant(snapshot, text) or (_resembling(snapshot, held) if held else ())


def turns_meant(snapshot: Snapshot, text: str) -> tuple[str, ...]:
    """Return the legal turns that a text resembles, or whose squares it names two by two."""
    latin = text.lower().translate(KEYS)
    named = cells_in(latin)
    if len(named) == JUMP:
        return _resembling(snapshot, f"{named[0]}{named[2]}")
    pairs = ("".join(named[at : at + 2]) for at in range(0, len(named) - 1, 2))
    whole = _resembling(snapshot, text) or (_resembling(snapshot, latin) if latin != text.lower() else ())
    return whole or tuple(dict.fromkeys(turn for pair in pairs for turn in _resembling(snapshot, pair)))


def _resembling(snapshot: Snapshot, text: str) -> tuple[str, ...]:
    notation = snapshot.notation
    set_up = turn_parsing.set_up_in(notation, snapshot.position, text)
    return (set_up,) if set_up is not None else resembling(notation, snapshot.position, text)


def with_turns(refusal: Refused, meant: tuple[str, ...], asked: tuple[str, ...] = ()) -> Refused:
    refusal.meant = meant or asked
    refusal.proposal = f"#{refusal.match} {meant[0]}" if len(meant) == 1 else None
    return refusal


def _nothing_found(said: str, match: Match | None, commands: Commands) -> Refused:
    word, *others = said.split()
    command = commands.named(word.strip(".,:;!?"))
    if command is not None and not others and (match is None or match.state != MatchState.OFFERED):
        return Refused(f'"{command.name}" needs more than that.', read=said[:SHOWN], fits=command.advice)
    sentence = "We found no command in your message."
    if match is not None and match.state == MatchState.OFFERED:
        fits = f'"rules {match.game}" sends the rules, and "help" explains the rest.'
        return Refused(sentence, read=said[:SHOWN], fits=fits, match=match.id)
    if match is None and len(others) >= FEW_WORDS:
        fits = '"games" lists your matches, "play quadrupel" begins one with the house, and "help" lists everything.'
        return Refused(sentence, read=said[:SHOWN], fits=fits)
    sentence = f'We don\'t know the command "{word[:30]}".'
    fits = '"help" lists the commands. To name a match, write "#42 TURN".'
    if match is not None:
        sentence = "We found neither a turn nor a command in your message."
        fits = (
            'To write to your opponent, start the line with "say". "show" sends the board with what you can play, and'
            ' "help" lists all commands.'
        )
    about = match.id if match else None
    return Refused(sentence, read=said[:SHOWN], at=0, width=len(word[:SHOWN]), fits=fits, match=about)
