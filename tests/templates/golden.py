"""A message as two readable texts, with random values replaced: headers with the text part, and the HTML part."""

import re
from collections.abc import Iterator
from email.message import EmailMessage
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

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
    return _readable(str(part.get_content()).replace("\r\n", "\n").replace("<wbr>", "")) if part else None


def both_faces(mail: EmailMessage) -> str:
    """Return the message as its reader sees it: the text, and what there is to tap in the HTML."""
    taps = re.findall(r'<a [^>]*href="mailto:[^"]*body=([^"]*)"[^>]*>(.*?)</a>', html(mail) or "")
    labels = [f"[{re.sub('<.*?>', '', label).strip()}: {unquote(words)}]" for words, label in taps]
    return "\n".join([plain(mail).rstrip("\n"), *(["", "In the HTML:", *labels] if labels else []), ""])


def sentences(html: str) -> Iterator[str]:
    """Yield what the HTML says, without what has words of its own there: boards, turns, and what can be tapped."""
    page = LexborHTMLParser(html)
    for shown in page.css("style, title, .pbem-shown, table[cellpadding='2'], img + p, pre"):
        shown.decompose()
    for link in page.css("a"):
        link.replace_with("\n\n")
    for block in page.css("h1, h2, p, li, td.pbem-line, blockquote"):
        yield from block.text(separator=" ").split("\n\n")


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
        about = "" if token.purpose is tokens.Purpose.CONFIRM else f" {token.subject}.{token.ply}"
        return f"games{found[1]}[{token.purpose.name.lower()} player {token.player}{about}]@"

    return OWN_ID.sub("[id]", TOKEN.sub(named, words))
