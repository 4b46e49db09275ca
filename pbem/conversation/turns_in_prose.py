"""Turns in the sentences of a message, with what goes with them: conditions, and words for the opponent."""

import re
from collections.abc import Sequence

from notation.resemblance import resembling
from pbem.conversation import meaning
from pbem.conversation.command import Request
from pbem.conversation.syntax import names_in_sentences, sentence_entities, vocabulary
from pbem.conversation.syntax.arguments import TURN
from pbem.conversation.syntax.commands_for_wishes import Reading
from pbem.conversation.syntax.line import LineReader
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.conversation.syntax.prose import cells
from pbem.conversation.syntax.sentence_entities import CONDITION_CELLS, KEYS, cells_in, is_doubted, is_negated
from pbem.errors import Refused
from pbem.mail.reading.text.normalize import to_ascii
from pbem.matches import turn_parsing
from pbem.matches.queries import is_to_move
from pbem.matches.replayed_match import Snapshot, snapshot_of
from pbem.matches.turn_parsing import SET_UP
from pbem.storage.models import Match

SHOWN, FEW_WORDS = 60, 3  # how much of a line is shown, and how many words are too few for a sentence
PAIR = 2  # of so many squares, both stand in the turn that is meant
JUMP = 3  # how many squares a jump names: where it begins, what it jumps over, and where it ends
_PART = re.compile(r"(?<=[.!?;])\s+|,\s+")


def refusal_with_turns(request: Request, parsed: ParsedMessage, match: Match | None) -> Refused | None:
    """Return the refusal that suggests the turns which a text names: "Ich ziehe von d2 nach d1"; none that it rejects.

    What it only asks about, or would play in some case, isn't offered for a yes.
    """
    guess, said = parsed.guess, parsed.first
    if guess is not None and guess.command.grammar.has(TURN):
        said, match = guess.words, request.session.get(Match, guess.match) if guess.match else None
    elif guess is None and parsed.overlooked:
        said = parsed.overlooked[0]
    if match is None and request.sender.proven:
        match = request.session.get(Match, meaning.place_of(request).match)
    if match is None or not is_to_move(match, request.sender.player):
        return None
    snapshot, said = snapshot_of(request.session, match), sentence_entities.without_rejected(said)
    whole = meaning.understood(request, (parsed.first, *parsed.prose))
    if whole.wants("preview") or (whole.wants("condition") and not whole.wants("turn_words")):
        return None
    now, condition = _without_condition(said)
    parts = _PART.split(now)
    turns = {part: _turns_of(request, snapshot, part) for part in parts}
    firm = [part for part in parts if not is_doubted(part) and "?" not in part]
    meant = tuple(dict.fromkeys(turn for part in firm for turn in turns[part]))
    if len(named := cells_in(now)) >= CONDITION_CELLS and cells(" ".join(meant)) < len(named):
        meant = ()  # there is more in it than these: a turn of the opponent, perhaps
    likely = [part for part in parts if not (meant or is_negated(part))]
    asked = tuple(dict.fromkeys(turn for part in likely for turn in turns[part]))
    if len(meant) == 1 and (refusal := _with_more(request, parsed, snapshot, meant[0], condition)):
        return refusal
    if meant or asked:
        return with_turns(Refused("We can't read this as a turn.", read=said[:SHOWN], match=match.id), meant, asked)
    hint = snapshot.notation.hint(snapshot.position) if SET_UP.match(said) else None
    if hint is None or not hint.sets_up:
        return None
    sentence, example = "We can't read this as a set-up.", f'For example "{hint.example}".'
    return Refused(sentence, read=said[:SHOWN], fits=example, match=match.id)


def _without_condition(said: str) -> tuple[str, str]:
    """Return what a text says before the "if" that two turns follow, and these; the text where there is none."""
    for found in vocabulary.pattern("if").finditer(said):
        if cells_in(said[: found.start()]) and len(cells_in(said[found.end() :])) == CONDITION_CELLS:
            return said[: found.start()], said[found.end() :]
    return said, ""


def _with_more(
    request: Request, parsed: ParsedMessage, snapshot: Snapshot, turn: str, condition: str
) -> Refused | None:
    """Return the refusal that suggests a turn and what a text wants beside it; None if that is nothing."""
    number, said, place = snapshot.match.id, (parsed.first, *parsed.prose), meaning.place_of(request)
    lines, means = [turn], [f"play {turn}"]
    if prepared := _prepared(snapshot, turn, cells_in(condition)):
        lines, means = [*lines, prepared], [*means, f"and {prepared}"]
    is_passed_on = place.rival and place.level is None
    if is_passed_on and (told := names_in_sentences.words_for(" ".join(said), place.rival)):
        lines, means = [*lines, f"say {told}"], [*means, f"and to write to {place.rival}"]
    wish = meaning.understood(request, map(sentence_entities.without_cells, said))
    if any(each.risky or each.name in vocabulary.group("said_by_turn") for each in wish.wishes):
        wish = Reading()
    if len(lines) == 1 and not wish.wishes:
        return None
    means += [f"and to {wish.sentence}"] * bool(wish.lines)
    meant = (*(f"#{number} {line}" for line in lines), *wish.lines)
    sentence, notes = f"You want to {', '.join(means)}.", " ".join(wish.notes)
    return Refused(sentence, fits=notes, match=number, meant=meant, proposal="\n".join(meant), wish=True)


def _prepared(snapshot: Snapshot, turn: str, named: Sequence[str]) -> str:
    """Return the condition behind a turn whose squares are named; empty where it isn't the one legal reading."""
    played = [turn]
    position = turn_parsing.after(snapshot.notation, snapshot.position, turn)
    for squares in zip(named[::2], named[1::2], strict=True):
        found = resembling(snapshot.notation, position, "".join(squares)) if position is not None else ()
        position = turn_parsing.after(snapshot.notation, position, found[0]) if position and len(found) == 1 else None
        played += found
    return f"if {played[1]} then {played[2]}" if position is not None and len(played) > 1 else ""


def _turns_of(request: Request, snapshot: Snapshot, text: str) -> tuple[str, ...]:
    words = (word.strip(".,:;!?()") for word in to_ascii(text).lower().split())
    numbered = [word for word in words if any(map(str.isdecimal, word))]
    is_prose = len(text.split()) > FEW_WORDS  # in which a bare number is no turn: "up 2 nights"
    likely = (word for word in numbered if not (is_prose and word.isdecimal()))
    named = tuple(word for word in likely if turn_parsing.after(snapshot.notation, snapshot.position, word) is not None)
    if named and len(numbered) < len(text.split()):
        return named
    held = LineReader(request.commands, lambda _: snapshot.pack, snapshot.match.id).held_turn(to_ascii(text))
    meant = turns_meant(snapshot, text) or (_resembling(snapshot, held) if held else ())
    squares = cells_in(text.lower().translate(KEYS))
    return tuple(turn for turn in meant if len(squares) != PAIR or all(square in turn for square in squares))


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
    set_up = turn_parsing.set_up_in(snapshot.notation, snapshot.position, text)
    return (set_up,) if set_up is not None else resembling(snapshot.notation, snapshot.position, text)


def with_turns(refusal: Refused, meant: tuple[str, ...], asked: tuple[str, ...] = ()) -> Refused:
    refusal.meant = meant or asked
    refusal.proposal = f"#{refusal.match} {meant[0]}" if len(meant) == 1 else None
    return refusal
