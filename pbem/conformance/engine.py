"""What every engine promises, whatever its rules, and how much work it makes: in calls, which no machine changes."""

import copy
import dataclasses
import pickle
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from cProfile import Profile
from itertools import islice, pairwise
from typing import Any

from engines.core import IllegalMove, Outcome, Position
from engines.search.state import state_of
from notation.core import BadNotation
from notation.games import GamePack
from pbem.conformance import Nonconforming, require
from pbem.conformance.samples import Sample, matches, samples, some_moves

FEW, SEVERAL, MANY = 12, 40, 400
"""How many positions are looked at, the more the less that takes."""
PARTS = 300
POSITIONS = 16
WORKS: dict[str, tuple[Callable[[GamePack, Sample], object], int]] = {
    "play": (lambda pack, at: at.position.play(at.move), 200_000),  # noqa: ARG005 - called alike
    "moves": (lambda pack, at: sum(1 for _ in at.position.moves()), 4_000_000),  # noqa: ARG005 - called alike
    "hint": (lambda pack, at: pack.notation.hint(at.position), 4_000_000),
    "diagram": (lambda pack, at: at.position.diagram(), 200_000),  # noqa: ARG005 - called alike
}
"""What a server does with positions, each with the most calls that it can make on average."""


def random_play_ends(pack: GamePack, seed: int = 0) -> None:
    """Random play ends with an outcome, and with a reason."""
    for *before, (end, _) in matches(pack, seed):
        require(all(at.position.outcome is None for at in before), "There is an outcome before the match is over.")
        if not isinstance(end.outcome, Outcome):
            raise Nonconforming(f"A match is over, but its outcome is {end.outcome!r}.")
        require(end.outcome.winner in (0, 1, None), f"The winner is {end.outcome.winner!r}; use 0, 1 or None.")
        drawn = end.outcome.winner is None
        require(not drawn or pack.game.draws, "A match is a draw, but the game says that there are none (`draws`).")
        reason = end.outcome.reason
        require(reason, "An outcome has no reason.")
        require(not reason.endswith("."), f'The reason "{reason}" ends with a period; it stands within a sentence.')


def moves_are_listed_once(pack: GamePack, seed: int = 0) -> None:
    """moves() lists each turn once, and none exactly when the match is over."""
    for position, _ in samples(pack, MANY, seed):
        moves = list(position.moves())
        require(len(moves) == len(set(moves)), f"moves() lists a turn twice in {position!r}.")
    for *_, (end, _) in matches(pack, seed):
        require(not list(end.moves()), "moves() lists turns after the end of a match.")


def play_leaves_the_old_position(pack: GamePack, seed: int = 0) -> None:
    """A turn leads to a new position and leaves the old one alone."""
    for position, move in samples(pack, MANY, seed):
        before, number = copy.deepcopy(position), hash(position)
        after = position.play(move)
        turn = _turn(pack, position, move)
        require(position == before and hash(position) == number, f"{turn} has changed the position before it.")
        require(after != position, f"The position after {turn} equals the one before it.")
        require(position.play(move) == after, f"{turn} leads to two positions, one after the other.")


def positions_are_values(pack: GamePack, seed: int = 0) -> None:
    """Positions are frozen dataclasses with slots, hashable, and equal if all fields are."""
    for *_, (end, _) in matches(pack, seed):
        _is_value(end)
    for position, _ in samples(pack, FEW, seed):
        parts = tuple(position.play(part) for part in islice(position.parts(), 3))
        for value in _values_in((position, *parts)):
            _is_value(value)
        copied = pickle.loads(pickle.dumps(position))  # noqa: S301 - what we have just made
        require(copied == position, "A position that was pickled isn't equal to itself.")
        require(hash(copied) == hash(position), "Two equal positions have different hashes.")


