"""Messages made to harm mail readers, by name, for tests; each kind has hurt some reader before."""

import base64
from collections.abc import Callable

HEAD = b"From: alice@mail.example\nTo: games@pbem.example\nMessage-ID: <1@mail.example>\nSubject: help\n"
SIZE = 900_000
"""The size of most hostile messages in bytes, below the limit of what is read at all."""


def with_header(name: bytes, value: bytes) -> bytes:
    """Return a message with one more header, in front."""
    return name + b": " + value + b"\n" + HEAD + b"\nhelp\n"


def with_content_type(value: bytes, body: bytes = b"help\n") -> bytes:
    """Return a message of that type."""
    return HEAD + b"MIME-Version: 1.0\nContent-Type: " + value + b"\n\n" + body


def nested(kind: bytes, depth: int, body: bytes = b"help\n") -> bytes:
    """Return a message with nested parts."""
    mail = b"Content-Type: text/plain\n\n" + body
    for level in range(depth):
        if kind.startswith(b"message/"):
            mail = b"Content-Type: " + kind + b"\n\n" + mail
        else:
            mark = b"b%d" % level
            mail = b"Content-Type: " + kind + b"; boundary=" + mark + b"\n\n--" + mark + b"\n" + mail
            mail += b"\n--" + mark + b"--\n"
    return HEAD + b"MIME-Version: 1.0\n" + mail


def many_parts(count: int, kind: bytes = b"mixed", part: bytes = b"\nhelp\n", line_end: bytes = b"\n") -> bytes:
    """Return a message with many parts, one after the other."""
    mail = with_content_type(b"multipart/" + kind + b"; boundary=b", (b"--b\n" + part) * count + b"--b--\n")
    return mail.replace(b"\n", line_end)


def in_html(body: bytes) -> bytes:
    """Return a message in HTML."""
    return with_content_type(b"text/html; charset=utf-8", body)


def coded(coding: bytes, body: bytes, charset: bytes = b"utf-8") -> bytes:
    """Return a text message in a transfer encoding and a character set."""
    return (
        HEAD
        + b"MIME-Version: 1.0\nContent-Type: text/plain; charset="
        + charset
        + b"\nContent-Transfer-Encoding: "
        + coding
        + b"\n\n"
        + body
    )


