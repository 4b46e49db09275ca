"""The sender that a message claims, the one address of its one From, and its Subject without the marks of replies.

From is free text that every program reads a little differently, and forgers live in the difference: the receiving mail
server may have checked another address than the one we take. So a From with two possible readings has none here.
"""

import re
from collections.abc import Sequence

LONGEST = 2_000
LONGEST_HOST = 253


def author(fields: Sequence[str]) -> str | None:
    """Return the address in lower case; None if there are several From fields or addresses, a group, or no address."""
    if len(fields) != 1 or len(fields[0]) > LONGEST:
        return None
    bare = _bare(fields[0])
    if bare is None:
        return None
    name, opened, rest = bare.partition("<")
    inner, closed, after = rest.partition(">")
    address = (inner if opened else name).strip().lower()
    is_mere_name = name.strip().lower() == address or not set(name) & set("@<>")  # and no address that could be meant
    if opened and not (closed and not after.strip() and is_mere_name):
        return None
    local, _, host = address.partition("@")
    if not local or not host or host.endswith(".") or "@" in host or set(address) & set(" \t\0,;:<>"):
        return None
    return address if host.isascii() else f"{local}@{_in_ascii(host)}"


def _in_ascii(host: str) -> str:
    """Return an internationalised domain as mail servers write it; unchanged if it looks like another one."""
    try:
        written = host[:LONGEST_HOST].encode("idna")
        return written.decode("ascii") if written.decode("idna") == host else host
    except UnicodeError:
        return host


def domain(address: str) -> str:
    """Return the part after the @, in lower case and without a trailing dot."""
    return address.rpartition("@")[2].lower().rstrip(".")


def _bare(text: str) -> str | None:
    characters: list[str] = []
    depth, quoted, escaped = 0, False, False
    for character in text:
        if escaped:
            escaped = False
        elif character == "\\" and (quoted or depth):
            escaped = True
        elif quoted:
            quoted = character != '"'
        elif character == '"' and not depth:
            quoted = True
            characters.append("\0")  # an address with a quoted part is not accepted
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth < 0:
                return None
        elif not depth:
            characters.append(character)
    return None if depth or quoted or escaped else "".join(characters)


REPLY_MARKS = frozenset(
    # Re and Fwd as mail programs write them in Latin, Cyrillic, Greek, Chinese, Japanese, Korean, Hebrew, Arabic
    {"re", "aw", "antw", "antwort", "sv", "vs", "svar", "bls", "ref", "rif", "r", "i", "res", "enc", "odp", "pd"}
    | {"fw", "fwd", "wg", "tr", "rv", "doorst", "vl", "ynt", "ilt", "yml", "atb", "trl", "cev", "vb", "vá"}
    | {"на", "ата", "отв", "ответ", "пересл", "απ", "σχετ", "πρθ"}
    | {"回复", "回覆", "答复", "转发", "轉寄", "返信", "転送", "답장", "전달", "השב", "הועבר", "رد", "توجيه"}
)
LONGEST_MARK = 20
TAG = re.compile(r"\[pbem #(\d{1,9})(?:, [a-z ]{1,20})?\]")
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


def tagged_match(subject: str) -> int | None:
    """Return the match in the subject of a reply: "Re: [pbem #42, your turn] Quadraphages: alice - bob"."""
    tag = TAG.search(subject)
    return int(tag[1]) if tag else None


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
