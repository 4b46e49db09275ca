"""Lines of a message -> commands and words. Nothing is executed here.

A message has perhaps a greeting, then commands, one per line, then words. The subject of a new message counts as a
line before the first if it is a command. Everything that is neither a command nor a turn is words, and belongs to the
commands that it stands under. Three rules keep a turn from getting lost among them:

- A line that begins with #NUMBER is never words, wherever it stands.
- A signature or a notice in which a command or a turn is found was written by a person, and isn't one.
- Prose that look like a turn are reported to the sender.

A line below one that may announce a quote is words that go to nobody. A turn of one short word ("8", "pass") is words
below other words, and below a quoted question. The first of such lines is suggested if there is no command above it.

Guesses are never commands; if a message has no command, a guess from its first line is suggested.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from engines.core import Position
from pbem.conversation.command import Commands, Line
from pbem.conversation.refusals import not_a_command
from pbem.conversation.syntax import wrapped_conditions
from pbem.conversation.syntax.arguments import CONDITION, TURN
from pbem.conversation.syntax.courtesies import without_list_mark, without_quotes
from pbem.conversation.syntax.line import ADDRESSED, GameOf, LineReader, Played
from pbem.conversation.syntax.message_draft import MOST_COMMANDS, MOST_READ, MessageDraft, Prose
from pbem.conversation.syntax.prose_or_turn import cells, is_short_word
from pbem.conversation.syntax.rognlie_passwords import IGNORED, without_password
from pbem.mail.reading.from_and_subject import bare_subject
from pbem.mail.reading.text.kept_and_cut_lines import Boilerplate, trim
from pbem.mail.reading.text.normalize import to_ascii
from pbem.matches.condition_parsing import LONGEST, is_plain

TAG = re.compile(r"\[pbem #(\d{1,9})(?:, [a-z ]{1,20})?\]")
SEPARATING = " \t-_=*~.#+\u2022\u00b7\u2026"
"""The marks of separators. In some games, a turn in which nothing moves consists of them as well."""
LONGEST_LINE = 1_000
MOST_SEARCHED = 100  # how many lines of words, and of what was cut, are searched for turns
MOST_OVERLOOKED = 5  # how many lines that look like turns are reported

After = Callable[[int, str], Position[Any] | None]
"""Returns the position after that turn in the match with that number as it stands; None if the turn isn't legal."""


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    commands: tuple[Line, ...] = ()
    words: tuple[Prose, ...] = ()  # if there is no command: the text below the first line
    first: str = ""  # the first line that isn't empty, for the reply to a message without commands
    guess: Line | None = None  # the command that the first line most resembles, if there is none
    subject: str = ""  # the subject, for the reply
    overlooked: tuple[str, ...] = ()  # the lines among the words that look like a turn
    beyond: tuple[str, ...] = ()  # the commands beyond the number that a message can have
    doubtful: Line | None = None
    """If there is no command: the first line that is one but for its place, below what may announce a quote, say."""
    withheld: tuple[str, ...] = ()
    """If there is a command: the lines below one that may announce a quote, which go to nobody."""

    @property
    def prose(self) -> tuple[str, ...]:
        return trim([line for block in self.words for line in (*block.lines, "")])


def tagged_match(subject: str) -> int | None:
    """Return the match in the subject of a reply.

    >>> [tagged_match(f"Re: [pbem #42{state}] Quadraphages: alice - bob") for state in ("", ", your turn")]
    [42, 42]
    """
    tag = TAG.search(subject)
    return int(tag[1]) if tag else None


