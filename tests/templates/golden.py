"""A mail as two readable texts, its headers with its text part and its HTML part; what is random is replaced."""

import re
from email.message import EmailMessage

from pbem import tokens
from tests.correspondence import text

HEADERS = ("From", "To", "Reply-To", "Subject", "Auto-Submitted")
TOKEN = re.compile(r"games(\+|%2B)([a-z2-7]{40})@")
OWN_ID = re.compile(r"[0-9a-f]{32}@pbem\.example")


def plain(mail: EmailMessage) -> str:
    """Headers, the parts that the mail has, and the words of its text part."""
    lines = [f"{name}: {mail[name]}" for name in HEADERS if mail[name]]
    return _readable("\n".join([*lines, f"Parts: {parts(mail)}", "", *text(mail).splitlines()])) + "\n"


def html(mail: EmailMessage) -> str | None:
    """The HTML part; None where there is none."""
    part = mail.get_body(("html",))
    return _readable(str(part.get_content()).replace("\r\n", "\n")) if part else None


def parts(mail: EmailMessage) -> str:
    """The structure of the mail in a line."""
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
