"""Turns in the sentences of a message, with what goes with them: conditions, and words for the opponent."""

import re
from itertools import chain

from pbem.conversation import meaning
from pbem.conversation.command import Request
from pbem.conversation.syntax import names_in_sentences, sentence_entities, vocabulary
from pbem.conversation.syntax.arguments import TURN
from pbem.conversation.syntax.commands_for_wishes import Reading
from pbem.conversation.syntax.line import LineReader
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.conversation.syntax.sentence_entities import CONDITION_CELLS, is_doubted, is_negated
from pbem.errors import Refused
from pbem.mail.reading.text.normalize import to_ascii
from pbem.matches.queries import is_to_move
from pbem.matches.replayed_match import Snapshot, snapshot_of
from pbem.matches.turn_parsing import SET_UP
from pbem.matches.turns_in_text import KEYS, apart, cells, cells_in, prepared, turn_resembling, turns_meant
from pbem.storage.models import Match

SHOWN, FEW_WORDS = 60, 3  # how much of a line is shown, and how many words are too few for a sentence
PAIR = 2  # of so many squares, both stand in the turn that is meant
_PART = re.compile(r"(?<=[.!?;])\s+|,\s+")


def refusal_with_turns(request: Request, parsed: ParsedMessage, match: Match | None) -> Refused | None:
    """Return the refusal that suggests the turns which a text names: "Ich ziehe von d2 nach d1"; none that it rejects.

    What it only asks about, or would play in some case, isn't offered for a yes.
    """
    guess, said = parsed.guess, parsed.first
    if guess is not None and guess.command.grammar.has(TURN):
        said, match = guess.words, request.session.get(Match, guess.match) if guess.match else None
    elif guess is None or not cells(said):
        said = next(filter(cells, (*parsed.overlooked, said, *parsed.prose)), said)
    if match is None and request.sender.proven:
        match = request.session.get(Match, meaning.place_of(request).match)
    is_prose = len(said.split()) > FEW_WORDS and not SET_UP.match(said)
    if is_prose and not cells_in(apart(said.lower().translate(KEYS))):
        return None  # a bare number is no turn: "up 2 nights"
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


def _with_more(request: Request, parsed: ParsedMessage, snapshot: Snapshot, turn: str, after: str) -> Refused | None:
    """Return the refusal that suggests a turn and what a text wants beside it; None if that is nothing."""
    number, said, place = snapshot.match.id, (parsed.first, *parsed.prose), meaning.place_of(request)
    lines, means = [turn], [f"play {turn}"]
    if answer := prepared(snapshot, turn, cells_in(after)):
        lines, means = [*lines, answer], [*means, f"and {answer}"]
    is_passed_on = place.rival and place.level is None
    if is_passed_on and (told := names_in_sentences.words_for(" ".join(said), place.rival)):
        lines, means = [*lines, f"say {told}"], [*means, f"and to write to {place.rival}"]
    sentences = (each for line in said for each in names_in_sentences.SENTENCE_END.split(line))
    parts = (vocabulary.pattern("clause").split(each) if cells(each) else [each] for each in sentences)
    wish = meaning.understood(request, (part for part in chain(*parts) if part and not cells(part)))
    if any(each.risky or each.name in vocabulary.group("said_by_turn") for each in wish.wishes):
        wish = Reading()
    if len(lines) == 1 and not wish.wishes:
        return None
    means += [f"and to {wish.sentence}"] * bool(wish.lines)
    meant = (*(f"#{number} {line}" for line in lines), *wish.lines)
    sentence, notes = f"You want to {', '.join(means)}.", " ".join(wish.notes)
    return Refused(sentence, fits=notes, match=number, meant=meant, proposal="\n".join(meant), wish=True)


def _turns_of(request: Request, snapshot: Snapshot, text: str) -> tuple[str, ...]:
    held = LineReader(request.commands, lambda _: snapshot.pack, snapshot.match.id).held_turn(to_ascii(text))
    meant = turns_meant(snapshot, text) or (turn_resembling(snapshot, held) if held else ())
    squares = cells_in(text.lower().translate(KEYS))
    return tuple(turn for turn in meant if len(squares) != PAIR or all(square in turn for square in squares))


def with_turns(refusal: Refused, meant: tuple[str, ...], asked: tuple[str, ...] = ()) -> Refused:
    refusal.meant = meant or asked
    refusal.proposal = f"#{refusal.match} {meant[0]}" if len(meant) == 1 else None
    return refusal
