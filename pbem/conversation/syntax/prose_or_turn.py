"""Whether a line is a turn, a board or a record, or a sentence of a person."""

import re

from pbem.conversation.syntax.sentence_entities import CELL

RECORD_ROW = re.compile(r"\d{1,3}\.?\s{2,}")
SHORTEST = 4  # how many characters a word of letters and figures has that stands in no text but as a turn


def cells(text: str) -> int:
    """Return how many cells a text names.

    >>> cells("1 c1b1 g9h9"), cells("[1]")
    (4, 0)
    """
    return len(CELL.findall(text))


def is_short_word(text: str) -> bool:
    """Return whether a text is one word that other texts have as well: a number, a square, or a word like "pass".

    >>> is_short_word("8"), is_short_word("h8"), is_short_word("pass"), is_short_word("e3f4"), is_short_word("1 a7b7")
    (True, True, True, False, False)
    """
    return len(text.split()) == 1 and (len(text) < SHORTEST or text.isalpha())


def is_board_or_record(words: str) -> bool:
    """Return whether a line is a row of one of our boards or records, quoted without marks.

    >>> [is_board_or_record(row) for row in ("x o . O x x . . x  3", "1.  ....  ....  1  c1b1  g9h9", "5 c1b1 g9h9")]
    [True, True, False]
    """
    first = words.split(maxsplit=1)[0] if words.strip() else "."
    return (len(first) == 1 and not first.isdigit()) or RECORD_ROW.match(words) is not None


def is_sentence(words: str) -> bool:
    """Return whether a text that starts like a turn is more likely prose ("3 cheers for you", "a1 is a fine square").

    >>> is_sentence("c1b1 g9h9 9"), is_sentence("c1 b1 is what I feared")
    (False, True)
    """
    return sum(word.strip(".,!?").isalpha() and len(word) > 1 for word in words.split()) > 1
