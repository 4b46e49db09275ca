"""Records with a line for each turn, for games whose rule sheets print no table: title, names, numbered turns.

Quadrature men=18

Black: alice
White: bob

1. Black e3e4
2. White e9e8
3. Black resigned

Where two turns have one number, as in chess, they share a line: "1. e4 e5".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_ROW = re.compile(r"[>\s]*(?P<number>[0-9]{1,4})\.\s*(?P<side>\w+)\s+(?P<text>\S.*)")
_PAIR = re.compile(r"[>\s]*(?P<number>[0-9]{1,4})\.\s*(?P<first>\S+)(?:\s+(?P<second>\S+))?")
_RESIGNED = "resigned"


class BadPlain(Exception):
    """A record that can't be read: the line (counted from 1) and why."""

    def __init__(self, line: int, why: str) -> None:
        self.line = line
        super().__init__(f"line {line}: {why}")


@dataclass(frozen=True, slots=True)
class Plain:
    """A record as data: the title, the players by side, the turns with their sides, and the side that resigned."""

    title: str
    names: tuple[str, str]
    turns: tuple[tuple[int, str], ...] = ()
    """(side, text) in playing order; side is 0 or 1."""
    resigned: int | None = None
    lines: tuple[int, ...] = field(default=(), compare=False)
    """The line of each turn, counted from 1, where they were read from a text."""


def write_plain(plain: Plain, sides: tuple[str, str], *, in_pairs: bool = False) -> str:
    """Return the record as text; read_plain reads it as the same Plain."""
    lines = [plain.title, ""]
    lines += [f"{side}: {name}" for side, name in zip(sides, plain.names, strict=True)]
    lines.append("")
    number = len(plain.turns)
    if in_pairs:
        texts = [text for _, text in plain.turns]
        lines += [f"{at // 2 + 1}. {' '.join(texts[at : at + 2])}" for at in range(0, number, 2)]
        number = (number + 1) // 2
    else:
        lines += [f"{number}. {sides[side]} {text}" for number, (side, text) in enumerate(plain.turns, start=1)]
    if plain.resigned is not None:
        lines.append(f"{number + 1}. {sides[plain.resigned]} {_RESIGNED}")
    return "\n".join(lines) + "\n"


def read_plain(text: str, title: str, sides: tuple[str, str], *, in_pairs: bool = False) -> Plain:
    """Return what the lines below the title say; raise BadPlain. Ignore prose and boards around the turns."""
    names = list(sides)
    turns: list[tuple[int, str]] = []
    lines: list[int] = []
    resigned: int | None = None
    folded = [side.casefold() for side in sides]
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        label, colon, name = line.lstrip("> ").partition(":")
        if colon and label.casefold() in folded and name.strip() and not turns:
            names[folded.index(label.casefold())] = name.strip()
        expected = (len(turns) + 1) // 2 + 1 if in_pairs else len(turns) + 1
        pair = _PAIR.fullmatch(line.rstrip()) if in_pairs else None
        row = pair if pair and (pair["second"] or "").casefold() != _RESIGNED else _ROW.fullmatch(line.rstrip())
        if row is None:
            continue
        if resigned is not None or int(row["number"]) != expected or (row is pair and len(turns) % 2):
            raise BadPlain(number, f"turn {expected} is expected here, if any")
        if row is pair:
            texts = list(filter(None, pair.group("first", "second")))
            turns += enumerate(texts)
            lines += [number] * len(texts)
            continue
        side = _side(row, folded, sides, number)
        if row["text"].strip().casefold() == _RESIGNED:
            resigned = side
        else:
            turns.append((side, " ".join(row["text"].split())))
            lines.append(number)
    return Plain(title, (names[0], names[1]), tuple(turns), resigned, tuple(lines))


def _side(row: re.Match[str], folded: Sequence[str], sides: tuple[str, str], number: int) -> int:
    if row["side"].casefold() not in folded:
        raise BadPlain(number, f"{sides[0]} or {sides[1]} is expected behind the number, not {row['side'][:20]}")
    return folded.index(row["side"].casefold())