def asking_changes_nothing(pack: GamePack, seed: int = 0) -> None:
    """What a position was asked makes no difference to it."""
    for position, move in samples(pack, FEW, seed):
        before = repr(position), hash(position), position.play(move)
        for turn in (*islice(position.moves(), SEVERAL), *islice(position.parts(), SEVERAL)):
            position.play(turn)
        position.diagram()
        pack.notation.hint(position)
        state_of(position).choices()
        after = repr(position), hash(position), position.play(move)
        require(before == after, "A position changes when it is asked for its moves, diagram, hint or state.")


def the_end_is_final(pack: GamePack, seed: int = 0) -> None:
    """Play refuses every turn after the end, with a sentence."""
    for match in matches(pack, seed):
        end, (first, move) = match[-1].position, match[0]
        refusal = refused(end, move)
        require(refusal is not None, f"After the end of a match, {_turn(pack, first, move)} can still be played.")
        require(end.turn is None, f"After the end of a match, turn is {end.turn!r}; it must be None.")


def parts_complete_turns(pack: GamePack, seed: int = 0) -> None:
    """Each part of a turn, with what completes it, is a legal turn; together they are all turns."""
    notation = pack.notation
    for position, _ in samples(pack, FEW, seed):
        wholes = []
        moves = sorted(notation.format(move, position) for move in position.moves())
        for part in position.parts():
            after, text = position.play(part), notation.format(part, position)
            require(after.part == notation.parse(text) == part, f"After the part {text}, `part` isn't that part.")
            require(after.turn == position.turn, f"After the part {text}, it is somebody else's turn.")
            require(not list(after.parts()), f"After the part {text}, there are parts again.")
            wholes += [f"{text} {notation.format(move, after)}" for move in after.moves()]
        require(not wholes or sorted(wholes) == moves, "The parts with their completions aren't the legal turns.")


