"""The text that a message shows: chosen among its parts, decoded, with flowed lines joined.

Raw email is hostile: parts are counted, only the character sets that mail programs use are decoded, and whatever a
message holds, nothing but Unreadable is raised.
"""

import codecs
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from email.policy import Compat32

from pbem.mail.reading import limits
from pbem.mail.reading.limits import DEEPEST, MOST_PARTS, Problem, Unreadable
from pbem.mail.reading.text import phrases

LONGEST_STUB = 500
LONGEST_TYPE = 500
_BOUNDARY = re.compile(rb'^--([^\s"\\]{1,70})[ \t]*\ncontent-', re.MULTILINE | re.IGNORECASE)
"""A line that separates parts, and the beginning of a part's headers."""
_EXCUSES = phrases.table("stubs")["excuses"]
_WIDER = {
    "ascii": "utf-8",
    "iso8859-1": "cp1252",
    **dict.fromkeys(("iso8859-11", "tis-620", "windows-874"), "cp874"),
    **dict.fromkeys(("gb2312", "gbk", "x-gbk"), "gb18030"),
    **dict.fromkeys(("shift_jis", "x-sjis", "windows-31j"), "cp932"),
    "iso8859-9": "cp1254",
    "euc_kr": "cp949",
    "iso2022_jp": "iso2022_jp_ext",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-6-i": "iso8859-6",
    "x-mac-roman": "mac-roman",
    "cp-850": "cp850",
}
"""What browsers read some character sets as: mail programs declare one and write the other."""
_FAMILIES = (
    *("utf-", "ascii", "iso8859-", "iso2022_", "cp", "mac-", "koi8-", "big5", "gb", "euc_", "shift_jis", "johab", "hz"),
    *("tis-620", "hp-roman8", "kz1048", "ptcp154"),
)
"""Python's names of codecs for character sets; its others compress, escape or encode host names, some slowly."""
LONGEST_CHARSET = 40
UNOPENED = "x-"
_SIGNED = ("application/pkcs7-mime", "application/x-pkcs7-mime")
"""What may be signed (RFC 8551, 3.5.2): then its content can be read. Otherwise it is encrypted."""
_ENCRYPTED = {*_SIGNED, "application/pgp-encrypted", "application/x-microsoft-rpmsg-message"}
_DATA = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"
"""The type of signed content that is plain data (RFC 5652, 4): in front of it."""
_WRAPPED, _STRING, _STRING_OF_PIECES = 0xA0, 0x04, 0x24
_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Part(Message):
    r"""A message or a part of one; messages inside it stay bytes, since what they say isn't the person's.

    >>> parsed(b"Content-Type: message/rfc822\n\nSubject: x\n\nresign").get_content_type()
    'x-message/rfc822'
    """

    def get_content_type(self) -> str:
        """Return the type, marked where the parser would parse a message inside, or reports block by block."""
        kind = super().get_content_type()
        return f"{UNOPENED}{kind}" if kind.startswith("message/") else kind


class _Policy(Compat32):
    """Headers as they are, but for a Content-Type that a program encoded as a whole."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        if name.lower() == "content-type" and value.startswith("=?"):
            with suppress(HeaderParseError, LookupError, ValueError):
                value = str(make_header(decode_header(value)))[:LONGEST_TYPE]
        return name, value


_POLICY = _Policy()


@dataclass(frozen=True, slots=True)
class Body:
    text: str
    is_html: bool
    hidden: Problem | None = None  # where the person's words are, if the text may be none of theirs


NOTHING = Body("", is_html=False)


def parsed(page: bytes) -> Message:
    return BytesParser(Part, policy=_POLICY).parsebytes(page)


def read_body(message: Message) -> Body:
    """Return the text of the message, plain if there is any; several text parts in a row are joined."""
    leaves = list(_leaves(message))
    parts = [part for part in map(_read, leaves) if part is not None and part.text.strip()]
    is_html = bool(parts) and parts[0].is_html  # parts of the other kind are copies, or added by a server
    text = "\n".join(part.text for part in parts if part.is_html == is_html)
    return Body(text, is_html, _hidden(leaves, text))


def _hidden(leaves: Sequence[Message], text: str) -> Problem | None:
    """Return where the person's words are if they aren't in the text, as far as that is known."""
    kinds = {leaf.get_content_type() for leaf in leaves}
    if kinds & _ENCRYPTED or text.lstrip().startswith("-----BEGIN PGP MESSAGE-----"):
        return Problem.ENCRYPTED
    if "confidential-mail.google.com" in text or "Gmail confidential mode" in text:
        return Problem.CONFIDENTIAL
    if text.strip():
        return None
    if "application/ms-tnef" in kinds or "winmail.dat" in {leaf.get_filename() for leaf in leaves}:
        return Problem.WINMAIL
    return Problem.ATTACHED if any(_read(leaf) is None for leaf in leaves) else None


def decode(content: bytes, charset: str | None) -> str:
    """Return the bytes decoded, whatever character set is claimed."""
    claimed = (charset or "utf-8").strip().strip("'\"").lower()
    for name in (_codec(claimed), "utf-8", "cp1252"):
        with suppress(LookupError, ValueError):
            return content.decode(name).encode("utf-8", "replace").decode("utf-8")  # UTF-7 can hold lone surrogates
    return content.decode("latin-1")


def _codec(charset: str) -> str:
    """Return Python's name of a character set; "" if it has none."""
    if len(charset) > LONGEST_CHARSET or not charset.isascii() or not charset.isprintable():
        return ""
    with suppress(LookupError):
        charset = codecs.lookup(charset).name
    name = _WIDER.get(charset, charset)
    return name if name.startswith(_FAMILIES) else ""


