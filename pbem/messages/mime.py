"""A message as bytes: its head, the text, the HTML with its pictures, and files.

What is plain and fits its line, which is nearly everything, is written down here; the library does the same at thirty
times the cost, and it does the rest of the headers. Nothing is left to chance: boundaries and Content-IDs follow from
the Message-ID, so that a message that is rendered twice has the same bytes. All bodies are ASCII: a mail server on the
way that converts others would break their signature (RFC 6376, 5.3).
"""

import re
from base64 import encodebytes
from binascii import b2a_qp
from collections.abc import Sequence
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8, EmailPolicy
from email.utils import formataddr
from hashlib import sha256
from typing import TypeAlias

from pbem.messages.token_redaction import Header, HeaderValue, TokenFilter

LONGEST_LINE = 900  # what has longer lines goes out as quoted-printable; SMTP takes no more than 998 bytes in a line
LINE = 78

TEXT = 'text/plain; charset="utf-8"; format="fixed"'
HTML = 'text/html; charset="utf-8"'
_ANY_LINE_END = re.compile(r"\r\n|\r|\n")
_BARE = re.compile(r"[\t\r\n -~]*")  # what can go out as it is

Policy: TypeAlias = "EmailPolicy[EmailMessage]"


@dataclass(frozen=True, slots=True)
class Attachment:
    name: str
    kind: str
    content: bytes


class Enclosed:
    """What a message encloses, each once: the pictures its HTML shows, and files."""

    def __init__(self, message_id: str) -> None:
        self._local, _, self._domain = message_id.strip("<>").rpartition("@")
        self._key = sha256(message_id.encode()).hexdigest()[:24]
        self.pictures: dict[bytes, str] = {}
        """Their Content-IDs."""
        self.files: dict[str, Attachment] = {}

    def show(self, png: bytes) -> str:
        return f"cid:{self.pictures.setdefault(png, f'board{len(self.pictures) + 1}.{self._local}@{self._domain}')}"

    def attach(self, file: Attachment) -> None:
        self.files[file.name] = file

    def boundary(self, number: int) -> str:
        """Return what separates the parts of the multipart of that number, counted from the outermost on."""
        return f"=_{self._key}_{number}"


def size(text: str, html: str, enclosed: Enclosed) -> int:
    """Return about how many bytes the message has in transit, without its files."""
    pictures = sum(len(in_base64(png)) + 300 for png in enclosed.pictures)
    return len(_text(text, TEXT)) + len(_text(html, HTML)) + pictures


def message(
    address: str, head: Sequence[Header], text: str, html: str | None, enclosed: Enclosed, tokens: TokenFilter
) -> bytes:
    """Return the message to that address: first the text, then the HTML with its pictures, then the files.

    The result is the same byte for byte each time, and no line of it is longer than SMTP allows. No header, face or
    file leaves here without having passed the filter. Headers have non-ASCII letters only if the address does.
    """
    policy: Policy = SMTP if address.isascii() else SMTPUTF8
    body = _text(tokens.filter_text(text), TEXT)
    files = [_attached(file, tokens) for file in enclosed.files.values()]
    if html is not None:
        number = 1 if files else 0
        shown = _shown(tokens.filter_text(html), enclosed, number + 2, policy)
        body = _multipart("alternative", enclosed.boundary(number), [body, shown])
    if files:
        body = _multipart("mixed", enclosed.boundary(0), [body, *files])
    lines = (folded(*header, policy) for header in tokens.filter_headers(head))
    return b"".join((*lines, b"MIME-Version: 1.0\r\n", body))


def _text(content: str, kind: str, more: bytes = b"") -> bytes:
    """Return a part with that text: as it is, or as quoted-printable, which can be read and searched, unlike base64."""
    lines = _ANY_LINE_END.split(content.removesuffix("\n"))
    body, encoding = "\r\n".join((*lines, "")).encode(), b"7bit"
    if not _BARE.fullmatch(content) or max(map(len, lines)) > LONGEST_LINE:
        body, encoding = b2a_qp(body), b"quoted-printable"
    return b"Content-Type: %s\r\nContent-Transfer-Encoding: %s\r\n%s\r\n%s" % (kind.encode(), encoding, more, body)


def _shown(html: str, enclosed: Enclosed, number: int, policy: Policy) -> bytes:
    parts = [_text(html, HTML)]
    if not enclosed.pictures:
        return parts[0]
    kind = "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n"
    for at, (png, content_id) in enumerate(enclosed.pictures.items(), start=1):
        head = f'{kind}Content-Disposition: inline; filename="board{at}.png"\r\n'.encode()
        parts.append(head + folded("Content-ID", f"<{content_id}>", policy) + b"\r\n" + in_base64(png))
    return _multipart("related", enclosed.boundary(number), parts)


def in_base64(content: bytes) -> bytes:
    """Return the content in lines of base64."""
    return encodebytes(content).replace(b"\n", b"\r\n")


def _attached(file: Attachment, tokens: TokenFilter) -> bytes:
    content = tokens.filter_file(file.kind, file.content)
    named = b'Content-Disposition: attachment; filename="%s"\r\n' % file.name.encode()
    if file.kind.startswith(("text/", "application/json")):
        return _text(content.decode(), f'{file.kind}; charset="utf-8"', named)
    written = f"Content-Type: {file.kind}\r\nContent-Transfer-Encoding: base64\r\n".encode()
    return b"".join((written, named, b"\r\n", in_base64(content)))


def _multipart(kind: str, boundary: str, parts: Sequence[bytes]) -> bytes:
    between = f"\r\n--{boundary}\r\n".encode()
    root = '; type="text/html";\r\n' if kind == "related" else ";"
    head = f'Content-Type: multipart/{kind}{root} boundary="{boundary}"\r\n'.encode()
    return head + between + between.join(parts) + f"\r\n--{boundary}--\r\n".encode()


def folded(name: str, value: HeaderValue, policy: Policy) -> bytes:
    """Return the header in lines, as the library folds it; raises ValueError if it would end the line."""
    if isinstance(value, tuple):
        return _in_whole_words(name, value, policy)
    written = str(value)
    if isinstance(value, Address) and value.addr_spec.isascii() and "=?" not in value.display_name:
        shown, _, address = formataddr((value.display_name, value.addr_spec)).rpartition(" ")
        written = f"{shown} {address}".strip()
        if len(written) > LINE - len(name) - 2 and 0 < len(shown) <= LINE - len(name) - 2:
            return f"{name}: {shown}\r\n {address}\r\n".encode()  # the library would leave nothing behind the colon
    is_plain = written.isascii() and written.isprintable() and "=?" not in written
    if len(written) <= LINE - len(name) - 2 and is_plain and " ".join(written.split()) == written:
        return f"{name}: {written}\r\n".encode()
    return policy.fold_binary(*policy.header_store_parse(name, value))


def _in_whole_words(name: str, words: Sequence[str], policy: Policy) -> bytes:
    """Return the header in lines, each starting with a whole word; the library would split long ones for good."""
    value = " ".join(words)
    if len(value.splitlines()) > 1:
        raise ValueError(f"{name} can't contain a linefeed or a carriage return")
    lines = [f"{name}:"]
    for word in value.split():
        fits = len(lines[-1]) + 1 + len(word) <= LINE or lines[-1] == f"{name}:"
        lines[-1:] = [f"{lines[-1]} {word}"] if fits else [lines[-1], f" {word}"]
    return "".join(f"{line}\r\n" for line in lines).encode("utf-8" if policy.utf8 else "ascii", "surrogateescape")


def text_of(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    return str(part.get_content()).replace("\r\n", "\n") if part else ""