def filled(unit: bytes, size: int = SIZE) -> bytes:
    """Return the unit repeated up to that size."""
    return (unit * (size // len(unit) + 1))[:size]


def words(count: int) -> bytes:
    """Return that many encoded words, folded correctly."""
    return b"\n ".join([b"=?utf-8?q?a?="] * count)


MAILS: dict[str, Callable[[], bytes]] = {
    # Structure
    "a few too many multiparts": lambda: nested(b"multipart/mixed", 30),
    "mails within mails": lambda: nested(b"message/rfc822", 1_000),
    "reports within reports": lambda: nested(b"message/delivery-status", 1_000),
    "20,000 parts": lambda: many_parts(20_000),
    "parts without end": lambda: with_content_type(b"multipart/mixed; boundary=b", filled(b"--b\n", 100_000)),
    "blank lines": lambda: HEAD + b"\n" + filled(b"\n"),
    # Headers
    "a header block without end": lambda: HEAD + filled(b"X-Long: help\n"),
    "a header without end": lambda: with_header(b"Subject", filled(b"a")),
    "headers of one letter": lambda: filled(b"a:\n", 60_000) + HEAD + b"\nhelp\n",
    "2,000 parentheses": lambda: with_header(b"Cc", b"(" * 2_000),
    "parentheses in From": lambda: b"From: " + b"(" * 2_000 + b"\n\nhelp\n",
    "commas": lambda: with_header(b"Cc", filled(b",", 60_000)),
    "60 recipients": lambda: with_header(b"Cc", b",\n ".join(b"a%d@b.example" % each for each in range(60))),
    "1,000 fields of recipients": lambda: b"Cc: a@b.example\n" * 1_000 + HEAD + b"\nhelp\n",
    "encoded words": lambda: with_header(b"Subject", words(3_000)),
    "an encoded word of no character set": lambda: with_header(b"Subject", b"=?idna?q?" + b"a" * 5_000 + b"?="),
    # Parameters of parts
    "parameters": lambda: with_content_type(b"text/plain" + filled(b"; a=b", 60_000)),
    "parameters of many parts": lambda: many_parts(
        190, part=b"Content-Type: text/plain" + b"".join(b"; x*%d*=a%%20" % each for each in range(90)) + b"\n\nhelp\n"
    ),
    "a part's headers without end": lambda: many_parts(1, part=filled(b"a: b\n") + b"\nhelp\n"),
    "blank lines in 19 multiparts": lambda: nested(b"multipart/alternative", 19, filled(b"\n", 45_000)),
    # Character sets and encodings
    "punycode": lambda: coded(b"8bit", filled(b"\xe9a-", 300_000), b"punycode"),
    "a long name of a character set": lambda: coded(b"7bit", b"help\n", b"a" * 5_000),
    "base64": lambda: coded(b"base64", base64.encodebytes(filled(b"help\n", 600_000))),
    "quoted-printable": lambda: coded(b"quoted-printable", filled(b"=41=\n", 240_000)),
    "zeros": lambda: with_content_type(b"text/plain", filled(b"\0")),
    "zeros everywhere": lambda: with_content_type(b"text/plain").replace(b"e", b"\0e"),
    # Attachments
    "a zip that is called text": lambda: many_parts(
        1, part=b'Content-Type: text/plain; name="a.zip"\nContent-Encoding: gzip\n\nPK\x03\x04resign\n'
    ),
    "winmail.dat": lambda: with_content_type(
        b'application/ms-tnef; name="winmail.dat"', b"\x78\x9f\x3e\x22" + filled(b"resign\n", 10_000)
    ),
    # Text
    "quotes within quotes": lambda: HEAD + b"\n" + filled(b">", 400_000),
    "On On On": lambda: HEAD + b"\n" + filled(b"On "),
    "one long word": lambda: HEAD + b"\n" + filled(b"abcdefghij"),
    "our address": lambda: HEAD + b"\n" + filled(b"games+"),
    "wide characters": lambda: coded(b"8bit", filled("\u0130\ufb03\u00a0\u200bx\u0661 ".encode())),
    "a signature without end": lambda: HEAD + b"\nhelp\n-- \n" + filled(b"text here and there\n"),
    # Commands
    "turns": lambda: HEAD + b"\n" + filled(b"a7b7 i3i2 3 c1c4 g9g6\n"),
    "misspelt commands": lambda: (
        HEAD + b"\n" + b"".join(b"chalen%d resgin%d\n" % (each, each) for each in range(40_000))
    ),
    "conditions": lambda: HEAD + b"\n" + filled(b"if a1b2 then c3d4 else e5f6\n"),
    # HTML
    "elements within elements": lambda: in_html(filled(b"<div>")),
    "quotes within quotes in HTML": lambda: in_html(filled(b"<blockquote>")),
    "elements that overlap": lambda: in_html(filled(b"<b><i><p></b></i>")),
    "attributes": lambda: in_html(b"<p " + b" ".join(b"a%d" % each for each in range(40_000)) + b">help"),
    "entities": lambda: in_html(filled(b"&#x110000;&amp;&notin")),
    "comments": lambda: in_html(filled(b"<!-- ")),
    "a document type": lambda: in_html(b"<!DOCTYPE a [" + filled(b'<!ENTITY a "&b;&b;">') + b"]>&a;"),
    "styles": lambda: in_html(filled(b'<p style="display: none">', 300_000) + b"help"),
    "forms": lambda: in_html(filled(b"<form><select><option>")),
}
