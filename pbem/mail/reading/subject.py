"""The Subject of an email without the marks that mail programs put before it."""

import re

REPLY_MARKS = frozenset(
    # Re and Fwd as mail programs write them in Latin, Cyrillic, Greek, Chinese, Japanese, Korean, Hebrew, Arabic
    {"re", "aw", "antw", "antwort", "sv", "vs", "svar", "bls", "ref", "rif", "r", "i", "res", "enc", "odp", "pd"}
    | {"fw", "fwd", "wg", "tr", "rv", "doorst", "vl", "ynt", "ilt", "yml", "atb", "trl", "cev", "vb", "vá"}
    | {"на", "ата", "отв", "ответ", "пересл", "απ", "σχετ", "πρθ"}
    | {"回复", "回覆", "答复", "转发", "轉寄", "返信", "転送", "답장", "전달", "השב", "הועבר", "رد", "توجيه"}
)
LONGEST_MARK = 20
TAG_WITH_STATE = re.compile(r"^(\[pbem #\d{1,9}), [a-z ]{1,20}\]")
"""The start of our Subjects, with what they say about the match."""


def bare_subject(subject: str) -> str:
    """Return the Subject on one line, without Re: and its equivalents.

    >>> bare_subject("RE[2]: AW:  [pbem #42, your turn] Quadraphages: alice - bob")
    '[pbem #42] Quadraphages: alice - bob'
    """
    bare = " ".join(subject.split())
    while length := _reply_mark(bare):
        bare = bare[length:].strip()
    return TAG_WITH_STATE.sub(r"\1]", bare)


def is_marked(subject: str) -> bool:
    """Return whether a mail program marked the Subject as a reply or a forwarded message."""
    return _reply_mark(subject.strip()) > 0


def _reply_mark(subject: str) -> int:
    """Return the length of the leading Re:, Re[2]: or Re^2: in any language; 0 if there is none."""
    ends = [at for colon in (":", "\uff1a") if (at := subject[: LONGEST_MARK + 1].find(colon)) > 0]
    if not ends:
        return 0
    word = subject[: min(ends)].strip().casefold()
    if word[-1] in "0123456789])":
        word = word.rstrip("]) 0123456789").rstrip("[(^* ")
    return min(ends) + 1 if word.rstrip(" .") in REPLY_MARKS else 0
