"""The faces of a mail -> the parts of an EmailMessage: text, HTML with its pictures, attachments.

Nothing here is left to chance: boundaries and Content-IDs follow from the Message-ID, so that a mail that is made
twice is the same mail byte for byte.
"""

from collections.abc import Iterator
from email.message import EmailMessage
from hashlib import sha256

LONGEST_LINE = 900
"""HTML with longer lines goes out as quoted-printable; SMTP takes no more than 998 bytes in a line."""


class Pictures:
    """The pictures that a mail shows, each once."""

    def __init__(self, message_id: str) -> None:
        self._local, _, self._domain = message_id.strip("<>").rpartition("@")
        self._names: dict[bytes, str] = {}

    def shown(self, png: bytes) -> str:
        """The address under which HTML shows the picture."""
        name = self._names.setdefault(png, f"board{len(self._names) + 1}.{self._local}@{self._domain}")
        return f"cid:{name}"

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        """Content-ID and bytes of each."""
        return ((name, png) for png, name in self._names.items())


def fill(mail: EmailMessage, text: str, html: str | None, pictures: Pictures) -> None:
    """Give the mail its faces: the text first, then the HTML together with what it shows."""
    mail.set_content(text, cte=None, params={"format": "fixed"})
    if html is None:
        return
    longest = max(map(len, html.splitlines()))
    mail.add_alternative(html, subtype="html", cte="7bit" if longest <= LONGEST_LINE else "quoted-printable")
    shown = mail.get_payload()[1]  # type: ignore[index]  # a multipart's payload is a list
    assert isinstance(shown, EmailMessage)  # noqa: S101 - add_alternative has made it
    for number, (name, png) in enumerate(pictures, start=1):
        shown.add_related(png, "image", "png", cid=f"<{name}>", disposition="inline", filename=f"board{number}.png")


def seal(mail: EmailMessage) -> None:
    """Fix what separates the parts, by the Message-ID; the parts say nothing that the mail says already."""
    key = sha256(str(mail["Message-ID"]).encode()).hexdigest()[:24]
    for number, part in enumerate(mail.walk()):
        if part.is_multipart():
            part.set_boundary(f"=_{key}_{number}")
        if part is not mail:
            del part["MIME-Version"]
