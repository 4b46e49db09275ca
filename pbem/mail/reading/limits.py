"""Limits on what a message may hold, checked on its bytes before anything parses them.

The standard library's parser recurses into parts within parts and comments within comments, and takes quadratic time
for parameters. The messages that people send come nowhere near these limits. Anything within them that is still slow
is stopped by the clock (see `isolated_parser`).
"""

import re
from dataclasses import dataclass
from enum import Enum

LARGEST_MESSAGE = 1_000_000  # senders of larger ones are told
LARGEST_OF_STRANGERS = 250_000  # for a message neither from a player's address nor to a reply address
LARGEST_HEADER_BLOCK = 65_536
LARGEST_HEADER = 16_384
LONGEST_VALUE = 8_192  # how much of a header is examined
LONGEST_NAME = 76
MOST_HEADERS = 500
MOST_RECIPIENTS = 50
MOST_NESTINGS = 100  # parentheses and colons in an address header: each is one call deeper in the parser
MOST_SEPARATORS = 800  # lines that begin like part separators; lines that people draw count too
MOST_PARTS = 200
MOST_STRUCTURES = 100
"""How often multipart/ and message/ may occur: a message is nested no deeper than that, whatever its boundaries."""
DEEPEST = 20
LARGEST_PART_HEADER = 8_192
MOST_PART_HEADER_LINES = 500
MOST_LINES = 50_000
SHORTEST_LINES = 40
"""A larger message may have more lines, if they are this long on average: those of attachments are twice as long."""
MOST_PARAMETERS = 100
MOST_PARAMETERS_IN_ALL = 2_000

ADDRESSES = frozenset(
    {b"from", b"sender", b"reply-to", b"to", b"cc", b"delivered-to", b"x-original-to", b"envelope-to", b"return-path"}
)
_PART_HEADERS = re.compile(rb"^content-[a-z-]*:[^\n]*(?:\n[ \t][^\n]*)*", re.MULTILINE | re.IGNORECASE)
LONG_PART_HEADERS = re.compile(rb"\n--[^\n]*+\n(?:(?:[!-9;-~]*+:|[ \t])[^\n]*+\n){%d}" % (MOST_PART_HEADER_LINES + 1))
"""A line like a separator, and below it more lines than a part has headers; the parser takes all for some."""


class Problem(Enum):
    """Why a message can't be read; each value completes "Your message wasn't read: …"."""

    HEADER_BLOCK_TOO_LONG = "its header is too long"
    HEADER_TOO_LONG = "one of its headers is too long"
    TOO_MANY_HEADERS = "it has too many headers"
    TOO_MANY_RECIPIENTS = "it has too many recipients"
    ADDRESSES_TOO_COMPLEX = "its addresses are too complex"
    TOO_MANY_PARTS = "it has too many parts"
    TOO_MANY_LINES = "it has too many lines"
    NESTED_TOO_DEEPLY = "its parts are nested too deeply"
    MALFORMED = "it is malformed"
    TOO_SLOW = "it takes too long to read"
    TOO_MUCH_MEMORY = "it takes too much memory to read"
    CRASHES_READER = "it crashes the program that reads it"
    ENCRYPTED = "it is encrypted, and this server has no key"
    CONFIDENTIAL = "Gmail's confidential mode sent only a link to it"
    WINMAIL = "its text is in a winmail.dat file, which only Outlook opens"
    ATTACHED = "it has no text but an attachment, and attachments aren't opened"

    @property
    def way_out(self) -> str:
        return _WAYS_OUT.get(self, "Send only the text: as plain text, and without attachments.")


_WAYS_OUT = {
    Problem.ENCRYPTED: "Send it again without encryption; it may be signed.",
    Problem.CONFIDENTIAL: "Send it again without confidential mode.",
    Problem.WINMAIL: "Send it again as plain text or HTML, not in Outlook's Rich Text format.",
    Problem.ATTACHED: "Write the text into the message itself.",
}


@dataclass(frozen=True, slots=True)
class ReadError:
    problem: Problem
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.problem.value} ({self.detail})" if self.detail else self.problem.value


