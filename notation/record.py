"""Records of matches: read, written as the rule sheets print them, and replayed."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from engines.core import BadOption, Game, IllegalMove, Played, Position, Seat
from engines.diagram import Diagram
from engines.seats import seat_of
from notation import ending as endings
from notation.core import BadNotation
from notation.ending import Ending, Termination
from notation.games import GAMES, GameMissing, GamePack
from notation.plain import BadPlain, Plain, read_plain, write_plain
from notation.sheet import BadSheet, Sheet, read_sheet, write_sheet

RULES = "rules"
"""What stands for an option in the title of a record: the version of the rules, where it isn't the first."""
_BEGAN = re.compile(r"[>\s]*Began: (after turn \d{1,5} of match #\d{1,9})\s*")


class BadRecord(Exception):
    """A record that can't be read or replayed; the message is a sentence.

    `ply` is the turn counted from 1 (0 for the record as a whole), `text` its text, `token` the wrong word in it
    (or the whole text), and `cause` what was raised there. `line` is its line in the text, 0 where that isn't known.
    """

    def __init__(
        self, ply: int, text: str, cause: Exception | str, *, player: str = "", token: str = "", line: int = 0
    ) -> None:
        self.ply = ply
        self.text = text
        self.cause = cause
        self.player = player
        self.token = token or text
        self.line = line or getattr(cause, "line", 0)
        where = f"turn {ply}, {player}, {self.token}: " if ply else ""
        super().__init__(f"{where}{_why(cause)}")


@dataclass(slots=True)
class Record:
    """A match: its game, what was chosen, who played (by seat), the texts of the turns in playing order.

    `ending` is how the match ended unless the rules ended it; `board` is the board printed below the turns, if there
    is one. Options that are not given have their defaults. `version` is that of the rules.
    """

    game: str
    options: Mapping[str, str]
    players: tuple[str, str]
    moves: tuple[str, ...]
    ending: Ending | None = None
    board: tuple[str, ...] = ()
    version: int = 1
    began: str = ""
    """Where the match began, if not at the beginning: "after turn 7 of match #42". It has those turns as its first."""
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)
    """The line of each turn in the text that the record was read from, if it was."""

    def __post_init__(self) -> None:
        """Fill in the defaults; raise BadOption."""
        try:
            pack = self.pack
        except GameMissing as missing:
            known = f"there is no game {self.game}; there are {', '.join(GAMES)}"
            raise BadOption(missing.why if self.game in GAMES else known) from missing
        self.options = pack.game.chosen(self.options)

    @property
    def pack(self) -> GamePack:
        """The game by whose rules the turns are played; raise GameMissing."""
        return GAMES.of_version(self.game, self.version)

    def line_of(self, ply: int) -> int:
        return self.lines[ply - 1] if ply <= len(self.lines) else 0

    def start(self) -> Position[Any]:
        return self.pack.game.position(self.options)


@dataclass(frozen=True, slots=True)
class Slip:
    """A slip in an old record: the turn counted from 1, its player, the word, what is wrong and what was meant."""

    turn: int
    player: str
    token: str
    why: str


def replay(record: Record) -> tuple[Position[Any], ...]:
    """Return the positions of a match, from before its first turn to after its last.

    Raise BadRecord at the first turn that can't be read or isn't legal.
    """
    notation = record.pack.notation
    position = record.start()
    positions = [position]
    for ply, text in enumerate(record.moves, start=1):
        try:
            position = position.play(notation.parse(text))
        except (BadNotation, IllegalMove) as cause:
            player = record.players[_seat(record, position, ply)]
            line = record.line_of(ply)
            raise BadRecord(ply, text, cause, player=player, token=_token(cause), line=line) from cause
        positions.append(position)
    return tuple(positions)


def diagrams(record: Record, positions: Sequence[Position[Any]] = ()) -> tuple[Diagram, ...]:
    """Return the boards of a match, from before its first turn to after its last, each with the turn before it lit.

    `positions` are those of replay, if they are known already. Raise BadRecord as replay does.
    """
    notation, positions = record.pack.notation, positions or replay(record)
    moves = map(notation.parse, record.moves)
    after = (now.diagram(Played(*last)) for *last, now in zip(positions, moves, positions[1:], strict=False))
    return (positions[0].diagram(), *after)


def replay_tolerantly(record: Record) -> tuple[tuple[Position[Any], ...], tuple[Slip, ...]]:
    """Return the positions of a match as an arbiter would read it, and every slip on the way.

    Raise BadRecord if nobody can tell what a turn means, and at any slip if the game has no tolerant reader.
    """
    reader = record.pack.tolerant
    if reader is None:
        return replay(record), ()
    position = record.start()
    positions = [position]
    slips: list[Slip] = []
    for ply, text in enumerate(record.moves, start=1):
        seat = _seat(record, position, ply)
        player = record.players[seat]
        try:
            position, corrections = reader(position, seat, text)
        except BadNotation as cause:
            raise BadRecord(ply, text, cause, player=player, line=record.line_of(ply)) from cause
        positions.append(position)
        slips.extend(Slip(ply, player, each.token, each.why) for each in corrections)
    return tuple(positions), tuple(slips)


