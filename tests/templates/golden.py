"""A message as two readable texts, with random values replaced: headers with the text part, and the HTML part."""

import re
from email.message import EmailMessage

from pbem import tokens
from tests.correspondence import text

HEADERS = ("From", "To", "Reply-To", "Subject", "Auto-Submitted")
TOKEN = re.compile(r"games(\+|%2B)([a-z2-7]{40})@")
OWN_ID = re.compile(r"[0-9a-f]{32}@pbem\.example")


def plain(mail: EmailMessage) -> str:
    """Return the headers, the structure, and the text part."""
    lines = [f"{name}: {mail[name]}" for name in HEADERS if mail[name]]
    return _readable("\n".join([*lines, f"Parts: {parts(mail)}", "", *text(mail).splitlines()])) + "\n"


def html(mail: EmailMessage) -> str | None:
    """Return the HTML part; None if there is none."""
    part = mail.get_body(("html",))
    return _readable(str(part.get_content()).replace("\r\n", "\n")) if part else None


def parts(mail: EmailMessage) -> str:
    """Return the structure of the message in a line."""
    if not mail.is_multipart():
        name = mail.get_filename()
        return mail.get_content_type() + (f" {name}" if name else "")
    return f"{mail.get_content_type()} ({', '.join(parts(part) for part in mail.iter_parts())})"


def _readable(words: str) -> str:
    def named(found: re.Match[str]) -> str:
        token = tokens.parse(found[2])
        assert token is not None
        return f"games{found[1]}[{token.purpose.name.lower()} player {token.player} {token.subject}.{token.ply}]@"

    return OWN_ID.sub("[id]", TOKEN.sub(named, words))
