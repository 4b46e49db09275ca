"""What follows the name of a command, as data: it reads the words of a line, and writes usage and refusals.

Each word goes to the first piece that it fits, in any order. A name is what fits nothing else, a text is all the rest.

>>> words(PLAYER, opt(GAME)).usage, words(PLAYER, opt(GAME)).read("quadrupel Bob")[PLAYER]
('PLAYER [GAME]', 'bob')
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, TypeVar

from notation.games import GAMES
from pbem.conversation.syntax import commands_for_wishes
from pbem.errors import Refused

T = TypeVar("T")
D = TypeVar("D")
MOST_MEANT = 12  # how many words a line has at most that is no sentence although its words don't fit


def shape(pattern: str) -> re.Pattern[str]:
    """Return a regular expression, in any case of letters, with GAME for any game that is offered, and CONTEST."""
    spelled = pattern.replace("GAME", f"(?:{'|'.join(GAMES)})").replace("CONTEST", "(?:tournament|ladder|league)")
    return _compiled(spelled.replace(" ?", r"\s*").replace(" ", r"\s+"))


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class Piece(Generic[T]):
    """One thing that a player writes behind the name of a command."""

    usage: str  # how usage lines write it, in capitals what the player replaces
    pattern: str  # what it looks like, for `shape`; if it has groups, these are what is kept
    value: Callable[[str], T]
    is_name: bool = False  # whether it is what fits nothing else
    is_rest: bool = False  # whether it is all that is left
    accepts: Callable[[str], bool] = bool  # whether what looks like it is it
    is_free: bool = False  # whether it is free text, in which nothing is put into our words
    is_kept: bool = False  # whether it is passed on as it was written


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    pieces: tuple[Piece[Any], ...]  # one of which, or some, are to be written there
    usage: str
    least: int = 1
    most: int = 1


def opt(*pieces: Piece[Any], usage: str | None = None, most: int = 1) -> Slot:
    shown = f"[{'|'.join(piece.usage for piece in pieces)}]" if usage is None else usage
    return Slot(pieces, shown, 0, most)


@dataclass(frozen=True, slots=True)
class Given:
    """What the words of a line say, by piece."""

    words: str  # the words as the pieces keep them
    kept: Mapping[Piece[Any], list[str]]
    missing: Slot | None = None  # what has to follow, and doesn't
    unread: str = ""  # what doesn't fit
    open: tuple[Slot, ...] = ()  # what could have followed

    @property
    def fits(self) -> bool:
        return self.missing is None and not self.unread

    def __contains__(self, piece: Piece[Any]) -> bool:
        return piece in self.kept

    def __getitem__(self, piece: Piece[T]) -> T:
        return piece.value(self.kept[piece][0])

    def get(self, piece: Piece[T], default: D) -> T | D:
        return self[piece] if piece in self.kept else default

    def all(self, piece: Piece[T]) -> tuple[T, ...]:
        return tuple(map(piece.value, self.kept.get(piece, ())))

    def misfit(self, command: str, advice: str = "", text: str | None = None) -> Refused:
        """Return the refusal of words that don't fit, which says what was expected."""
        games = commands_for_wishes.there_are() if any(GAME in slot.pieces for slot in self.open) else ""
        wanted = self.missing.usage.partition("|")[0] if self.missing is not None else ""
        sentence = f"Which {wanted.lower()}?" if wanted.isupper() else f'We can\'t read what follows "{command}".'
        if self.unread:
            word = self.unread.split()[0][:40]
            sentence = f"No game is called {word}." if games else f'We can\'t read "{word}" after "{command}".'
        return Refused(sentence, read=text, fits=f"{advice} {games}".strip())


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    slots: tuple[Slot, ...]
    is_strict: bool = False  # whether words that don't fit are a sentence that begins with its name: "Take your time."
    meant_by: str = ""  # what words hold that are meant for the command even if they don't fit; a pattern for `shape`
    also: Mapping[str, str] = field(default_factory=dict)  # by the pattern of the words: lines in our words
    takes_below: bool = False  # whether all lines below it belong to it; those below a player's end at #NUMBER

    @property
    def usage(self) -> str:
        return " ".join(filter(None, (slot.usage for slot in self.slots)))

    def has(self, *pieces: Piece[Any]) -> bool:
        return not set(pieces).isdisjoint(self.pieces)

    @property
    def pieces(self) -> tuple[Piece[Any], ...]:
        return tuple(piece for slot in self.slots for piece in slot.pieces)

    @property
    def is_free(self) -> bool:
        return self.has(TURN, CONDITION) or any(piece.is_free for piece in self.pieces)

    @property
    def is_kept(self) -> bool:
        return any(piece.is_kept for piece in self.pieces)

    def means(self, text: str) -> bool:
        """Return whether words that don't fit are no sentence: they are refused, with what would fit."""
        return 0 < len(text.split()) <= MOST_MEANT and bool(shape(self.meant_by or "(?!)").search(text))

    def read(self, text: str) -> Given:
        kept, words, unread = dict[Piece[Any], list[str]](), list[str](), list[str]()
        left, rest = {slot: slot.most for slot in self.slots}, text.strip()
        while rest:
            found = next(_fitting(rest, [slot for slot, number in left.items() if number]), None)
            if found is None:
                unread.append(rest.split(maxsplit=1)[0])
                rest = rest[len(unread[-1]) :].lstrip()
                continue
            slot, piece, match = found
            words.append(" ".join(filter(None, match.groups())) if match.re.groups else match[0])
            kept.setdefault(piece, []).append(words[-1])
            left[slot] -= 1
            rest = rest[match.end() :].lstrip()
        missing = next((slot for slot, number in left.items() if number > slot.most - slot.least), None)
        if missing is not None:  # what is one too many may have been meant for it: "challenge bob chess"
            kept_once = ((piece, slot.least) for slot in self.slots if slot.least for piece in slot.pieces)
            unread += [text for piece, least in kept_once for text in kept.get(piece, ())[least:]]
        still = tuple(slot for slot, number in left.items() if number)
        return Given(text if unread else " ".join(words), kept, missing, " ".join(unread), still)


def _fitting(text: str, slots: list[Slot]) -> Iterator[tuple[Slot, Piece[Any], re.Match[str]]]:
    """Yield the pieces that fit the beginning of the text: a name is what nothing else fits."""
    pieces = [(slot, piece) for slot in slots for piece in slot.pieces]
    for slot, piece in sorted(pieces, key=lambda each: (each[1].is_rest, each[1].is_name)):
        match = shape(rf"(?:{piece.pattern})(?!\S)").match(text)
        if match is not None and piece.accepts(match[0]):
            yield slot, piece, match


def words(*parts: Piece[Any] | Slot, **further: Any) -> Grammar:
    """Return the grammar with those pieces, each of which has to follow, or may, if it is `opt`."""
    return Grammar(tuple(part if isinstance(part, Slot) else Slot((part,), part.usage) for part in parts), **further)


def word(usage: str, pattern: str = "", **further: Any) -> Piece[str]:
    return Piece(usage, pattern or usage, str.lower, **further)


MATCH, MATCH_THEN = word("NUMBER", "(?!)"), word("NUMBER[#TURN]", "(?!)")
"""The match that a line is about, and also the turn after which to show it: both are read with the command's name."""
TURN = word("TURN", ".+", is_rest=True)
CONDITION = word("TURN then TURN [then if TURN then TURN ...]", ".+", is_rest=True)
TEXT = Piece("TEXT", ".+", str, is_rest=True, is_free=True, is_kept=True)
PLAYER = word("PLAYER", r"[\w-]+", is_name=True)
GAME = word("GAME")