def unflow(text: str, delsp: bool) -> str:
    """Return the paragraphs of format=flowed as lines (RFC 3676), quoted ones with their marks."""
    paragraphs: list[list[str]] = []
    depth, flows = 0, False
    for raw in text.replace("\r\n", "\n").split("\n"):
        bare = raw.lstrip(">")
        quoted = len(raw) - len(bare)
        line = bare.removeprefix(" ")
        if flows and quoted == depth and line != "-- ":
            paragraphs[-1].append(line)
        else:
            paragraphs.append([">" * quoted + " " * bool(quoted), line])
        depth, flows = quoted, line.endswith(" ") and line != "-- "
        if flows and delsp:
            paragraphs[-1][-1] = line[:-1]
    return "\n".join(map("".join, paragraphs))


def _leaves(message: Message) -> Iterator[Message]:
    """Yield the leaf parts that may hold the text, in order, without recursion."""
    waiting, seen = [(message, 0)], 0
    while waiting:
        part, depth = waiting.pop()
        seen += 1
        if seen > MOST_PARTS:
            raise Unreadable(Problem.TOO_MANY_PARTS)
        if depth > DEEPEST:
            raise Unreadable(Problem.NESTED_TOO_DEEPLY)
        kind = part.get_content_type()
        if part.get_content_maintype() == "multipart" and not part.is_multipart():
            part = _with_parts(part)
        if kind in _SIGNED and (content := _signed_content(part)):
            page = limits.without_long_part_headers(limits.normalize_newlines(content))
            limits.check_header_block(page.partition(b"\n\n")[0])
            limits.check_parts(page)
            waiting.append((parsed(page), depth + 1))
            continue
        if not part.is_multipart():
            yield part
            continue
        children = [child for child in part.get_payload() if isinstance(child, Message)]
        if kind == "multipart/alternative":
            children = _chosen(children)
        waiting.extend((child, depth + 1) for child in reversed(children))


def _with_parts(part: Message) -> Message:
    """Return a multipart whose boundary is missing or wrong with the parts in it, or as plain text if it has none."""
    payload = part.get_payload(decode=True)
    page = payload if isinstance(payload, bytes) else b""
    mark = _BOUNDARY.search(page)
    kind = part.get_content_type().encode("ascii", "replace")
    head = kind + b'; boundary="' + mark[1] + b'"' if mark else b"text/plain; charset=utf-8"
    return parsed(b"Content-Type: " + head + b"\n\n" + page)


def _signed_content(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    page = payload if isinstance(payload, bytes) else b""
    pieces, at = [], page.find(_DATA) + len(_DATA)
    while len(_DATA) <= at < len(page) - 1:
        tag, length = page[at], page[at + 1]
        at += 2
        if length > 0x80:  # the length of the length (X.690, 8.1.3.5)
            length, at = int.from_bytes(page[at : at + length - 0x80]), at + length - 0x80
        if tag == _STRING:
            pieces.append(page[at : at + length])
            at += length
        elif tag not in (_WRAPPED, _STRING_OF_PIECES):
            break
    return b"".join(pieces)


def _chosen(alternatives: list[Message]) -> list[Message]:
    """Return the alternative to read: plain text, unless it is empty or only says that there is HTML."""
    texts = [(part, _read(part)) for part in alternatives]
    plain = [(part, read) for part, read in texts if read is not None and not read.is_html and read.text.strip()]
    others = [part for part, read in texts if read is None or read.is_html]
    if plain and not (others and _is_stub(plain[0][1].text)):
        return [plain[0][0]]
    return others


def _is_stub(text: str) -> bool:
    bare = " ".join(text.split()).lower()
    return len(bare) <= LONGEST_STUB and "html" in bare and any(phrase in bare for phrase in _EXCUSES)


def _read(part: Message) -> Body | None:
    kind = part.get_content_type()
    if kind not in ("text/plain", "text/html") or part.get_content_disposition() == "attachment" or part.is_multipart():
        return None
    if part.get_filename() is not None:
        return None
    content = part.get_payload(decode=True)
    content = content if isinstance(content, bytes) else b""
    text = decode(content, "utf-16" if content.startswith(_BOMS) else _parameter(part, "charset"))
    if kind == "text/html" or text[:200].lstrip("\ufeff \t\r\n").lower().startswith(("<html", "<!doctype html")):
        return Body(text, is_html=True)
    if (_parameter(part, "format") or "").lower() == "flowed":
        return Body(unflow(text, (_parameter(part, "delsp") or "").lower() == "yes"), is_html=False)
    return Body(text, is_html=False)


def _parameter(part: Message, name: str) -> str | None:
    value = part.get_param(name)
    return value if isinstance(value, str) else value[2] if isinstance(value, tuple) else None