def board_difference(record: Record, position: Position[Any]) -> str:
    """Return in a sentence how the board printed in a record differs from a position; "" if it doesn't."""
    if not record.board:
        return ""
    drawn = position.diagram().rows
    printed = {words[-1].rstrip("."): words[:-1] for words in map(str.split, record.board) if len(words) > 1}
    differences = []
    for label, cells in drawn:
        marks = printed.get(label, [])
        if len(marks) != len(cells):
            return f"the printed board has {len(marks)} cells in row {label}, and this board has {len(cells)}"
        differences += [
            f"{cell} is printed {mark} and should be {right}"
            for (cell, right), mark in zip(cells, marks, strict=True)
            if mark != right
        ]
    return f"the printed board differs: {'; '.join(differences)}" if differences else ""


def loads(text: str, game: str | None = None) -> Record:
    """The game and its options can be in a line before the turns, such as `Quadraphages first=o`.

    Otherwise they are the first under which the first turn is legal, or if there are none, those with the fewest slips.
    Games whose rule sheets print no table have a line for each turn (see notation/plain.py), and some a form that other
    programs read, too, such as PGN.
    """
    if (foreign := _foreign(text, game)) is not None:
        return foreign
    key, options = _titled(text.splitlines())
    if key is None and game is not None and game in GAMES and not GAMES[game].tolerant:
        key = game
    if key is not None and not GAMES[key].tolerant and game in (None, key):
        return _from_plain(text, key, options)
    try:
        sheet = read_sheet(text)
    except BadSheet as bad:
        raise BadRecord(0, text, bad) from bad
    named, options = _titled(sheet.lead)
    if game is not None and named is not None and game != named:
        raise BadRecord(0, text, f"the record says it is of {named}, not of {game}")
    game = game or named
    if game is not None and game not in GAMES:
        raise BadRecord(0, text, f"there is no game {game}; there are {GAMES.some()}")
    try:
        if game is not None and options:
            return _record(sheet, game, options)
        return _inferred(sheet, text, game)
    except BadOption as bad:
        raise BadRecord(0, text, bad) from bad


def _foreign(text: str, game: str | None) -> Record | None:
    """Return the record that a text has in a form that other programs write; None if it is in none."""
    for key, pack in GAMES.items():
        if pack.form is not None and game in (None, key):
            try:
                found = pack.form.read(text)
            except ValueError as bad:
                raise BadRecord(0, text, f"that is no {pack.form.ending.upper()} of {pack.title}: {bad}") from bad
            if found is not None:
                return Record(key, {}, *found)
    return None


def dumps(record: Record) -> str:
    """Return the record as text that loads reads as the same record; raise BadRecord for turns that don't fit.

    >>> turns = ("1 c1b1 g9h9", "a7b7 i3i2 3 b7b4 i2f2")
    >>> resigned = Ending(Termination.RESIGNATION, 1)
    >>> print(dumps(Record("quadraphages", {"first": "o"}, ("Jx", "Bo"), turns, resigned)), end="")
    Quadraphages first=o
    <BLANKLINE>
        _Bo_                                _Jx_
    1.  ....  ....  1  c1b1  g9h9           a7b7  i3i2  3  b7b4  i2f2
    2.  resign
    """
    text = written(record)
    if loads(text) != record:  # because a word or a name reads as something else
        raise BadRecord(0, text, "this record does not fit into the form in which records of this game are written")
    return text


def written(record: Record) -> str:
    """Return the record as dumps does, without reading it again: for names and turns that are known to fit."""
    names = record.players
    first = record.start().turn or 0
    choices = record.options if record.version == 1 else {**record.options, RULES: record.version}
    title = " ".join([record.pack.title, *(f"{k}={v}" for k, v in choices.items())])
    resigned = _resigned(record)
    is_told = record.ending is not None and resigned is None  # forms have a word of their own for a resignation
    began = (f"Began: {record.began}",) if record.began else ()
    told = endings.written(record.ending, record.pack.game.sides) if record.ending and is_told else ()
    if not record.pack.tolerant:
        return _as_plain(record, "\n".join((title, *began, *told)))
    column = None if resigned is None else resigned ^ first
    try:
        lead = (title, *began, *told, "")
        return write_sheet(Sheet(lead, (names[first], names[1 - first]), record.moves, column, record.board))
    except BadSheet as bad:
        raise BadRecord(0, "", bad) from bad


def _resigned(record: Record) -> Seat | None:
    ending = record.ending
    return ending.seat if ending is not None and ending.termination is Termination.RESIGNATION else None


