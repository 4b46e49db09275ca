"""What every notation promises: turns are read as they are written, and nothing else passes for one."""

import random
from collections.abc import Iterator
from itertools import islice
from time import process_time
from typing import Any

from notation.core import BadNotation
from notation.games import GamePack
from notation.hints import WIDTH, format_hint
from notation.steps import choices
from pbem.conformance import Nonconforming, require
from pbem.conformance.engine import refused, require_legal
from pbem.conformance.samples import matches, samples, some_moves
from pbem.conversation.syntax.mail import Reader
from pbem.features.all import FEATURES

ENOUGH, MOVES = 60, 400
TEXTS = 400
LONGEST_REFUSAL = 600
MOST_STEPS = 100
PIECES = (
    *("", " ", "-", "->", "+", "x", ".", "!", "?", ",", "#1", "/", "\n", "\t", "\0", "\x1b", "\ud83d", "\u0661"),
    *("\N{NO-BREAK SPACE}", "\N{SUPERSCRIPT TWO}", "é", "ß", "swap", "pass", "resign", "hello"),
    *("a", "a1", "b2", "z99", "3"),
)
SECONDS_TO_READ = 0.3
"""CPU time, far more than reading takes; what takes exponential time exceeds it on any machine."""
LENGTHS = (12, 16, *range(20, 40, 2), 64, 128, 256, 512, 1024, 4096, 16_384, 65_536)


def turns_are_read_as_they_are_written(pack: GamePack, seed: int = 0) -> None:
    """Every turn is read as it is written, and no two of a position are written alike."""
    notation = pack.notation
    for position, _ in samples(pack, ENOUGH, seed):
        moves = some_moves(pack, position, MOVES)
        texts = [notation.format(move, position) for move in moves]
        require(len(texts) == len(set(texts)), "Two legal turns of a position are written alike.")
        for text, move in zip(texts, moves, strict=True):
            require(notation.parse(text) == move, f"{text} isn't read as the turn that it was written for.")
            require(notation.format(notation.parse(text), position) == text, f"{text} is written otherwise then.")
            require(text.isascii() and text.isprintable(), f"The turn {text!r} can't be typed by everybody.")
            require(text == " ".join(text.split()), f"The words of {text!r} aren't separated by one space each.")


def turns_are_read_forgivingly(pack: GamePack, seed: int = 0) -> None:
    """A turn is read in capitals as well, with spaces around it, and with a period at the end."""
    notation = pack.notation
    for position, move in samples(pack, ENOUGH, seed):
        text = notation.format(move, position)
        for variant in (text.upper(), f"  {text} ", f"{text}."):
            read = _parsed(pack, variant, f"{variant!r} isn't read as {text}")
            require(read == move, f"{variant!r} is read as another turn than {text}.")


def garbage_is_refused(pack: GamePack, seed: int = 0) -> None:
    """What isn't a turn raises BadNotation and nothing else, with the place and with what was expected."""
    start = pack.game.position({})
    for text in _garbage(pack, seed):
        try:
            move = pack.notation.parse(text)
        except BadNotation as bad:
            require(0 <= bad.at <= len(text), f"BadNotation for {text!r} is at {bad.at}, which isn't in the text.")
            require(bad.expected, f"BadNotation for {text!r} doesn't say what was expected.")
            require(len(str(bad)) < LONGEST_REFUSAL, f"BadNotation for {text[:20]!r}... repeats a long text.")
        except Exception as error:  # noqa: BLE001 - whatever it is, the server would stumble over it
            require(False, f"{text!r} raises {type(error).__name__}, not BadNotation: {error}.")
        else:
            turn = pack.notation.format(move, start)
            require(pack.notation.parse(turn) == move, f"{text!r} is read as {turn}, which is read as something else.")
            refused(start, move)


def reading_takes_linear_time(pack: GamePack, seed: int = 0) -> None:
    """A text without end is read, or refused, in time linear in its length."""
    position, move = samples(pack, 1, seed)[0]
    text = pack.notation.format(move, position)
    for unit in (text, f"{text} ", text[:1], text[:2], text[-1:], " ", "-", "a1", "a", "1 ", "."):
        for length in LENGTHS:
            long = (unit * length)[:length] + "\0"
            sentence = f"{length:,} characters of {unit!r} take too long to read: refuse long texts (check_length)."
            require(any(_seconds_to_read(pack, long) < SECONDS_TO_READ for _ in range(3)), sentence)


