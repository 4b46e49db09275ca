"""The parts of an EmailMessage: text, HTML with its pictures, attachments.

Nothing here is left to chance: boundaries and Content-IDs follow from the Message-ID, so that a message that
is rendered twice has the same bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from hashlib import sha256

from pbem.rendering.token_filter import TokenFilter

LONGEST_LINE = 900
"""HTML with longer lines goes out as quoted-printable; SMTP takes no more than 998 bytes in a line."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to attach, and its name."""

    name: str
    maintype: str
    subtype: str
    content: bytes
    parameters: Mapping[str, str] = field(default_factory=dict)
    """What its Content-Type says besides."""


class Enclosed:
    """What a message encloses, each once: the pictures its HTML shows, and files."""

    def __init__(self, message_id: str) -> None:
        self._local, _, self._domain = message_id.strip("<>").rpartition("@")
        self._pictures: dict[bytes, str] = {}
        self._files: dict[str, Attachment] = {}

    def show(self, png: bytes) -> str:
        """Enclose a picture and return its URL for HTML."""
        return f"cid:{self._pictures.setdefault(png, f'board{len(self._pictures) + 1}.{self._local}@{self._domain}')}"

    def attach(self, file: Attachment) -> None:
        """Attach a file."""
        self._files[file.name] = file

    @property
    def pictures(self) -> tuple[tuple[str, bytes], ...]:
        """The Content-ID and bytes of each picture."""
        return tuple((name, png) for png, name in self._pictures.items())

    @property
    def files(self) -> tuple[Attachment, ...]:
        """The attached files."""
        return tuple(self._files.values())


def size(text: str, html: str, enclosed: Enclosed) -> int:
    """Return about how many bytes the message has in transit, without its files."""
    pictures = sum(len(png) * 4 // 3 + len(png) // 57 + 300 for _, png in enclosed.pictures)
    return len(text.encode()) + len(html) + html.count("=") * 2 * _is_broad(html) + pictures


def _is_broad(html: str) -> bool:
    """Return whether a line is too long to be sent unencoded."""
    return max(map(len, html.splitlines())) > LONGEST_LINE


def fill(mail: EmailMessage, text: str, html: str | None, enclosed: Enclosed, tokens: TokenFilter) -> None:
    """Add the parts to the message: first the text, then the HTML with its pictures, then the files.

    The result is the same byte for byte each time, and no line of it is longer than SMTP allows. No header, face or
    file leaves here without having passed the filter.
    """
    tokens.filter_headers(mail)
    mail.set_content(tokens.filter_text(text), cte=None, params={"format": "fixed"})
    if html is not None:
        _add_html(mail, tokens.filter_text(html), enclosed)
    for file in enclosed.files:
        content = tokens.filter_file(f"{file.maintype}/{file.subtype}", file.content)
        mail.add_attachment(content, file.maintype, file.subtype, filename=file.name, params=file.parameters)
    _seal(mail)


def _add_html(mail: EmailMessage, html: str, enclosed: Enclosed) -> None:
    """Add the HTML and its pictures."""
    mail.add_alternative(html, subtype="html", cte="quoted-printable" if _is_broad(html) else "7bit")
    shown = mail.get_payload()[1]  # type: ignore[index]  # a multipart's payload is a list
    assert isinstance(shown, EmailMessage)  # noqa: S101 - add_alternative has made it
    for number, (name, png) in enumerate(enclosed.pictures, start=1):
        shown.add_related(png, "image", "png", cid=f"<{name}>", disposition="inline", filename=f"board{number}.png")


def text_of(mail: EmailMessage) -> str:
    """Return the text part, with plain line ends."""
    part = mail.get_body(("plain",))
    return str(part.get_content()).replace("\r\n", "\n") if part else ""


def _seal(mail: EmailMessage) -> None:
    """Derive the boundaries from the Message-ID, and drop headers of parts that repeat the message's."""
    key = sha256(str(mail["Message-ID"]).encode()).hexdigest()[:24]
    for number, part in enumerate(mail.walk()):
        if part.is_multipart():
            part.set_boundary(f"=_{key}_{number}")
        if part is not mail:
            del part["MIME-Version"]
