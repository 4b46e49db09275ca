"""What is a yes and what a no, for every question, offer and suggestion: the first line, if it says nothing else."""

import re
from collections.abc import Sequence
from enum import Enum
from functools import cache

from pbem.conversation.syntax import vocabulary
from pbem.mail.reading.text.normalize import fold

LONGEST = 100  # a longer line says something else as well
_WORDS = re.compile(r"[\w'\u2019-]*\w|\U0001f44d|\U0001f44e|\U0001f44c|\u2705|\u274c")
_BREAK = re.compile(r"\s*[.,;:!\u2013\u2014\u3001\u3002\uff0c\uff01-]")


class Answer(Enum):
    YES = "yes"
    NO = "no"


def answer(lines: Sequence[str]) -> Answer | None:
    """Return what the first line of a person's own text answers, perhaps below a greeting; None if it says more.

    A no counts with anything behind it that it is set off from, since it changes nothing.

    >>> [answer([line]) for line in ("Yes, please!", "No, that was somebody else.", "No idea what this is", "Yes?")]
    [<Answer.YES: 'yes'>, <Answer.NO: 'no'>, None, None]
    """
    line = _first(lines)
    if not line or len(line) > LONGEST or "?" in line or "\uff1f" in line:
        return None
    kinds = _phrases_in(line) - {"courtesies"}
    if kinds == {"yes"}:
        return Answer.YES
    return Answer.NO if kinds == {"no"} or _is_no_set_off(line) else None


def lines_below(lines: Sequence[str]) -> Sequence[str]:
    first = _first(lines)
    return lines[[line.strip() for line in lines].index(first) + 1 :] if first else ()


def says_only(text: str) -> bool:
    """Return whether the text consists of nothing but what may stand in an answer: it is nobody's name."""
    return bool(_phrases_in(text))


def _first(lines: Sequence[str]) -> str:
    written = [line.strip() for line in lines if line.strip()][:2]
    return written[-1 if written and _phrases_in(written[0]) == {"greetings"} else 0] if written else ""


def _is_no_set_off(line: str) -> bool:
    """Return whether a line begins with a no, perhaps said again, that a break follows: "No no, that was for Tom."."""
    for word in _WORDS.finditer(line):
        if _phrases_in(word[0]) != {"no"}:
            return False
        if _BREAK.match(line, word.end()):
            return True
    return False


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip("'-_") for word in _WORDS.findall(fold(text)))


def _phrases_in(text: str) -> set[str]:
    """Return the kinds of the phrases of which the text consists; none where it holds anything else."""
    kinds, words, known = set[str](), _words(text), _phrases()
    while words:
        length = next((length for length in range(max(map(len, known)), 0, -1) if words[:length] in known), 0)
        if not length:
            return set()
        kinds.add(known[words[:length]])
        words = words[length:]
    return kinds


@cache
def _phrases() -> dict[Sequence[str], str]:
    return {_words(phrase): kind for kind, listed in vocabulary.table("answers").items() for phrase in listed}
