"""Which text of a message is read, and how it is decoded."""

import base64
import codecs

import pytest

from pbem.mail.reading import limits
from pbem.mail.reading.limits import Problem, ReadError
from pbem.mail.reading.message import read
from pbem.mail.reading.text import body


def shown(raw: bytes) -> body.Body:
    return body.read_body(body.parsed(raw))


def multipart(kind: str, *parts: bytes) -> bytes:
    inner = b"".join(b"--b\n" + part + b"\n" for part in parts)
    return b"MIME-Version: 1.0\nContent-Type: multipart/" + kind.encode() + b"; boundary=b\n\n" + inner + b"--b--\n"


def part(kind: str, text: str, *more: str) -> bytes:
    return "\n".join([f"Content-Type: {kind}; charset=utf-8", *more, "", text]).encode()


STUB = "This message is in HTML. Your mail client does not support it."


@pytest.mark.parametrize(
    ("raw", "text", "is_html"),
    [
        (multipart("alternative", part("text/plain", "a"), part("text/html", "<p>b")), "a", False),
        (multipart("alternative", part("text/html", "<p>b"), part("text/plain", "a")), "a", False),
        (multipart("alternative", part("text/plain", " \n"), part("text/html", "<p>b")), "<p>b", True),
        (multipart("alternative", part("text/plain", STUB), part("text/html", "<p>b")), "<p>b", True),
        (multipart("alternative", part("text/plain", STUB)), STUB, False),
        (multipart("alternative", part("text/x-amp-html", "z"), part("text/html", "<p>b")), "<p>b", True),
        (multipart("mixed", part("text/plain", "a"), part("text/plain", "c")), "a\nc", False),
        (multipart("mixed", part("text/plain", "a"), part("text/html", "<p>a")), "a", False),
        (multipart("mixed", part("text/html", "<p>a"), part("text/plain", "footer")), "<p>a", True),
        (multipart("mixed", part("text/plain", "a"), part("message/rfc822", "Subject: x\n\nresign")), "a", False),
        (
            multipart("mixed", part("text/plain", "a"), part("text/plain", "z", "Content-Disposition: attachment")),
            "a",
            False,
        ),
        (
            multipart("mixed", part("text/plain", "z", 'Content-Disposition: inline; filename="z.txt"')),
            "",
            False,
        ),
        (part("text/plain", "<!DOCTYPE html><p>b"), "<!DOCTYPE html><p>b", True),
        (part("application/pdf", "z"), "", False),
        (b"\n\na", "a", False),
    ],
)
def test_the_text_that_a_person_sees_is_read(raw: bytes, text: str, is_html: bool) -> None:
    found = shown(raw)

    assert (found.text.strip(), found.is_html) == (text, is_html)


DATA = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"
SIGNED = b"Content-Type: text/plain; charset=utf-8\r\n\r\nb7c7\r\n"
IN_PIECES = b"\xa0\x80\x24\x80\x04\x05" + SIGNED[:5] + b"\x04\x81" + bytes([len(SIGNED) - 5]) + SIGNED[5:] + bytes(6)
IN_ONE = b"\xa0\x3c\x04" + bytes([len(SIGNED)]) + SIGNED + b"\xa0\x00"
BOMBS = b"Content-Type: text/plain\n\n" + b"--b\n\n" * 900


def cms(content: bytes, kind: str = "application/pkcs7-mime; smime-type=signed-data") -> bytes:
    """Return a message as S/MIME packs it; the content's signatures and certificates don't matter."""
    packed = base64.encodebytes(b"\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x80" + content).decode()
    return part(
        kind, packed, "Content-Transfer-Encoding: base64", "Content-Disposition: attachment; filename=smime.p7m"
    )


@pytest.mark.parametrize(
    "raw",
    [
        cms(DATA + IN_PIECES),
        cms(DATA + IN_ONE, "application/x-pkcs7-mime"),
        multipart("mixed", cms(DATA + IN_ONE), part("text/plain", "")),
        b"Content-Type: =?utf-8?Q?text/plain?=\n\nb7c7",
        b"Content-Type: =?utf-8?Q?text/plain?=; charset=utf-8\n\nb7c7",
        b"Content-Type: =?utf-8?Q?text/html;_charset=3Dutf-8?=\n\n<p>b7c7",
        b"Content-Type: =?utf-8?B?bXVsdGlwYXJ0L21peGVkOyBib3VuZGFyeT1i?=\n\n--b\n\nb7c7\n--b--",
        part("text/plain", base64.b64encode("b7c7".encode("utf-16")).decode(), "Content-Transfer-Encoding: base64"),
        b"Content-Type: text/plain; charset=utf-8\n\n" + codecs.BOM_UTF16_BE + "b7c7".encode("utf-16-be"),
    ],
)
def test_a_text_is_read_though_it_is_wrapped_or_labelled_wrongly(raw: bytes) -> None:
    found = read(b"From: a@b.example\n" + raw, None, ())

    assert (found.lines, found.hidden) == (("b7c7",), None)