class Reader:
    def __init__(
        self,
        commands: Commands,
        game_of: GameOf,
        match: int | None,
        own: str | None = None,
        after: After = lambda _number, _text: None,
        played: Played = lambda: (),
    ) -> None:
        self._commands = commands
        self._line = LineReader(commands, game_of, match, played)
        self._match = match
        self._after = after
        self._own_words = partial(without_password, own=own, commands=commands, is_turn=self._line.is_turn)

    def read(
        self,
        subject: str,
        lines: Sequence[str],
        cut: Sequence[Boilerplate] = (),
        sure: int | None = None,
        asked: str | None = None,
    ) -> ParsedMessage:
        """Return the commands and the words of the message, of whose lines the first `sure` can be commands.

        `asked` is the line that stands right below a quoted question.
        """
        sure = len(lines) if sure is None else sure
        told, is_new = self._own_words(bare_subject(subject)), bare_subject(subject) == subject
        bare = to_ascii(told)
        head = self._subject(bare)
        told = head.text if head is not None else told
        certain = self._with_commands_in([piece for piece in cut if piece.before <= sure], lines[:sure])
        page, below = ([self._own_words(line) for line in part] for part in (certain, lines[sure:]))
        is_turn = partial(self._line.is_turn, number=self._match)
        draft = self._drafted(head, wrapped_conditions.apart(page, is_turn), to_ascii(asked.strip()) if asked else "")
        withheld = trim(below) if draft.commands and not draft.keeps("") else ()
        doubtful = None if draft.commands else draft.stray
        if below and not withheld:  # what may be quoted is words; if there is no command above, one is told
            quoted = [] if draft.commands else self._drafted(None, wrapped_conditions.joined(below), "").commands
            doubtful = next((line for line in quoted if not line.malformed), doubtful)
            for line in below:
                draft.add_words(line) if line.strip() else draft.add_blank()
        if head is None and is_new and self._line.held_turn(bare) is not None:
            draft.overlooked.insert(0, told)
        found = self._found(draft, bare.strip() if is_new else "")
        return replace(found, subject=told, doubtful=doubtful, withheld=withheld)

    def _subject(self, text: str) -> Line | None:
        """Return the subject as a command; None if anything is wrong with it."""
        line = self._line.line(text, opening=True, first=True) if text else None
        if line is None or line.malformed or self._is_remark(line.text):
            return None
        return None if line.command.of_match and line.match is None else line

    def _with_commands_in(self, cut: Sequence[Boilerplate], lines: Sequence[str]) -> Sequence[str]:
        """Return the lines with those parts of what was cut that hold a command or a turn: they are no boilerplate."""
        kept: list[str] = []
        at, left = 0, MOST_SEARCHED
        for piece in cut:
            searched = piece.lines[:left]
            left -= len(searched)
            if any(map(self._counts, searched)):
                kept += [*lines[at : piece.before], "", *piece.lines, ""]
                at = piece.before
        return trim([*kept, *lines[at:]]) if kept else lines

    def _counts(self, line: str) -> bool:
        text = to_ascii(line.strip()[:LONGEST_LINE])
        found = self._line.exactly(text) if any(map(str.isalpha, text)) else None
        is_sure = found is not None and self._line.is_sure(found)
        return is_sure or ADDRESSED.match(text) is not None or self._line.held_turn(text) is not None

    def _drafted(self, head: Line | None, page: Sequence[str], question: str) -> MessageDraft:
        lines = [
            raw.strip()[: LONGEST + 1 if wrapped_conditions.begins_condition(raw.strip()) else LONGEST_LINE]
            for raw in page
        ]
        texts = list(map(to_ascii, lines))
        written = list(filter(None, texts))
        searched = (text for text in written[:MOST_SEARCHED] if not _is_of_marks(text))
        read = (self._line.line(text, opening=False) for text in searched)
        turns = [line for line in read if line is not None and line.command.plays]
        turn = self._only_turn(written, turns, question)
        pairs = ((line.match or self._match, line.words) for line in turns)
        is_played = turn is not None or any(match and self._after(match, words) for match, words in pairs)
        draft = MessageDraft(question, turn, is_played)
        if head is not None and not (draft.is_played and self._may_be_prose(head)):
            draft.add_command(head)
            draft.subject, draft.is_apart = head.text, True
        for raw, line, text in zip(page, lines, texts, strict=True):
            if line and draft.keeps(text):
                draft.add_words(raw)
            elif not line or text.lower().strip(".:!") in IGNORED:
                draft.add_blank()
            elif _is_of_marks(text) and text != draft.turn:
                draft.add_words(raw) if draft.is_below_words else draft.add_blank()
            elif draft.read < MOST_READ:
                self._add(draft, raw, text)
            elif ADDRESSED.match(text):
                draft.beyond.append(line)
            else:
                draft.add_words(raw)
        return draft

    def _add(self, draft: MessageDraft, raw: str, text: str) -> None:
        draft.read += 1
        is_turn = text == draft.turn
        read = self._command(draft, self._undecorated(text) if is_turn else text, certain=is_turn)
        is_other = draft.turn is not None and not is_turn and read is not None and self._is_fragment(read)
        if is_turn:
            draft.turn = ""  # it is played once
        if read is None or is_other or (draft.is_played and self._may_be_prose(read)):
            if draft.read <= MOST_SEARCHED and self._line.held_turn(text) is not None:
                draft.overlooked += [raw.strip()] * (len(draft.overlooked) < MOST_OVERLOOKED)
            draft.add_words(raw)
        elif len(draft.commands) >= MOST_COMMANDS:
            draft.beyond.append(raw.strip()[:LONGEST_LINE])
        elif len(draft.commands) != 1 or draft.subject != read.text:
            draft.add_command(_as_written(read, raw.strip()))

    def _command(self, draft: MessageDraft, text: str, *, certain: bool) -> Line | None:
        """Return the line as a command at its place in the message; None for words."""
        is_addressed, is_below = ADDRESSED.match(text) is not None, bool(draft.commands)
        if is_below and self._is_remark(text):
            return None
        if draft.is_below_words and not (is_addressed or certain or self._prepares(text) or self._is_private(text)):
            return None
        line = self._line.line(text, opening=not (is_below or draft.blocks), first=not is_below)
        if line is None:
            return self._misspelt(text, certain=is_addressed) if is_addressed or is_below else None
        if not (is_addressed or certain) and self._is_stray(draft, line):
            draft.stray = draft.stray or line
            return None
        return None if is_below and not is_addressed and line.malformed and not line.command.plays else line

    def _misspelt(self, text: str, *, certain: bool) -> Line | None:
        """Return the line as a refused one if it certainly is a misspelt command."""
        line = self._line.guess(text)
        is_sure = line is not None and self._line.is_sure(line) and any(map(str.isalpha, text))
        if line is None and certain:
            line = Line(self._commands.move, "", None, text)
        elif line is None or not (certain or is_sure):
            return None
        return replace(line, text=text, malformed=True, refusal=not_a_command(text, line))

    def _prepares(self, text: str) -> bool:
        """Return whether a line below words prepares a turn, so that it is not for the opponent to read."""
        line = self._line.exactly(text) if wrapped_conditions.begins_condition(text) else None
        if line is None or line.malformed:
            return False
        return self._line.is_sure(line) if line.command.grammar.has(TURN) else is_plain(line.words)

    def _is_private(self, text: str) -> bool:
        verb, _, words = text.partition(" ")
        command = self._commands.get(verb.lower().rstrip(":"))
        is_private = command is not None and command.grammar.takes_below and not command.of_admin
        return is_private and command is not None and (not words or command.grammar.read(words).fits)

    def _is_remark(self, text: str) -> bool:
        """Return whether a line is a remark to somebody else, though it begins as a command does: "Human: I'm away"."""
        verb = text.partition(" ")[0]
        return verb.endswith(":") and verb[0].isupper() and self._is_private(text)

    def _may_be_prose(self, line: Line) -> bool:
        """Return whether a line may be a sentence that begins with a command's word: what follows it can't be read."""
        command = line.command
        if self._is_remark(line.text):
            return True
        is_secret = command.grammar.has(CONDITION) or command.grammar.takes_below or command.of_admin
        if not line.words or is_secret or ADDRESSED.match(line.text) or line.refusal:
            return False
        is_open = any(piece.is_name or piece.is_rest for piece in command.grammar.pieces)
        return line.malformed or (is_open and not command.changes and not self._line.is_sure(line))

    def _only_turn(self, texts: Sequence[str], turns: Sequence[Line], question: str) -> str | None:
        """Return the line that is the one complete legal turn in the match that the message is about.

        None if only one line is a turn as it stands, or if another one is as long a turn. A line that isn't a turn as
        it stands is one only at the top, perhaps below a greeting. A line of marks, such as "----", is one if nothing
        else could be, and it is legal or stands alone: then it is read as a turn anyway, to be refused as one.
        """
        match, rivals = self._match, sum(map(self._is_fragment, turns))
        if match is None or rivals == 1:
            return None
        if not rivals and (marks := [text for text in texts if _is_of_marks(text) and self._line.is_turn(text, match)]):
            is_played = len(texts) == 1 or (len(marks) == 1 and self._after(match, marks[0]) is not None)
            return marks[0] if is_played else None
        found: dict[str, str] = {}
        for text in texts[: MOST_SEARCHED if rivals else 2]:
            bare = self._undecorated(text)
            is_answer = text == question or (bare.isdecimal() and text != bare)
            if is_short_word(bare) and (text != texts[0] or is_answer):
                continue
            if not _is_of_marks(text) and self._line.is_turn(bare, match):
                found.setdefault(bare, text)
        legal = [bare for bare in found if (after := self._after(match, bare)) is not None and after.part is None]
        if len(legal) != 1 or any(bare != legal[0] and cells(bare) >= cells(legal[0]) for bare in found):
            return None
        return found[legal[0]]

    def _undecorated(self, text: str) -> str:
        """Return the line without what may stand around a turn: list or quotation marks, blanks, the number."""
        bare = without_quotes(without_list_mark(without_quotes(text.strip())))
        number = ADDRESSED.match(bare)
        if number and int(number[1]) == self._match and not number[2]:
            bare = bare[number.end() :]
        return " ".join(bare.split())

    def _is_fragment(self, line: Line) -> bool:
        """Return whether a line that was read as a turn isn't one, in a message whose turn is known."""
        return line.command.plays and (line.match == self._match or not line.words)

    @staticmethod
    def _is_stray(draft: MessageDraft, line: Line) -> bool:
        """Return whether a line that is a turn may be one of the person's words: so short, and below others."""
        if not line.command.plays or line.text != line.words or not is_short_word(line.words):
            return False
        return line.text == draft.question or (bool(draft.blocks) and not draft.greets)

    def _found(self, draft: MessageDraft, subject: str) -> ParsedMessage:
        before = [line for block in draft.words if not block.under for line in block.lines]
        written = [line.strip() for line in before if line.strip()]
        first = written[0][:LONGEST_LINE] if written else ""
        if draft.commands:
            played = {line.match or self._match for line in draft.commands if line.command.plays}
            overlooked = tuple(line for line in draft.overlooked if self._is_missing(line, played))
            commands = tuple(draft.commands)
            return ParsedMessage(commands, draft.words, first, overlooked=overlooked, beyond=tuple(draft.beyond))
        first = first or subject
        rest = trim(before[1:])
        words = (Prose(rest),) if rest else ()
        guess = self._line.guess(to_ascii(first))
        return ParsedMessage((), words, first, guess, overlooked=tuple(draft.overlooked))

    def _is_missing(self, line: str, played: set[int | None]) -> bool:
        """Return whether a turn among the words may have been meant, and isn't merely talked about."""
        text = to_ascii(line)
        named = self._line.match_named_in(text)
        if named is not None:
            return named not in played
        return self._match not in played or self._line.is_turn(text, self._match)


def _is_of_marks(text: str) -> bool:
    """Return whether a line consists of the marks of a separator alone.

    >>> _is_of_marks("---"), _is_of_marks("* * *"), _is_of_marks("..."), _is_of_marks(":-)"), _is_of_marks("?")
    (True, True, True, False, False)
    """
    return not text.strip(SEPARATING)


def _as_written(line: Line, written: str) -> Line:
    """Return the line with its original characters, for showing it or passing it on."""
    plain = to_ascii(written[:LONGEST_LINE])
    if line.text != plain or plain == written:
        return line
    is_free = line.command.grammar.is_kept or line.command.of_admin
    words = written[len(plain) - len(line.words) :] if is_free else line.words
    return replace(line, words=words, text=written[:LONGEST_LINE])
