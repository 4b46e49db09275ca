"""The table of a rule sheet: two columns of turns under two names, five words a turn, perhaps a board.

    _Bo_                        _Jx_
1.  ....  ....  1  c1b1  g9h9   a7b7  i3i2  3  b7b4  i2f2
2.  b1e1  h9e9  3  e9b9  e1e4   resign

A turn is two words, a number, two words; `....` stands for nothing. Rows are numbered, `1.` or `10`.
Reading undoes what mail programs do to such a table: quotation marks, tabs, lost spaces, rows broken in two.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, zip_longest

_QUOTE = re.compile(r"(?:>[ \xa0]?)+")
_LABEL = re.compile(r"\s*([0-9]{1,4})(\.?)(?=\s|$)")
_TURN_WORD = re.compile(r"[A-Za-z][0-9][-:]?[A-Za-z][0-9]|-{2,}|\.{2,}|\u2026+|[\u2010-\u2015]+|[0-9]|resign\.?")
_STEP_WORD = re.compile(r"(?<![^\s])[A-Za-z][0-9][-:]?[A-Za-z][0-9](?![^\s])")
_ABSENT = re.compile(r"\.{2,}|\u2026+")
_BOARD_ROW = re.compile(r"\s*\S(?: \S)+\s+[0-9]{1,2}\.?")
_LETTERS = re.compile(r"\s*a ?b ?c ?d(?: ?[a-z])*")
_NAMES = (re.compile(r"(?<=_)\s+(?=_)"), re.compile(r"\s{3,}|\s*\t\s*"))
_WIDTH = 2  # words in an operation


class BadSheet(Exception):
    """A table that can't be read: the line (counted from 1; 0 for none in particular) and why."""

    def __init__(self, line: int, why: str) -> None:
        self.line = line
        super().__init__(f"line {line}: {why}" if line else why)


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a table says; columns are 0 and 1, column 0 begins."""

    lead: tuple[str, ...] = ()
    """The lines before the table that are neither names nor board."""
    names: tuple[str, str] | None = None
    turns: tuple[str, ...] = ()
    """The words of each turn joined by single spaces, in playing order, `....` left out."""
    resigned: int | None = None
    board: tuple[str, ...] = ()
    lines: tuple[int, ...] = field(default=(), compare=False)
    """The line on which the row of each turn begins, counted from 1, where they were read from a text."""


@dataclass(slots=True)
class _Row:
    number: int
    line: int
    words: list[str] = field(default_factory=list)

    def columns(self) -> list[list[str]]:
        columns: list[list[str]] = []
        for word in self.words:
            if not columns or _is_complete(columns[-1]):
                columns.append([])
            columns[-1].append(word)
        return columns

    def is_open(self) -> bool:
        columns = self.columns()
        if "resign" in self.words:
            return False
        return len(columns) < 2 or not _is_complete(columns[1])

    def wants_number(self) -> bool:
        columns = self.columns()
        return bool(columns) and len(columns[-1]) == _WIDTH


def read_sheet(text: str) -> Sheet:
    """Return what the table in a text says; raise BadSheet. Ignore lines of prose around it."""
    lines = _unquoted(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    start = next((n for n, line in enumerate(lines) if _starts_table(line)), len(lines))
    rows, end = _rows(lines, start)
    _check_after(lines, end)
    before = [(number, line) for number, line in enumerate(lines[:start]) if line.strip()]
    board = _board(lines[end:]) or _board(lines[:start])
    lead = [line for _, line in before if not _is_board(line)]
    names, lead = _names(lead)
    turns, resigned = _turns(rows)
    texts, numbers = tuple(text for text, _ in turns), tuple(line for _, line in turns)
    return Sheet(tuple(line.strip() for line in lead), names, texts, resigned, board, numbers)


def write_sheet(sheet: Sheet) -> str:
    """Return the table as text, which read_sheet reads as the same Sheet; raise BadSheet for what doesn't fit in."""
    columns = [_written(turn) for turn in sheet.turns]
    nothing = _written("")
    if sheet.resigned is not None:
        columns += [nothing] * ((sheet.resigned - len(columns)) % 2) + ["resign"]
    width = len(nothing)
    lines = list(sheet.lead)
    if sheet.names is not None:
        for name in sheet.names:
            if "\n" in name or "\r" in name:
                raise BadSheet(0, f"a name is one line: {name!r}")
        first, second = (f"_{name}_" for name in sheet.names)
        inside = [len(gap) for name in sheet.names for gap in re.findall(r"\s+", name)]
        gap = max([width + 8 - len(first), 4, *(length + 1 for length in inside)])
        lines.append(f"{'':4}{first}{'':{gap}}{second}")
    for row, (left, right) in enumerate(zip_longest(columns[::2], columns[1::2], fillvalue=""), start=1):
        label = f"{row}." if row < 10 else f"{row}"
        lines.append(f"{label:<4}{left:<{width + 8}}{right}".rstrip())
    return "\n".join([*lines, *([""] if sheet.board else []), *sheet.board]) + "\n"


def _unquoted(lines: list[str]) -> list[str]:
    full = [line for line in lines if line.strip()]
    if 2 * sum(line.startswith(">") for line in full) <= len(full):
        return lines
    return [_QUOTE.sub("", line, count=1) if line.startswith(">") else line for line in lines]


def _starts_table(line: str) -> bool:
    label = _LABEL.match(line)
    if label is None or label[1] != "1":
        return False
    words = line[label.end() :].split()
    return _is_turn_like(words[:1]) and any(_is_turn_like([word]) and not word.isdigit() for word in words)


