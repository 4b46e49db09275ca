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
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from pbem.conversation.core import Line
from pbem.conversation.refusals import not_a_command
from pbem.conversation.syntax import wrapped
from pbem.conversation.syntax.commands import Commands
from pbem.conversation.syntax.courtesies import is_of_marks
from pbem.conversation.syntax.draft import MOST_COMMANDS, MOST_READ, MessageDraft, Prose
from pbem.conversation.syntax.grammar import CONDITION, TURN
from pbem.conversation.syntax.line import ADDRESSED, GameOf, LineReader, Played
from pbem.conversation.syntax.rognlie import IGNORED, Translation, Translator
from pbem.conversation.syntax.which_turn import LONGEST_LINE, MOST_SEARCHED, After, TurnFinder
from pbem.mail.reading.from_header import bare_subject
from pbem.mail.reading.text.normalize import to_ascii
from pbem.mail.reading.text.written import Cut, trim
from pbem.matches.conditions import LONGEST, is_plain

TAG = re.compile(r"\[pbem #(\d{1,9})(?:, [a-z ]{1,20})?\]")
MOST_OVERLOOKED = 5
"""How many lines that look like turns are reported."""
MOST_BEYOND = 50

Answers = Callable[[Line], bool]
"""Returns whether there is an answer to a line that changes nothing."""


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    commands: tuple[Line, ...]
    words: tuple[Prose, ...]
    """If there is no command: the text below the first line."""
    first: str
    """The first line that isn't empty, for the reply to a message without commands."""
    guess: Line | None = None
    """The command that the first line most resembles, if there is none."""
    subject: str = ""
    """The subject, for the reply."""
    overlooked: tuple[str, ...] = ()
    """The lines among the words that look like a turn."""
    beyond: tuple[str, ...] = ()
    """The commands beyond the number that a message can have."""
    below: tuple[str, ...] = ()  # lines among the words that are commands, but for their place below words
    doubtful: Line | None = None
    """If there is no command: the first line that is one but for its place, below what may announce a quote, say."""
    withheld: tuple[str, ...] = ()
    """If there is a command: the lines below one that may announce a quote, which go to nobody."""

    @property
    def prose(self) -> tuple[str, ...]:
        return trim([line for block in self.words for line in (*block.lines, "")])