def _ending(resigned: int | None, lines: Iterable[str], sides: tuple[str, str]) -> Ending | None:
    if resigned is not None:
        return Ending(Termination.RESIGNATION, seat_of(resigned))
    return endings.read(lines, sides)


def _began(lines: Iterable[str]) -> str:
    return next((found[1] for line in lines if (found := _BEGAN.fullmatch(line))), "")


def _titled(lines: Iterable[str]) -> tuple[str | None, dict[str, str]]:
    games = {name.casefold(): game.key for game in GAMES.games() for name in (game.key, game.title)}
    for line in lines:
        words = line.lstrip("> ").split()
        options = dict(word.split("=", 1) for word in words if "=" in word)
        name = " ".join(word for word in words if "=" not in word)
        if name.casefold() in games:
            return games[name.casefold()], options
    return None, {}


def version_in(options: Mapping[str, str]) -> int:
    """Return the version of the rules that stands among the options of a record; raise BadOption.

    >>> version_in({"rules": "2"}), version_in({})
    (2, 1)
    """
    written = options.get(RULES, "1")
    if not re.fullmatch("[1-9][0-9]{0,3}", written):
        raise BadOption(f"{RULES}={written[:20]} is no version of the rules: write a number")
    return int(written)


def without_version(options: Mapping[str, str]) -> dict[str, str]:
    return {name: choice for name, choice in options.items() if name != RULES}


def _from_plain(text: str, key: str, options: Mapping[str, str]) -> Record:
    try:
        game = GAMES[key].game
        plain = read_plain(text, game.title, game.sides, in_pairs=game.in_pairs)
        ending = _ending(plain.resigned, text.splitlines(), game.sides)
        turns, began = tuple(turn for _, turn in plain.turns), _began(text.splitlines())
        return Record(
            *(key, without_version(options), plain.names, turns, ending),
            version=version_in(options),
            began=began,
            lines=plain.lines,
        )
    except (BadPlain, BadOption) as bad:
        raise BadRecord(0, text, bad) from bad


def _as_plain(record: Record, title: str) -> str:
    positions = replay(record)
    turns = [
        (_seat(record, position, ply), text)
        for ply, (position, text) in enumerate(zip(positions, record.moves, strict=False), start=1)
    ]
    plain = Plain(title, record.players, tuple(turns), _resigned(record))
    game = record.pack.game
    return write_plain(plain, game.sides, in_pairs=game.in_pairs)


def _inferred(sheet: Sheet, text: str, key: str | None) -> Record:
    """Return the record with the first game and options that fit its first turn."""
    candidates = [
        _record(sheet, game.key, options)
        for game in (GAMES.games() if key is None else (GAMES[key].game,))
        for options in _choices(game)
    ]
    if not sheet.turns:
        if key is None:
            raise BadRecord(0, text, "there are no turns, and no line that names the game")
        return candidates[0]
    for record in candidates:
        try:
            record.start().play(record.pack.notation.parse(record.moves[0]))
        except (BadNotation, IllegalMove):
            continue
        return record
    best = min(candidates, key=_slips)
    if _slips(best) > len(best.moves):
        raise BadRecord(0, text, f"the first turn, {sheet.turns[0]}, is not legal in any game that is known")
    return best


def _choices(game: Game) -> Iterator[dict[str, str]]:
    for choices in product(*(option.choices for option in game.options)):
        yield {option.name: choice for option, choice in zip(game.options, choices, strict=True)}


def _slips(record: Record) -> int:
    try:
        return len(replay_tolerantly(record)[1])
    except BadRecord:
        return 10 * len(record.moves)


def _record(sheet: Sheet, key: str, options: Mapping[str, str]) -> Record:
    """Return the record of a table for a game and options; column 0 belongs to the seat that begins."""
    version, options = version_in(options), without_version(options)
    game = GAMES[key].game
    first = game.position(options).turn or 0
    names = sheet.names or (game.sides[first], game.sides[1 - first])
    players = names if first == 0 else (names[1], names[0])
    ending = _ending(None if sheet.resigned is None else sheet.resigned ^ first, sheet.lead, game.sides)
    return Record(key, options, players, sheet.turns, ending, sheet.board, version, _began(sheet.lead), sheet.lines)


def _seat(record: Record, position: Position[Any], ply: int) -> Seat:
    """Return the seat that plays a text: the seat to move, or after the end of the game each seat in turn."""
    if position.turn is not None:
        return position.turn
    return seat_of(((record.start().turn or 0) + ply - 1) % 2)


def _token(cause: BadNotation | IllegalMove) -> str:
    if isinstance(cause, IllegalMove):
        return cause.token
    before, after = cause.text[: cause.at], cause.text[cause.at :]
    return (before.split(" ")[-1] + after.split(" ")[0]).strip()


def _why(cause: Exception | str) -> str:
    return f"expected {cause.expected}" if isinstance(cause, BadNotation) else str(cause)