def _rows(lines: list[str], start: int) -> tuple[list[_Row], int]:
    rows: list[_Row] = []
    for at, line in enumerate(lines[start:], start=start):
        if not line.strip():
            continue
        row = rows[-1] if rows else None
        label = _LABEL.match(line)
        if label and int(label[1]) == (row.number if row else 0) + 1 and not _continues(row, line, label):
            words, row = line[label.end() :].split(), _Row(int(label[1]), at + 1)
            if rows:
                _check_full(rows[-1])
            rows.append(row)
        elif row is not None and row.is_open() and _is_turn_like(line.split()):
            words = line.split()
        else:
            return rows, at
        assert row is not None  # noqa: S101 - the first line is row 1
        _add(row, words, at + 1)
    return rows, len(lines)


def _continues(row: _Row | None, line: str, label: re.Match[str]) -> bool:
    """Return whether a line that starts with a number continues the row before: the number is an announced one."""
    if row is None or label[2] or len(label[1]) > 1:
        return False
    return row.wants_number() and row.is_open() and _is_turn_like(line.split())


def _add(row: _Row, words: list[str], line: int) -> None:
    for word in words:
        plain = "resign" if word.lower().rstrip(".!") in ("resign", "resigns", "resigned") else word
        if not row.is_open():
            raise BadSheet(line, f"row {row.number} is complete, and {word} is one word too many")
        row.words.append(plain)


def _check_full(row: _Row) -> None:
    columns = row.columns()
    if len(columns) < 2 or not all(map(_is_complete, columns)):
        has = " ".join(row.words) or "nothing"
        raise BadSheet(row.line, f"row {row.number} should have two turns of five words, and has {has}")


def _check_after(lines: list[str], end: int) -> None:
    """Refuse what follows the table if it looks like turns, so that no turn is lost silently."""
    for number, line in enumerate(lines[end:], start=end + 1):
        if not _is_board(line) and _STEP_WORD.search(line):
            raise BadSheet(number, f"this is not the row that should follow: {line.strip()}")


def _turns(rows: Sequence[_Row]) -> tuple[tuple[tuple[str, int], ...], int | None]:
    turns: list[tuple[str, int]] = []
    for row in rows:
        for column, words in enumerate(row.columns()):
            if words[-1] == "resign":
                return tuple(turns), column
            kept = [word for word in words if not _ABSENT.fullmatch(word)]
            if len(words) <= _WIDTH and kept and not any(word.isdigit() for word in words):
                raise BadSheet(row.line, f"row {row.number} ends within a turn: {' '.join(words)}")
            if kept:
                turns.append((" ".join(kept), row.line))
    return tuple(turns), None


def _is_complete(words: Sequence[str]) -> bool:
    """Return whether these words are a whole turn: at most two, a number, two more."""
    number = next((place for place, word in enumerate(words[:_WIDTH]) if word.isdigit()), _WIDTH)
    return len(words) == number + 1 + _WIDTH


def _is_turn_like(words: Sequence[str]) -> bool:
    return all(_TURN_WORD.fullmatch(word) for word in words)


def _is_board(line: str) -> bool:
    line = line.replace("\xa0", " ").rstrip()
    return bool(_BOARD_ROW.fullmatch(line) or _LETTERS.fullmatch(line))


def _board(lines: Iterable[str]) -> tuple[str, ...]:
    runs = [list(run) for is_board, run in groupby(lines, _is_board) if is_board]
    best = max(runs, key=len, default=[])
    return tuple(line.replace("\xa0", " ").rstrip() for line in best) if len(best) > 2 else ()


def _names(lead: list[str]) -> tuple[tuple[str, str] | None, list[str]]:
    """Return the two names above the table, and the lines before them.

    >>> _names(["  _Bo_     _Jan van Es_"])
    (('Bo', 'Jan van Es'), [])
    """
    if not lead:
        return None, lead
    if len(lead) > 1 and all(re.fullmatch(r"\s*_\S+_\s*", line) for line in lead[-2:]):
        return (_bare(lead[-2]), _bare(lead[-1])), lead[:-2]
    line = lead[-1].strip()
    for pattern in _NAMES:
        gaps = list(pattern.finditer(line))
        if gaps:
            gap = max(gaps, key=lambda gap: len(gap[0]))
            return (_bare(line[: gap.start()]), _bare(line[gap.end() :])), lead[:-1]
    return None, lead


def _bare(name: str) -> str:
    name = name.strip()
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == "_" else name


def _written(turn: str) -> str:
    """Return the words of a turn in their five places.

    >>> _written("1 c1b1 g9h9")
    '....  ....  1  c1b1  g9h9'
    """
    words = turn.split(" ") if turn else [""]
    numbers = [place for place, word in enumerate(words) if word.isdigit() or not word]
    place = numbers[0] if numbers else -1
    before, after = words[:place], words[place + 1 :]
    odd = [word for word in before + after if not word or word.lower().startswith("resign")]
    if place < 0 or len(before) > _WIDTH or len(after) > _WIDTH or odd or " ".join(turn.split()) != turn:
        raise BadSheet(0, f"{turn!r} does not fit into the table: two words, a number, two words")
    absent = ["...."] * _WIDTH
    number = words[place] or "...."
    return "  ".join([*(absent + before)[len(before) :], number, *(after + absent)[:_WIDTH]])