def help_has_an_example(pack: GamePack, seed: int = 0) -> None:
    """The help is one line that ends with an example."""
    line = pack.notation.help
    require(line and "\n" not in line, "The help of the notation isn't one line.")
    example = line.split(": ")[-1].strip('"')
    _parsed(pack, example, 'The help must end with an example, as in `the square to mark: "b2"`')


def hints_help(pack: GamePack, seed: int = 0) -> None:
    """Hints show a legal turn in short lines, none of which acts when a reply quotes it."""
    verbs = {verb for name, command in FEATURES.commands.items() for verb in (name, *command.aliases)}
    for position, _ in samples(pack, ENOUGH, seed):
        hint = pack.notation.hint(position)
        if hint is None:
            raise Nonconforming("A player to move gets no hint.")
        if hint.example:
            require_legal(position, pack.notation.parse(hint.example), f"{hint.example} is the example of a hint")
        lines = format_hint(hint).splitlines()
        require(lines, "A hint says nothing.")
        for line in lines:
            require(len(line) <= WIDTH, f"A line of a hint is longer than {WIDTH} columns: {line}")
            require(not is_turn(pack, line), f"A line of a hint would be played when it is quoted: {line}")
            first = line.split()[0].lower().rstrip(":!.")
            require(first not in verbs, f'A line of a hint starts with the command "{first}": {line}')
    for *_, (end, _) in matches(pack, seed):
        require(pack.notation.hint(end) is None, "There is a hint after the end of a match.")


def acting(pack: GamePack, lines: list[str], match: int | None) -> Iterator[str]:
    """Yield the lines that would do something if a reply about the match quoted them without marks."""
    reader = Reader(FEATURES.commands, lambda _number: pack, match)
    for line in lines:
        commands = reader.read("", [line]).commands
        if any(reading.command.changes and not reading.malformed for reading in commands):
            yield line


def is_turn(pack: GamePack, text: str) -> bool:
    try:
        pack.notation.parse(text)
    except BadNotation:
        return False
    return True


def _parsed(pack: GamePack, text: str, sentence: str) -> Any:
    try:
        return pack.notation.parse(text)
    except BadNotation as bad:
        raise Nonconforming(f"{sentence}: {bad}.") from bad


def _seconds_to_read(pack: GamePack, text: str) -> float:
    before = process_time()
    is_turn(pack, text)
    return process_time() - before


def _garbage(pack: GamePack, seed: int) -> Iterator[str]:
    chance = random.Random(seed)  # noqa: S311 - the same texts on every call
    texts: list[Any] = [pack.notation.format(move, position) for position, move in samples(pack, 12, seed)]
    pieces = (*PIECES, *texts, *(word for text in texts for word in text.split()))
    yield from pieces
    for unit in pieces:
        yield unit * 500
    for _ in range(TEXTS):
        text = chance.choice(texts)
        at = chance.randrange(len(text) + 1)
        yield text[:at] + chance.choice(pieces) + text[at + chance.randrange(3) :]
        yield " ".join(chance.choice(pieces) for _ in range(chance.randrange(1, 6)))


def choices_lead_to_turns(pack: GamePack, seed: int = 0) -> None:
    """A turn can be put together choice by choice, as boards that are tapped offer it."""
    chance = random.Random(seed)  # noqa: S311 - the same texts on every call
    for position, _ in samples(pack, 12, seed):
        chosen = ""
        for _ in range(MOST_STEPS):
            offered = choices(pack.notation, position, chosen)
            require(offered or not chosen, f"Nothing follows {chosen!r}, the start of a legal turn.")
            steps = (*offered.steps, *([] if offered.example is None else offered.cells.values()))
            if offered.turns or not steps:
                for text in islice(offered.turns, 3):
                    require_legal(position, pack.notation.parse(text), f"{text} is offered")
                break
            step = chance.choice(steps)
            chosen = step.text
            if step.whole:
                break


def half_a_turn_can_be_drawn(pack: GamePack, seed: int = 0) -> None:
    """The board can be drawn with the beginning of a turn on it, for a preview."""
    for position, move in samples(pack, 12, seed):
        text = pack.notation.format(move, position)
        for end in range(len(text) + 1):
            rows = pack.notation.midway(text[:end], position).diagram().rows
            cells, before = ([name for _, row in board for name, _ in row] for board in (rows, position.diagram().rows))
            require(cells == before, f"With {text[:end]!r} on it, the board has other cells.")