@pytest.mark.parametrize(
    ("raw", "hidden"),
    [
        (cms(DATA + b"\x30\x80\x80\x05abcde", "application/pkcs7-mime; smime-type=enveloped-data"), Problem.ENCRYPTED),
        (cms(b"\x04\xff" + DATA), Problem.ENCRYPTED),
        (cms(DATA + b"\x04\xff\xff"), Problem.ENCRYPTED),
        (multipart("encrypted", part("application/pgp-encrypted", "1"), part("application/x", "z")), Problem.ENCRYPTED),
        (part("text/plain", "-----BEGIN PGP MESSAGE-----\n\nhQ==\n-----END PGP MESSAGE-----"), Problem.ENCRYPTED),
        (multipart("mixed", part("text/plain", " "), part("application/ms-tnef", "z")), Problem.WINMAIL),
        (
            part("application/octet-stream", "z", "Content-Disposition: attachment; filename=winmail.dat"),
            Problem.WINMAIL,
        ),
        (part("text/plain", "b7c7", "Content-Disposition: attachment; filename=turn.txt"), Problem.ATTACHED),
        (part("image/png", "z"), Problem.ATTACHED),
        (part("text/html", "<a href='https://confidential-mail.google.com/msg/A'>View"), Problem.CONFIDENTIAL),
        (part("text/plain", ""), None),
        (part("text/plain", "> quoted"), None),
        (multipart("mixed", part("text/plain", "hello"), part("application/ms-tnef", "z")), None),
        (multipart("mixed", part("text/plain", "hello"), part("image/png", "z")), None),
    ],
)
def test_where_the_words_are_instead_is_known(raw: bytes, hidden: Problem | None) -> None:
    assert read(b"From: a@b.example\n" + raw, None, ()).hidden is hidden


def test_what_is_signed_is_held_to_the_limits_of_every_message() -> None:
    raw = cms(DATA + b"\x04\x83" + len(BOMBS).to_bytes(3) + BOMBS)

    assert read(b"From: a@b.example\n" + raw, None, ()).error == ReadError(Problem.TOO_MANY_PARTS)


@pytest.mark.parametrize(
    ("charset", "content", "text"),
    [
        ("utf-8", "é".encode(), "é"),
        ("utf-8", b"\xe9", "é"),
        ("iso-8859-1", b"\x93a\x94", "“a”"),
        ("us-ascii", "é".encode(), "é"),
        ("gb2312", "请".encode("gb18030"), "请"),
        ("shift_jis", "①".encode("cp932"), "①"),
        ('"windows-1251"', "да".encode("cp1251"), "да"),
        ("no-such-thing", b"abc", "abc"),
        ("zlib", b"abc", "abc"),
        ("idna", b"xn--" + b"a" * 500, "xn--" + "a" * 500),
        ("iso-8859-1", b"\x81", "\x81"),
    ],
)
def test_bytes_are_decoded_whatever_character_set_is_claimed(charset: str, content: bytes, text: str) -> None:
    assert body.decode(content, charset) == text


@pytest.mark.parametrize(
    ("flowed", "delsp", "lines"),
    [
        ("a \nb\n", False, "a b\n"),
        ("a \nb\n", True, "ab\n"),
        ("a\n  b\n", False, "a\n b\n"),
        (" >a\n From b", False, ">a\nFrom b"),
        ("> a \n> b \nc", False, "> a b \nc"),
        (">> a \n> b", False, ">> a \n> b"),
        ("a \n-- \nb", False, "a \n-- \nb"),
        ("a \n\nb", False, "a \nb"),
        ("a ", False, "a "),
    ],
)
def test_flowed_text_is_joined_as_rfc_3676_says(flowed: str, delsp: bool, lines: str) -> None:
    assert body.unflow(flowed, delsp) == lines


def test_too_many_parts_are_refused() -> None:
    with pytest.raises(limits.Unreadable, match="too many parts"):
        shown(multipart("mixed", *[part("text/plain", "a")] * (limits.MOST_PARTS + 1)))


# Boundaries that are missing or wrong ------------------------------------------------------------

PARTS = (
    "--x1\nContent-Type: text/plain; charset=utf-8\n\nSch\u00f6n: c1b1\n\n"
    "--x1\nContent-Type: text/html; charset=utf-8\n\n<p>Sch\u00f6n: c1b1</p>\n--x1--\n"
)


@pytest.mark.parametrize("kind", ["multipart/alternative", "multipart/mixed", "multipart/related"])
@pytest.mark.parametrize("boundary", ["", '; boundary="zz"', "; boundary=", ";\n boundary=x1"])
def test_a_multipart_with_a_missing_boundary_is_read(kind: str, boundary: str) -> None:
    head = f"From: a@b.example\nMIME-Version: 1.0\nContent-Type: {kind}{boundary}\n\n"

    for text in (PARTS, f"This is MIME.\n{PARTS}", "Sch\u00f6n: c1b1\n"):
        found = shown((head + text).encode())
        assert found.text.splitlines()[0] in ("Sch\u00f6n: c1b1", "<p>Sch\u00f6n: c1b1</p>")
        assert "x1" not in found.text
