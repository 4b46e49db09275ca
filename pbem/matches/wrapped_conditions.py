"""Conditions that a mail program has wrapped, or joined to a turn, on lines of their own; other lines stay as they are.

What follows one belongs to it where it begins with `then`, where the line above lacks a turn, and where that line is
nearly full and nothing but parts of turns follows.
"""

import re
from collections.abc import Callable, Sequence

from pbem.mail.reading.text.normalize import to_ascii
from pbem.matches.condition_parsing import LONGEST, seems_meant

NUMBERED = re.compile(r"#\s?\d{1,9}[\s:,;.)\]]+")
BEGINS = re.compile(rf"(?:{NUMBERED.pattern})?(if|else|queue)\b", re.IGNORECASE)
LACKS = re.compile(r"\b(?:if|then|else)[,:;]?$", re.IGNORECASE)
PART = re.compile(r"[^a-z]*\d.*|.*[a-z]\d.*|[^a-z0-9]+|[+x]{4}|then|if|else|quadrupel|enter|pass|swap", re.IGNORECASE)
"""A word that stands in turns and conditions."""
NEARLY_FULL = 60  # a line is wrapped where its next word would not fit; the shortest that programs make have 65


def apart(lines: Sequence[str], is_turn: Callable[[str], bool]) -> list[str]:
    """Return the lines with each condition in one of its own, behind the turn with which it was joined."""
    whole: list[str] = []
    last = ""
    for line in lines:
        text = line.strip()
        if last and text and len(whole[-1]) <= LONGEST and _belongs(text, last):
            whole[-1], last = f"{whole[-1].rstrip()} {text}", text
            continue
        turn, word, condition = line.partition(" if ")
        plain = to_ascii(turn.strip(" ,;"))
        number = found[0] if (found := NUMBERED.match(plain)) else ""
        if word and is_turn(plain.removeprefix(number)) and _begins(f"if {condition}"):
            whole.append(turn.rstrip(" ,;"))
            line = text = f"{number}if {condition}"
        whole.append(line)
        last = text if _begins(text) else ""
    return whole


def _begins(text: str) -> bool:
    plain = to_ascii(text[: LONGEST + 1])
    begun = BEGINS.match(plain)
    return begun is not None and (begun[1].lower() == "queue" or seems_meant(plain[begun.start(1) :]))


def _belongs(text: str, above: str) -> bool:
    words = to_ascii(text).split()
    if words[0].startswith("#"):  # a match of its own
        return False
    if words[0].lower().rstrip(",:;") == "then" or LACKS.search(above):
        return True
    return len(above) + 1 + len(words[0]) > NEARLY_FULL and all(map(PART.fullmatch, words)) and not BEGINS.match(text)