def play_agrees_with_moves(pack: GamePack, seed: int = 0) -> None:
    """What play takes is what moves() lists; it refuses turns of other positions and near misses with a sentence."""
    notation = pack.notation
    for match in matches(pack, seed):
        known = {notation.format(move, at): move for at, _ in match[::10] for move in some_moves(pack, at, SEVERAL)}
        for position, _ in match[:: max(1, len(match) // 6)]:
            if position.turn is None:
                continue
            legal, parts = set(position.moves()), set(islice(position.parts(), PARTS))
            texts = [notation.format(move, position) for move in islice(legal, FEW)]
            tried = {**known, **dict(_readable(pack, (near for text in texts for near in near_misses(text))))}
            for text, move in tried.items():
                refusal = refused(position, move)
                if refusal is not None:
                    _is_sentence(text, refusal)
                    continue
                written = notation.parse(notation.format(move, position))
                require(written in legal or written in parts, f"play takes {text}, but moves() doesn't list it.")
            for move in some_moves(pack, position, SEVERAL):
                require_legal(position, move, f"moves() lists {notation.format(move, position)}")


def reading_a_turn_again_leads_to_the_same_position(pack: GamePack, seed: int = 0) -> None:
    """A turn that is written, read and played again leads to an equal position, as when a match is replayed."""
    for match in matches(pack, seed):
        for (before, move), (after, _) in islice(pairwise(match), FEW):
            if before.play(move) == after:  # not so where the middle of a long match is left out
                text = pack.notation.format(move, before)
                again = before.play(pack.notation.parse(text))
                require(again == after and hash(again) == hash(after), f"{text}, read again, leads somewhere else.")


def states_play_by_the_rules(pack: GamePack, seed: int = 0) -> None:
    """What a position offers to the search are legal turns, which lead to the states of the positions after them."""
    chance = random.Random(seed)  # noqa: S311 - the same turns on every call
    for position, _ in samples(pack, MANY, seed):
        state = state_of(position)
        require(state.turn == position.turn, "state() says that somebody else is to move.")
        choices: list[Any] = []
        after = state
        while after.turn is not None and (not choices or not after.is_between_turns):
            choices.append(chance.choice(after.choices()[:MANY]))
            after = after.after(choices[-1])
        move = state.turn_of(choices)
        turn = _turn(pack, position, move)
        require_legal(position, move, f"{turn} is a choice of state()")
        then = state_of(position.play(move))
        same = (after.turn, after.winner) == (then.turn, then.winner) and (after.turn is None or after.key == then.key)
        require(same, f"{turn} leads the search to another state than that of the position after it.")


def calls(work: Callable[[], object]) -> int:
    """Return how many functions some work calls, including those of the interpreter."""
    profile = Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())


def measured(pack: GamePack, seed: int = 0) -> dict[str, int]:
    positions = samples(pack, POSITIONS, seed)

    def on_average(do: Callable[..., object]) -> int:
        return calls(lambda: [do(pack, position) for position in positions]) // len(positions)

    return {what: on_average(do) for what, (do, _) in WORKS.items()}


def it_is_fast_enough(pack: GamePack, seed: int = 0) -> None:
    """No call on the path of a message takes longer than a message can wait."""
    for what, made in measured(pack, seed).items():
        _, most = WORKS[what]
        require(made < most, f"{what} calls {made:,} functions; it can call {most:,} at most.")


def refused(position: Position[Any], move: Any) -> IllegalMove | None:
    """Return how a position refuses a move, if it does."""
    try:
        position.play(move)
    except IllegalMove as refusal:
        return refusal
    return None


def require_legal(position: Position[Any], move: Any, sentence: str) -> None:
    """Raise Nonconforming with the beginning of a sentence unless a position takes the move."""
    refusal = refused(position, move)
    require(refusal is None, f"{sentence}, but play refuses it: {refusal}.")


def near_misses(text: str) -> Iterator[str]:
    """Yield texts that differ a little from a turn's."""
    for at, character in enumerate(text):
        if character.isalnum():
            yield f"{text[:at]}{chr(ord(character) + 1)}{text[at + 1 :]}"
    words = text.split()
    for at in range(len(words)):
        yield " ".join((*words[:at], *words[at + 1 :]))
        yield " ".join((*words[:at], words[at], *words[at:]))
    yield " ".join(reversed(words))
    yield text[2:] + text[:2]


def _readable(pack: GamePack, texts: Iterator[str]) -> Iterator[tuple[str, Any]]:
    for text in texts:
        try:
            yield text, pack.notation.parse(text)
        except BadNotation:
            continue


def _is_sentence(text: str, refusal: IllegalMove) -> None:
    sentence = str(refusal)
    require(sentence.strip(), f"{text} is refused without a word.")
    require("{" not in sentence, f'The refusal of {text} has an empty place: "{sentence}".')
    require(not sentence.endswith("."), f'The refusal of {text}, "{sentence}", ends with a period; messages add one.')
    require("\n" not in sentence, f'The refusal of {text} has several lines: "{sentence}".')


def _is_value(value: Any) -> None:
    name = type(value).__name__
    require(dataclasses.is_dataclass(value), f"{name} isn't a dataclass.")
    hash(value)
    fields = dataclasses.fields(value)
    require(all(field.compare for field in fields), f"{name} has a field that doesn't count in comparisons.")
    require(not hasattr(value, "__dict__"), f"{name} can hide things: give its dataclass slots=True.")
    slots = {slot for base in type(value).__mro__ for slot in base.__dict__.get("__slots__", ())}
    hidden = sorted(slots - {field.name for field in fields})
    require(not hidden, f"{name} keeps {', '.join(hidden)} beside its fields.")
    for field in fields:
        with suppress(dataclasses.FrozenInstanceError):
            setattr(value, field.name, getattr(value, field.name))
            require(False, f"{name}.{field.name} can be changed: give its dataclass frozen=True.")


def _values_in(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for entry in value:
            yield from _values_in(entry)
    elif dataclasses.is_dataclass(value):
        yield value
        for field in dataclasses.fields(value):
            yield from _values_in(getattr(value, field.name))


def _turn(pack: GamePack, position: Position[Any], move: Any) -> str:
    return f"The turn {pack.notation.format(move, position)}"
