"""Messages as the standard library writes them, to compare ours with: slow, and the truth."""

from collections.abc import Sequence
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8, EmailPolicy
from hashlib import sha256

from pbem.messages.mime import LONGEST_LINE, Enclosed
from pbem.messages.token_filter import Header


def message(address: str, head: Sequence[Header], text: str, html: str | None, enclosed: Enclosed) -> bytes:
    """Return what mime.message returns, for a head without words that stay whole."""
    policy: EmailPolicy[EmailMessage] = SMTP if address.isascii() else SMTPUTF8
    mail = EmailMessage(policy=policy)
    for name, value in head:
        mail[name] = value
    mail["MIME-Version"] = "1.0"
    mail.set_content(text, cte=None, params={"format": "fixed"})
    if html is not None:
        broad = max(map(len, html.splitlines()), default=0) > LONGEST_LINE
        mail.add_alternative(html, subtype="html", cte="quoted-printable" if broad else "7bit")
        shown = mail.get_payload()[1]  # type: ignore[index]  # a multipart's payload is a list
        assert isinstance(shown, EmailMessage)
        for number, (name, png) in enumerate(enclosed.pictures, start=1):
            file = f"board{number}.png"
            shown.add_related(png, "image", "png", cid=f"<{name}>", disposition="inline", filename=file)
    for file in enclosed.files:
        mail.add_attachment(file.content, file.maintype, file.subtype, filename=file.name, params=dict(file.parameters))
    key = sha256(str(mail["Message-ID"]).encode()).hexdigest()[:24]
    for number, part in enumerate(mail.walk()):
        if part.is_multipart():
            part.set_boundary(f"=_{key}_{number}")
        if part is not mail:
            del part["MIME-Version"]
    return mail.as_bytes()
