"""Lines of a message -> commands and words. Nothing is executed here.

A message has perhaps a greeting, then commands, one per line, then words. The subject of a new message counts as a
line before the first if it is a command. Each line is read once; whether it counts depends on its place:

- A line that begins with #NUMBER is never words, and neither is the one complete legal turn.
- Beside a legal turn, what may be prose is prose. Below words, only what is private is a command.
- A turn of one short word ("8", "pass") is words below other words, and below a quoted question.
- Lines below one that may announce a quote are words, which go to nobody.

Turns among words are reported. If there is no command, the first line that would be one elsewhere is suggested.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import Any

from engines.core import Position
from notation.games import GAMES
from pbem.conversation.command import Commands, Line
from pbem.conversation.refusals import not_a_command
from pbem.conversation.syntax.arguments import CONDITION, TURN
from pbem.conversation.syntax.line import ADDRESSED, GameOf, LineReader, Played
from pbem.conversation.syntax.prose import is_greeting, is_short_word, undecorated
from pbem.mail.reading.from_and_subject import bare_subject
from pbem.mail.reading.text.kept_and_cut_lines import WrittenText, trim
from pbem.mail.reading.text.normalize import to_ascii
from pbem.matches import wrapped_conditions
from pbem.matches.turns_in_text import cells

SEPARATING = " \t-_=*~.#+\u2022\u00b7\u2026"  # in some games, a turn in which nothing moves has only such marks
MOST_COMMANDS = 20

After = Callable[[int, str], Position[Any] | None]  # returns the position after a turn in that match, if it is legal


@dataclass(frozen=True, slots=True)
class Prose:
    lines: tuple[str, ...]
    under: tuple[Line, ...] = ()  # the command right above them; below a blank line, all that stand together there


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    commands: tuple[Line, ...] = ()
    words: tuple[Prose, ...] = ()  # if there is no command: the text below the first line
    first: str = ""  # if there is no command: the first line that isn't empty
    guess: Line | None = None  # the command that the first line most resembles, if there is none
    subject: str = ""  # the subject, for the reply
    overlooked: tuple[str, ...] = ()  # the lines among the words that look like a turn
    beyond: tuple[str, ...] = ()  # the commands beyond the number that a message can have
    doubtful: Line | None = None  # if there is no command: the first line that is one but for its place
    withheld: tuple[str, ...] = ()  # if there is one: the lines that may be quoted, which go to nobody
    items: tuple[tuple[bool, str], ...] = ()  # its lines, and whether each is a command: so it can be held

    @property
    def prose(self) -> tuple[str, ...]:
        return trim([line for block in self.words for line in (*block.lines, "")])


@dataclass
class _Draft:
    """A message as far as it has been read."""

    turn: str | None  # the line that is the turn in the match that the message is about: no other one can be
    is_played: bool  # whether the message has a legal turn: what may be a sentence is one
    items: list[tuple[Line | None, str]] = field(default_factory=list)  # each line, as a command if it is one

    @property
    def commands(self) -> tuple[Line, ...]:
        return tuple(line for line, _ in self.items if line is not None)

    @property
    def words(self) -> Iterator[Prose]:
        above: tuple[Line, ...] = ()
        for is_text, group in groupby(self.items, lambda item: item[0] is None):
            found = list(group)
            if is_text and (lines := trim([text for _, text in found])):
                yield Prose(lines, above[-1:] if found[0][1].strip() else above)
            above = tuple(line for line, _ in found if line is not None)

    @property
    def is_below_words(self) -> bool:
        return any(block.under for block in self.words)

    def keeps(self, text: str) -> bool:
        """Return whether the line belongs to the last command, whatever it says: a player's line names no match."""
        last = self.commands[-1].command if self.commands else None
        return last is not None and last.grammar.takes_below and (last.of_admin or not ADDRESSED.match(text))


