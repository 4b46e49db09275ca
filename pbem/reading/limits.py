"""What a mail may have at most: counted on its bytes, since taking it apart is what may hurt.

The standard library's parser recurses for parts within parts and comments within comments, and takes quadratic time for
parameters. People's mails come nowhere near these bounds. What they let pass and is slow all the same is ended by
the clock (see sandbox).
"""

import re

LARGEST_HEADER_BLOCK = 65_536
LARGEST_HEADER = 16_384
LONGEST_NAME = 76
MOST_HEADERS = 500
MOST_RECIPIENTS = 50
MOST_NESTINGS = 100
"""So many parentheses and colons may stand in one field of addresses: each is one call deeper in the parser."""
MOST_SEPARATORS = 800
"""So many lines may begin as the separators of parts do; lines that people draw count too."""
MOST_PARTS = 200
MOST_STRUCTURES = 100
"""So often multipart/ and message/ may be named: a mail is nested no deeper than that, whatever its boundaries are."""
DEEPEST = 20
LARGEST_PART_HEADER = 8_192
MOST_PARAMETERS = 100

ADDRESSES = frozenset(
    {b"from", b"sender", b"reply-to", b"to", b"cc", b"delivered-to", b"x-original-to", b"envelope-to", b"return-path"}
)
_PART_HEADERS = re.compile(rb"^content-[a-z-]*:[^\n]*(?:\n[ \t][^\n]*)*", re.MULTILINE | re.IGNORECASE)


class Unreadable(Exception):
    """A mail that can't be read within bounds, and why."""


def plain(raw: bytes) -> bytes:
    r"""Give the mail with one kind of line end: the parser takes all three.

    >>> plain(b"To: x\r\n\rHello\n")
    b'To: x\n\nHello\n'
    """
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def fit_head(page: bytes) -> tuple[bytes, str | None]:
    r"""Give the header block with what is out of bounds put short, and what that was; raises Unreadable.

    Names and beginnings stay, so that a machine's mail is known for one; but of an address a part is another address.

    >>> fit_head(b"Cc: " + b"(" * 2000 + b"\nFrom: a@b.example\n\nhelp\n")
    (b'Cc: ?\nFrom: a@b.example\n\n', 'its addresses are too intricate')
    """
    block = page.partition(b"\n\n")[0]
    if len(block) > LARGEST_HEADER_BLOCK:
        raise Unreadable("its header is too long")
    headers = _headers(block)
    if len(headers) > MOST_HEADERS:
        raise Unreadable("it has too many headers")
    trouble = None
    for number, header in enumerate(headers):
        if found := _excess(header):
            trouble = trouble or found
            headers[number] = _beginning(header)
    return b"\n".join(headers) + b"\n\n", trouble


def _excess(header: bytes) -> str | None:
    """What is too much about a header; None where nothing is."""
    if len(header) > LARGEST_HEADER:
        return "one of its headers is too long"
    if _is_of_addresses(header) and header.count(b"(") + header.count(b":") > MOST_NESTINGS:
        return "its addresses are too intricate"
    return None


def _is_of_addresses(header: bytes) -> bool:
    return header.partition(b":")[0].strip().lower() in ADDRESSES


def _beginning(header: bytes) -> bytes:
    name, _, value = header.partition(b":")
    told = b"?" if _is_of_addresses(header) else value.strip()[:LONGEST_NAME]
    return name[:LONGEST_NAME] + b": " + told.replace(b"\n", b" ")


def check_parts(page: bytes) -> None:
    r"""Raise Unreadable where the mail is made of more than a mail program would put together.

    >>> check_parts(b"\n--b\n" * 20_000)
    Traceback (most recent call last):
        ...
    pbem.reading.limits.Unreadable: it has too many parts
    """
    if page.count(b"\n--") > MOST_SEPARATORS:
        raise Unreadable("it has too many parts")
    small = page.lower()
    if small.count(b"multipart/") + small.count(b"message/") > MOST_STRUCTURES:
        raise Unreadable("its parts are nested too deeply")
    for header in _PART_HEADERS.finditer(page):
        if header.end() - header.start() > LARGEST_PART_HEADER or header[0].count(b";") > MOST_PARAMETERS:
            raise Unreadable("one of its headers is too long")


def _headers(block: bytes) -> list[bytes]:
    """The headers, each with the lines that continue it."""
    headers: list[list[bytes]] = [[]]
    for line in block.split(b"\n"):
        if not line.startswith((b" ", b"\t")):
            headers.append([])
        headers[-1].append(line)
    return [b"\n".join(lines) for lines in headers if lines]


def header_block(raw: bytes) -> bytes:
    r"""Give the header block of a mail with its empty line, LARGEST_HEADER_BLOCK at most.

    >>> header_block(b"To: x\n\nHello")
    b'To: x\n\n'
    """
    ends = [at + len(gap) for gap in (b"\r\n\r\n", b"\n\n") if (at := raw.find(gap, 0, LARGEST_HEADER_BLOCK)) >= 0]
    return raw[: min(ends, default=LARGEST_HEADER_BLOCK)]
