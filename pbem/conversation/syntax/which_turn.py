"""Which line of a message is the turn: of several that may be one, decorated ones, and words that look like one."""

from collections.abc import Callable, Sequence
from typing import Any

from engines.core import Position
from pbem.conversation.core import Line
from pbem.conversation.syntax.commands import cells, is_short_word
from pbem.conversation.syntax.courtesies import is_of_marks, without_list_mark, without_quotes
from pbem.conversation.syntax.draft import MessageDraft
from pbem.conversation.syntax.line import ADDRESSED, LineReader
from pbem.mail.reading.text.normalize import to_ascii

LONGEST_LINE = 1_000
MOST_SEARCHED = 100
"""How many lines of words, and of what was cut, are searched for turns."""

After = Callable[[int, str], Position[Any] | None]
"""Returns the position after that turn in the match with that number as it stands; None if the turn isn't legal."""


class TurnFinder:
    """Tells the turn of a message about `match`, if it is about one, from the other lines."""

    def __init__(self, line: LineReader, match: int | None, after: After) -> None:
        self._line = line
        self._match = match
        self._after = after
        self.asked: str | None = None
        """The line that stands right below a quoted question."""

    def only_turn(self, draft: MessageDraft, page: Sequence[str]) -> str | None:
        """Return the line that is the one complete legal turn in the match that the message is about.

        None if the draft plays a turn already and nothing rivals it, or if another line is as long a turn. A line that
        isn't read as a turn is one only at the top, perhaps below a greeting.
        """
        match = self._match
        rivals = sum(map(self.is_fragment, draft.commands))
        if match is None or rivals == 1:
            return None
        lines = list(filter(None, (line.strip()[:LONGEST_LINE] for line in page)))[: MOST_SEARCHED if rivals else 2]
        turns = {self.undecorated(to_ascii(line)): line for line in reversed(lines) if not is_of_marks(to_ascii(line))}
        turns = {
            text: line
            for text, line in turns.items()
            if self._line.is_turn(text, match)
            and not (is_short_word(text) and (line != lines[0] or self._is_talked_about(text, line)))
        }
        legal = [text for text in turns if (after := self._after(match, text)) is not None and after.part is None]
        if len(legal) != 1 or any(text != legal[0] and cells(text) >= cells(legal[0]) for text in turns):
            return None
        return turns[legal[0]]

    def turn_of_marks(self, draft: MessageDraft) -> str | None:
        """Return the line of marks that is a turn, such as "----": if it is legal, and nothing else could be the turn.

        If nothing else is in the message, it is read as a turn anyway, to be refused as one.
        """
        match = self._match
        turns = [line for line in draft.separators if match is not None and self._line.is_turn(to_ascii(line), match)]
        if match is None or not turns or len(set(turns)) > 1 or draft.overlooked:
            return None
        if any(line.command.plays and line.match == match for line in draft.commands):
            return None
        if draft.commands or draft.has_words or len(turns) > 1:
            is_legal = self._after(match, to_ascii(turns[0])) is not None
            return turns[0] if len(turns) == 1 and is_legal else None
        return turns[0]

    def undecorated(self, text: str) -> str:
        """Return the line without what may stand around a turn: list or quotation marks, blanks, the number."""
        bare = without_quotes(without_list_mark(without_quotes(text.strip())))
        number = ADDRESSED.match(bare)
        if number and int(number[1]) == self._match and not number[2]:
            bare = bare[number.end() :]
        return " ".join(bare.split())

    def is_legal(self, line: Line) -> bool:
        match = line.match or self._match
        return line.command.plays and match is not None and self._after(match, line.words) is not None

    def is_fragment(self, line: Line) -> bool:
        """Return whether a line that was read as a turn isn't one, in a message whose turn is known."""
        return line.command.plays and (line.match == self._match or not line.words)

    def is_stray(self, draft: MessageDraft, line: Line) -> bool:
        """Return whether a line that is a turn may be one of the person's words: so short, and below others."""
        if not line.command.plays or line.text != line.words or not is_short_word(line.words):
            return False
        return line.text == self.asked or (draft.has_words and not draft.greets)

    def _is_talked_about(self, text: str, line: str) -> bool:
        """Return whether a short word in the first line is no turn: a number in marks, the answer to a question."""
        plain = to_ascii(line)
        return plain == self.asked or (text.isdecimal() and text != plain)