@dataclass
class Reader:
    commands: Commands
    game_of: GameOf
    match: int | None
    own: str | None = None
    after: After = lambda _number, _text: None
    played: Played = tuple

    def __post_init__(self) -> None:
        self._line = LineReader(self.commands, self.game_of, self.match, self.played)
        self._is_turn = partial(self._line.is_turn, number=self.match)

    def read(self, subject: str, text: WrittenText | Sequence[str]) -> ParsedMessage:
        """Return the commands and the words of a message, of which `sure` lines can be commands."""
        text = text if isinstance(text, WrittenText) else WrittenText(tuple(text))
        sure = len(text.lines) if text.sure is None else text.sure
        is_new, told = bare_subject(subject) == subject, self._without_password(bare_subject(subject))
        head = self._line.line(to_ascii(told), opening=True)
        if head and (head.malformed or _is_remark(head) or (head.command.of_match and head.match is None)):
            head = None
        page = list(text.lines[:sure])
        for piece in reversed(text.cut):
            if piece.before <= sure and any(self._is_meant(to_ascii(line.strip())) for line in piece.lines):
                page[piece.before : piece.before] = ["", *piece.lines, ""]
        page, below = ([self._without_password(line) for line in part] for part in (page, text.lines[sure:]))
        draft = self._drafted(head, wrapped_conditions.apart(page, self._is_turn), to_ascii(text.asked or "").strip())
        withheld = trim(below) if draft.commands and not draft.keeps("") else ()
        overlooked = tuple(self._overlooked(draft, told if head is None and is_new else ""))
        draft.items += [(None, line) for line in (() if withheld else below)]
        found = _found(draft, subject=head.text if head else told, overlooked=overlooked, withheld=withheld)
        if found.commands:
            return found
        first, *_ = map(str.strip, found.prose or (told if is_new else "",))
        read = (self._line.line(to_ascii(line.strip())) for line in (*found.prose, *map(undecorated, below)))
        whole = (line for line in read if line is not None and not line.malformed)
        doubtful = min(whole, key=lambda line: not line.command.plays, default=None)
        words = (Prose(trim(found.prose[1:])),)
        return replace(found, words=words, first=first, guess=self._line.guess(to_ascii(first)), doubtful=doubtful)

    def restored(self, items: Sequence[tuple[bool, str]], withheld: tuple[str, ...]) -> ParsedMessage:
        """Return what was held of a message: whether a line counts where it stands isn't decided again."""
        draft = _Draft(None, is_played=False)
        for is_command, text in items:
            line = self._line.line(to_ascii(text), opening=True) if is_command else None
            line = line or (self._misspelt(text, certain=True) if is_command else None)
            draft.items.append((line and _as_written(line, text), "" if line else text))
        return _found(draft, overlooked=tuple(self._overlooked(draft, "")), withheld=withheld)

    def _without_password(self, text: str) -> str:
        """Return a line for Rognlie's server without userid and password; what is a turn behind the userid is none."""
        words = text.split()
        bare = [to_ascii(word).lower().strip(".,:;!?\"'[]#") for word in words]
        head = bare[: bare.index(self.own)] if self.own in bare else []
        number = next((int(word) for word in head if word.isdecimal()), None)
        verb = " ".join(word for word in head if not (word.isdecimal() or word in ("password", "pbem")))
        line = self._line.exactly(self._line.respelt(verb or "move")) if head else None
        command = line.command if line is not None and not line.words else None
        if command is None or command.of_admin or command.takes_name:
            return text
        if command.grammar.is_kept and head[0] not in GAMES:
            return text
        rest = [] if "password" in head else words[len(head) + 1 :]
        is_turn = self._line.is_turn(to_ascii(" ".join(rest)).partition("#")[0], number)
        return " ".join((*words[: len(head)], *(rest if is_turn else rest[1:])))

    def _is_meant(self, text: str) -> bool:
        """Return whether a line of what was cut is a command or a turn, so that a person wrote all of it."""
        line = self._line.exactly(text) if any(map(str.isalpha, text)) else None
        return any((line and self._line.is_sure(line), ADDRESSED.match(text), self._line.held_turn(text)))

    def _drafted(self, head: Line | None, page: Sequence[str], asked: str) -> _Draft:
        plain, is_answer = map(to_ascii, map(str.strip, page)), is_short_word(asked) and self._is_turn(asked)
        texts = [f"> {text}" if is_answer and text == asked else text for text in plain]
        written = list(filter(None, texts))
        opening = written[0] if written and head is None else ""
        read = {text: self._line.line(text, opening=text == opening) for text in written if text.strip(SEPARATING)}
        turns = [line for text in written if (line := read.get(text)) is not None and line.command.plays]
        turn = self._only_turn(written, turns)
        numbered = ((line.match or self.match, line.words) for line in turns)
        draft = _Draft(turn, turn is not None or any(n and self.after(n, words) for n, words in numbered))
        if head is not None and not (draft.is_played and self._may_be_prose(head)):
            draft.items += [(head, ""), (None, "")]
        for raw, text in zip(page, texts, strict=True):
            if draft.keeps(text):
                draft.items.append((None, raw))
            elif (line := self._at_its_place(draft, text, read.get(text))) is None:
                is_blank = text.lower() == "multiple" or not (text.strip(SEPARATING) or draft.is_below_words)
                draft.items.append((None, "" if is_blank else raw))
            elif head is None or draft.commands != (head,) or line.text != head.text:
                draft.items.append((_as_written(line, raw.strip()), ""))
        return draft

    def _at_its_place(self, draft: _Draft, text: str, line: Line | None) -> Line | None:
        """Return a line as a command if it counts as one where it stands; None for words."""
        is_below, is_addressed, is_misspelt = bool(draft.commands), ADDRESSED.match(text) is not None, line is None
        if text and text == draft.turn:
            draft.turn = ""  # it is played once
            return self._line.line(self._bare(text))
        if is_misspelt and (is_addressed or (is_below and not draft.is_below_words)):
            line = self._misspelt(text, certain=is_addressed)
        if line is None or (draft.turn is not None and self._is_fragment(line)):
            return None
        if is_addressed or is_misspelt:
            return line
        if (is_below and _is_remark(line)) or (draft.is_played and self._may_be_prose(line)):
            return None
        if draft.is_below_words:
            prepares = line.command.grammar.has(TURN, CONDITION) and not line.command.plays
            return line if _is_private(line) or (prepares and self._line.is_sure(line)) else None
        if line.command.plays and line.text == line.words and is_short_word(line.words):
            above = [line for block in draft.words for line in block.lines]
            is_at_top = not above or (not is_below and all(map(is_greeting, above)))
            return line if is_at_top else None
        return None if is_below and line.malformed and not line.command.plays else line

    def _misspelt(self, text: str, *, certain: bool) -> Line | None:
        """Return the line as a refused one if it certainly is a misspelt command."""
        line = self._line.guess(text) or (Line(self.commands.move, "", None, text) if certain else None)
        if line is None or not (certain or (self._line.is_sure(line) and any(map(str.isalpha, text)))):
            return None
        return replace(line, text=text, malformed=True, refusal=not_a_command(text, line))

    def _may_be_prose(self, line: Line) -> bool:
        """Return whether a line may be a sentence that begins with a command's word: what follows it can't be read."""
        command = line.command
        if not line.words or _is_private(line) or command.grammar.has(CONDITION) or command.of_admin or line.refusal:
            return _is_remark(line)
        is_open = any(piece.is_name or piece.is_rest for piece in command.grammar.pieces)
        return line.malformed or (is_open and not command.changes and not self._line.is_sure(line))

    def _only_turn(self, texts: Sequence[str], turns: Sequence[Line]) -> str | None:
        """Return the line that is the one complete legal turn in the match that the message is about.

        None if only one is a turn as it stands, or another one is as long. In quotation marks or a list, it stands at
        the top. A line of marks is a turn if it is legal, or all that there is.
        """
        match, rivals = self.match, sum(map(self._is_fragment, turns))
        if match is None or rivals == 1:
            return None
        marks = [text for text in texts if not text.strip(SEPARATING) and self._is_turn(text)]
        if marks and not rivals:
            return marks[0] if len(texts) == 1 or (len(marks) == 1 and self.after(match, marks[0])) else None
        bare = {self._bare(text): text for text in reversed(texts if rivals else texts[:2])}
        found = [turn for turn in bare if self._is_turn(turn)]
        found = [turn for turn in found if not is_short_word(turn) or texts[0] == bare[turn] == turn]
        legal = [turn for turn in found if (after := self.after(match, turn)) is not None and after.part is None]
        if len(legal) != 1 or any(turn != legal[0] and cells(turn) >= cells(legal[0]) for turn in found):
            return None
        return bare[legal[0]]

    def _bare(self, text: str) -> str:
        """Return the line without what may stand around a turn: list or quotation marks, blanks, the match's number."""
        bare = undecorated(text)
        number = ADDRESSED.match(bare)
        is_own = number is not None and int(number[1]) == self.match and not number[2]
        return " ".join((bare[number.end() :] if number and is_own else bare).split())

    def _is_fragment(self, line: Line) -> bool:
        """Return whether a line that was read as a turn isn't one, in a message whose turn is known."""
        return line.command.plays and (line.match == self.match or not line.words)

    def _overlooked(self, draft: _Draft, subject: str) -> Iterator[str]:
        """Yield the lines of words that hold a turn which may have been meant, and isn't merely talked about."""
        played = {line.match or self.match for line in draft.commands if line.command.plays}
        blocks = (block for block in draft.words if not any(map(_is_private, block.under[-1:])))
        for line in (subject, *(line.strip() for block in blocks for line in block.lines)):
            text = to_ascii(line)
            named = self._line.match_named_in(text)
            is_other = (named or self.match) not in played or (named is None and self._is_turn(text))
            if is_other and self._line.held_turn(text) is not None:
                yield line


def _found(draft: _Draft, **further: Any) -> ParsedMessage:
    commands, beyond = draft.commands[:MOST_COMMANDS], tuple(line.text for line in draft.commands[MOST_COMMANDS:])
    items = tuple((line is not None, line.text if line else raw) for line, raw in draft.items)
    return ParsedMessage(commands, tuple(draft.words), beyond=beyond, items=items, **further)


def _is_private(line: Line) -> bool:
    """Return whether a player's line takes all lines below it, for nobody else to read."""
    return line.command.grammar.takes_below and not line.command.of_admin


def _is_remark(line: Line) -> bool:
    """Return whether a line is a remark to somebody else, though it begins as a command does: "Note: I'm away"."""
    verb = line.text.partition(" ")[0]
    return verb.endswith(":") and verb[0].isupper() and _is_private(line)


def _as_written(line: Line, written: str) -> Line:
    """Return the line with its original characters, for showing it or passing it on."""
    text, words = line.text, line.words
    if text == to_ascii(written):
        is_free = line.command.grammar.is_kept or line.command.of_admin
        text, words = written, written[len(written) - len(words) :] if is_free else words
    return replace(line, words=words, text=text)