class Unreadable(Exception):
    """A message that can't be read within the limits."""

    def __init__(self, problem: Problem, detail: str = "") -> None:
        self.error = ReadError(problem, detail)
        super().__init__(str(self.error))


def normalize_newlines(raw: bytes) -> bytes:
    """Return the message with LF line ends only: the parser accepts LF, CR and CRLF."""
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def fit_header_block(page: bytes) -> tuple[bytes, Problem | None]:
    """Return the header block with oversized headers truncated, and the first problem found; raises Unreadable.

    Names and beginnings stay, so that a machine's message is still recognised as one. An address is replaced as a
    whole, because part of an address is another address.
    """
    block = page.partition(b"\n\n")[0]
    check_header_block(block)
    headers = re.split(rb"\n(?![ \t])", block)
    if len(headers) > MOST_HEADERS:
        raise Unreadable(Problem.TOO_MANY_HEADERS)
    first = None
    for number, header in enumerate(headers):
        is_complex = _is_of_addresses(header) and header.count(b"(") + header.count(b":") > MOST_NESTINGS
        if is_complex or len(header) > LARGEST_HEADER:
            name, _, value = header.partition(b":")
            short = b"?" if _is_of_addresses(header) else value.strip()[:LONGEST_NAME].replace(b"\n", b" ")
            headers[number] = name[:LONGEST_NAME] + b": " + short
            is_long = len(header) > LARGEST_HEADER
            first = first or (Problem.HEADER_TOO_LONG if is_long else Problem.ADDRESSES_TOO_COMPLEX)
    return b"\n".join(headers) + b"\n\n", first


def check_header_block(block: bytes) -> None:
    if len(block) > LARGEST_HEADER_BLOCK:
        raise Unreadable(Problem.HEADER_BLOCK_TOO_LONG)


def _is_of_addresses(header: bytes) -> bool:
    return header.partition(b":")[0].strip().lower() in ADDRESSES


def check_parts(page: bytes) -> None:
    """Raise Unreadable if the message has more parts, or more lines, than a mail program would put together."""
    if page.count(b"\n--") > MOST_SEPARATORS:
        raise Unreadable(Problem.TOO_MANY_PARTS)
    if page.count(b"\n") > max(MOST_LINES, len(page) // SHORTEST_LINES):
        raise Unreadable(Problem.TOO_MANY_LINES)
    small = page.lower()
    if small.count(b"multipart/") + small.count(b"message/") > MOST_STRUCTURES:
        raise Unreadable(Problem.NESTED_TOO_DEEPLY)
    if b"multipart/" in small and LONG_PART_HEADERS.search(page):
        raise Unreadable(Problem.HEADER_TOO_LONG)
    parameters = 0
    for header in _PART_HEADERS.finditer(page):
        number = header[0].count(b";")
        parameters += number
        is_long = header.end() - header.start() > LARGEST_PART_HEADER
        if is_long or number > MOST_PARAMETERS or parameters > MOST_PARAMETERS_IN_ALL:
            raise Unreadable(Problem.HEADER_TOO_LONG)


def without_long_part_headers(page: bytes) -> bytes:
    """Return the message with each part that has a header too long to be parsed as an attachment, which isn't read."""
    block, gap, rest = page.partition(b"\n\n")
    return block + gap + _PART_HEADERS.sub(_shortened, rest)


def _shortened(header: re.Match[bytes]) -> bytes:
    if header.end() - header.start() <= LARGEST_PART_HEADER and header[0].count(b";") <= MOST_PARAMETERS:
        return header[0]
    is_type = header[0][:13].lower() == b"content-type:"
    return b"Content-Type: application/octet-stream" if is_type else b"Content-Disposition: attachment"


def header_block(raw: bytes) -> bytes:
    """Return the header block of a message with its empty line, at most LARGEST_HEADER_BLOCK bytes."""
    ends = [at + len(gap) for gap in (b"\r\n\r\n", b"\n\n") if (at := raw.find(gap, 0, LARGEST_HEADER_BLOCK)) >= 0]
    return raw[: min(ends, default=LARGEST_HEADER_BLOCK)]