def tagged_match(subject: str) -> int | None:
    """Return the match in the subject of a reply.

    >>> tagged_match("Re: [pbem #42, your turn] Quadraphages: alice - bob")
    42
    >>> tagged_match("Re: [pbem #42] Quadraphages: alice - bob")
    42
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
        answers: Answers = lambda _line: True,
    ) -> None:
        self._commands = commands
        self._line = LineReader(commands, game_of, match, played)
        self._match = match
        self._turns = TurnFinder(self._line, match, after)
        self._answers = answers
        self._translator = Translator(own, commands.verbs, commands.naming, self._line.is_turn, commands.of_admin)

    def read(
        self,
        subject: str,
        lines: Sequence[str],
        cut: Sequence[Cut] = (),
        sure: int | None = None,
        asked: str | None = None,
    ) -> ParsedMessage:
        """Return the commands and the words of the message, of whose lines the first `sure` can be commands.

        `asked` is the line that stands right below a quoted question.
        """
        head = self._subject(subject)
        self._turns.asked = to_ascii(asked.strip()) if asked else None
        sure = len(lines) if sure is None else sure
        page = self._with_commands_in([piece for piece in cut if piece.before <= sure], lines[:sure])
        draft = self._drafted(head, page)
        if draft.unread and draft.commands:
            draft = self._drafted(head, page, strict=True)
        if (turn := self._turns.turn_of_marks(draft) or self._turns.only_turn(draft, page)) is not None:
            draft = self._drafted(head, page, turn=turn)
        if prose := {line.text for line in draft.commands if self._may_be_prose(line)}:
            rest = [line for line in head if line.text not in prose]
            other = self._drafted(rest, page, turn=turn, prose=prose)
            if any(map(self._turns.is_legal, other.commands)):
                draft, head = other, rest
        withheld = trim(lines[sure:]) if draft.commands and not draft.keeps("") else ()
        below = self._below_doubt(draft, () if withheld else lines[sure:])
        doubtful = below if draft.commands or draft.stray is None else draft.stray
        bare = bare_subject(subject)
        told = " ".join(line.text for line in head) or self._translator.translate(to_ascii(bare))[0].text
        told = self._translator.without_password(bare if told == to_ascii(bare) else told)
        if not head and bare == subject and self._line.held_turn(to_ascii(told)) is not None:
            draft.overlooked.insert(0, told)
        return replace(self._reading(subject, told, draft), doubtful=doubtful, withheld=withheld)

    def _below_doubt(self, draft: MessageDraft, lines: Sequence[str]) -> Line | None:
        """Add the lines as words; return the first of them that would be a command, if there is none above them."""
        found = self._drafted((), lines).commands if lines and not draft.commands else ()
        for line in lines:
            draft.add_words(line) if line.strip() else draft.add_blank()
        draft.close()
        return next((line for line in found if not line.malformed), None)

    # The text ----------------------------------------------------------------------------

    def _with_commands_in(self, cut: Sequence[Cut], lines: Sequence[str]) -> Sequence[str]:
        """Return the lines with those parts of what was cut that hold a command or a turn: they are no boilerplate."""
        kept: list[str] = []
        at = 0
        left = MOST_SEARCHED
        for piece in cut:
            searched = piece.lines[:left]
            left -= len(searched)
            if any(map(self._counts, searched)):
                kept += [*lines[at : piece.before], "", *piece.lines, ""]
                at = piece.before
        return trim([*kept, *lines[at:]]) if kept else lines

    def _counts(self, line: str) -> bool:
        text = to_ascii(line.strip()[:LONGEST_LINE])
        if not text:
            return False
        if ADDRESSED.match(text):
            return True
        found = self._line.exactly(text) if any(map(str.isalpha, text)) else None
        if found is not None and not found.malformed:
            free = found.command.grammar.counts_below_signature and text[:1].islower() and bool(found.words)
            if free or self._line.is_sure(found):
                return True
        return self._line.held_turn(text) is not None

    def _drafted(
        self,
        head: Sequence[Line],
        page: Sequence[str],
        *,
        strict: bool = False,
        turn: str | None = None,
        prose: Collection[str] = (),
    ) -> MessageDraft:
        """Return the commands and words in the lines.

        With `strict`, lines that begin with #NUMBER and can't be read are commands too. `turn` is the line that is the
        turn in the match that the message is about: no other one can be. `prose` are lines that are words for sure.
        """
        draft, is_played = MessageDraft(head), False
        for raw in wrapped.joined(page):
            if raw.strip() and draft.keeps(to_ascii(raw.strip()[:LONGEST_LINE])):
                draft.add_words(raw)
                continue
            line = raw.strip()[: LONGEST + 1 if wrapped.begins_condition(raw.strip()) else LONGEST_LINE]
            if not line or line.lower().strip(".:!") in IGNORED:
                draft.add_blank()
                continue
            text, is_turn = to_ascii(line), line == turn and not is_played
            is_played = is_played or is_turn
            if is_of_marks(text) and not is_turn:
                draft.separators.append(line)
                draft.add_words(raw) if draft.is_below_words else draft.add_blank()
                continue
            if draft.is_full and ADDRESSED.match(text):
                draft.beyond += [line] * (len(draft.beyond) < MOST_BEYOND)
                continue
            if draft.read >= MOST_READ:
                draft.add_words(raw)
                continue
            draft.read += 1
            translated = self._translator.translate(self._turns.undecorated(text) if is_turn else text)
            words = raw if translated[0].text == text else translated[0].text
            read = self._read_line(draft, translated, strict=strict, certain=is_turn)
            is_prose = bool(read) and read[0].text in prose
            if not read or is_prose or (turn is not None and not is_turn and self._turns.is_fragment(read[0])):
                self._note(draft, translated[0].text, words)
                draft.add_words(words)
            elif len(draft.commands) >= MOST_COMMANDS:
                draft.beyond += [words.strip()] * (len(draft.beyond) < MOST_BEYOND)
            elif not (draft.commands == [*head] and [each.text for each in read] == [each.text for each in head]):
                draft.add_commands(
                    [_as_written(each, line, raw.strip()[len(line) :]) for each in read]
                )  # unless the subject has it already
        draft.close()
        return draft

    def _read_line(
        self, draft: MessageDraft, translated: tuple[Translation, ...], *, strict: bool, certain: bool
    ) -> tuple[Line, ...]:
        text = translated[0].text
        addressed = ADDRESSED.match(text) is not None
        if draft.commands and self._is_remark(text):
            return ()
        if draft.is_below_words and not (addressed or certain or self._prepares(text) or self._is_private(text)):
            return ()
        read = self._lines(translated, opening=not draft.commands and not draft.has_words, first=not draft.commands)
        if read and not (addressed or certain) and self._turns.is_stray(draft, read[0]):
            draft.stray = draft.stray or read[0]
            return ()
        if addressed and not read:
            draft.unread.append(text)
            return self._unread(text) if strict else ()
        below = bool(draft.commands) and not addressed
        if below and not read:
            return self._misspelt(text)
        if below and read[0].malformed and not translated[0].refusal and not read[0].command.plays:
            return ()
        return read

    def _prepares(self, text: str) -> bool:
        """Return whether a line below words prepares a turn, so that it is not for the opponent to read."""
        line = self._line.exactly(text) if wrapped.begins_condition(text) else None
        if line is None or line.malformed:
            return False
        return self._line.is_sure(line) if line.command.grammar.has(TURN) else is_plain(line.words)

    def _is_private(self, text: str) -> bool:
        verb, _, words = text.partition(" ")
        command = self._commands.get(verb.lower().rstrip(":"))
        is_private = command is not None and command.grammar.takes_below and not command.of_admin
        return is_private and command is not None and (not words or command.grammar.read(words).fits)

    def _is_remark(self, text: str) -> bool:
        """Return whether a line is a remark to somebody else: "Note: I'm away", where ours would be "note I'm away"."""
        verb = text.partition(" ")[0]
        return verb.endswith(":") and verb[0].isupper() and self._is_private(text)

    def _note(self, draft: MessageDraft, text: str, prose: str) -> None:
        """Remember a line of words that looks like a turn, or is a command but for its place below words."""
        draft.searched += 1
        fits = draft.searched <= MOST_SEARCHED
        if fits and len(draft.overlooked) < MOST_OVERLOOKED and self._line.held_turn(text) is not None:
            draft.overlooked.append(prose.strip())
        if fits and draft.is_below_words and self._counts(text):
            draft.below.append(prose.strip())

    def _may_be_prose(self, line: Line) -> bool:
        """Return whether a line may be a sentence that begins with a command's word: what follows it can't be read."""
        command = line.command
        if self._is_remark(line.text):
            return True
        is_secret = command.grammar.has(CONDITION) or command.grammar.takes_below or command.of_admin
        if not line.words or is_secret or ADDRESSED.match(line.text) or (line.refusal and not command.newcomer.rank):
            return False
        return line.malformed or not (command.changes or self._line.is_sure(line) or self._answers(line))

    def _reading(self, subject: str, told: str, draft: MessageDraft) -> ParsedMessage:
        before = [line for block in draft.words if not block.under for line in block.lines]
        before = before or draft.separators[:1]
        first = _first(before)
        if draft.commands:
            played = {line.match or self._match for line in draft.commands if line.command.plays}
            return ParsedMessage(
                tuple(draft.commands[:MOST_COMMANDS]),
                tuple(draft.words),
                first,
                subject=told,
                overlooked=self._without_passwords(line for line in draft.overlooked if self._is_missing(line, played)),
                beyond=self._without_passwords(draft.beyond),
                below=tuple(draft.below),
            )
        fresh = to_ascii(subject) if subject == bare_subject(subject) else ""
        first = first or self._translator.translate(fresh)[0].text.strip()
        others = sum(bool(line.strip()) for line in before) > 1
        if not others and (only := self._line.looking(to_ascii(first))):
            return ParsedMessage((only,), (), first, subject=told)
        rest = trim(before[before.index(next(line for line in before if line.strip())) + 1 :]) if others else ()
        return ParsedMessage(
            (),
            (Prose(rest),) if rest else (),
            self._translator.without_password(first),
            self._line.guess(to_ascii(first)),
            told,
            overlooked=self._without_passwords(draft.overlooked),
        )

    def _without_passwords(self, lines: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(self._translator.without_password, lines))

    def _is_missing(self, line: str, played: set[int | None]) -> bool:
        """Return whether a turn among the words may have been meant, and isn't merely talked about."""
        text = to_ascii(line)
        named = self._line.match_named_in(text)
        if named is not None:
            return named not in played
        return self._match not in played or self._line.is_turn(text, self._match)

    # Lines -------------------------------------------------------------------------------

    def _subject(self, subject: str) -> list[Line]:
        """Return the subject as commands; none if anything is wrong with it."""
        bare = to_ascii(bare_subject(subject))
        lines = self._lines(self._translator.translate(bare), opening=True, first=True) if bare else ()
        fit = all(
            not line.malformed
            and not self._is_remark(line.text)
            and (not line.command.of_match or line.match is not None)
            for line in lines
        )
        return [*lines] if fit else []

    def _lines(self, translated: Sequence[Translation], *, opening: bool, first: bool) -> tuple[Line, ...]:
        lines = [
            self._line.line(each.text, opening=opening, first=first) or self._without_counterpart(each)
            for each in translated
        ]
        if any(line is None for line in lines):
            return ()
        return tuple(
            replace(line, malformed=True, refusal=each.refusal) if each.refusal else line
            for line, each in zip(lines, translated, strict=True)
            if line is not None
        )

    def _without_counterpart(self, translated: Translation) -> Line | None:
        """Return one of Rognlie's commands that has no counterpart here: it is refused, and isn't words."""
        return Line(self._commands.move, "", None, translated.text, malformed=True) if translated.refusal else None

    def _misspelt(self, text: str) -> tuple[Line, ...]:
        """Return the line right below a command as a refused one if it certainly is a misspelt command."""
        line = self._line.guess(text)
        if line is None or not self._line.is_sure(line):
            return ()
        return (replace(line, text=text, malformed=True, refusal=not_a_command(text, line)),)

    def _unread(self, text: str) -> tuple[Line, ...]:
        line = self._line.guess(text) or Line(self._commands.move, "", None, text)
        return (replace(line, text=text, malformed=True, refusal=not_a_command(text, line)),)


def _as_written(line: Line, written: str, beyond: str) -> Line:
    """Return the line with its original characters, for showing it or passing it on, and what a text has beyond."""
    if beyond and line.command.grammar.is_kept:
        cut = _as_written(line, written, "")
        return replace(cut, words=cut.words + beyond)
    plain = to_ascii(written)
    if plain == written or line.text != plain:
        return line
    is_free = line.command.grammar.is_kept or line.command.of_admin
    words = written[len(written) - len(line.words) :] if is_free and line.words else line.words
    return replace(line, words=words, text=written)


def _first(lines: Sequence[str]) -> str:
    return next((line.strip() for line in lines if line.strip()), "")[:LONGEST_LINE]
