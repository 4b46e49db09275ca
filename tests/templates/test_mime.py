"""The bytes of messages: what the library reads in them is what was meant, and any mail server can take them."""

import re
from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.messages import mime
from pbem.messages.mime import Attachment, Enclosed
from pbem.messages.token_redaction import Header, TokenFilter, TokenRedactor
from pbem.storage.models import Outgoing
from pbem.tokens import Keyring

ID = "<1@pbem.example>"
LETTERS = st.characters(min_codepoint=33, max_codepoint=126)
WORDS = st.text(st.one_of(LETTERS, st.sampled_from(" \u00e4\u4e16=?_")), max_size=120).map(lambda words: words.strip())
LINES = st.lists(st.text(st.one_of(LETTERS, st.sampled_from(" .\u00e4\u4e16")), max_size=100), max_size=5)
NAMES = st.text(st.one_of(LETTERS, st.sampled_from(' \u00e4"().,')), max_size=90)
LOCALS = st.from_regex(r"[a-z0-9+_-]{1,60}(\.[a-z0-9]{1,9})?", fullmatch=True)
DOMAINS = st.from_regex(r"[a-z0-9]{1,9}(-[a-z0-9]{1,9})?\.example", fullmatch=True)
ADDRESSES = st.builds(lambda name, local, domain: Address(name.strip(), local, domain), NAMES, LOCALS, DOMAINS)
FILES = st.lists(
    st.builds(
        Attachment,
        st.from_regex(r"[a-z0-9-]{1,20}\.[a-z]{3}", fullmatch=True),
        st.sampled_from(["text/plain", "text/csv"]),
        LINES.map(lambda lines: "".join(f"{line}\n" for line in lines).encode()),
    ),
    max_size=2,
)


def unfiltered() -> TokenFilter:
    """Return a filter that has nothing to remove."""
    row = Outgoing(message_id=ID, template="turn", address="bob@mail.example")
    return TokenFilter(TokenRedactor("games@pbem.example"), Keyring("a key"), row)


@given(
    sender=ADDRESSES,
    subject=WORDS,
    last=WORDS,
    text=LINES,
    html=st.none() | st.lists(st.text(LETTERS, max_size=1200), min_size=1, max_size=4),
    pictures=st.lists(st.binary(min_size=1, max_size=300), max_size=2),
    files=FILES,
    reader=st.sampled_from(["bob@mail.example", "b\u00f6b@mail.example"]),
)
def test_a_message_is_read_as_it_was_meant(
    sender: Address,
    subject: str,
    last: str,
    text: list[str],
    html: list[str] | None,
    pictures: list[bytes],
    files: list[Attachment],
    reader: str,
) -> None:
    head: list[Header] = [
        ("From", sender),
        ("Reply-To", sender),
        ("Subject", f"[pbem] {subject}"),
        ("Date", "Sun, 22 Nov 2026 12:00:00 +0000"),
        ("Message-ID", ID),
        ("X-PBeM-Last", last or "c1b1"),
    ]
    enclosed = Enclosed(ID)
    for picture in pictures if html else ():
        enclosed.show(picture)
    for file in files:
        enclosed.attach(file)
    words, page = "".join(f"{line}\n" for line in text), None if html is None else "".join(f"{x}\n" for x in html)

    ours = mime.message(reader, head, words, page, enclosed, unfiltered())

    read = message_from_bytes(ours, policy=SMTP)
    assert not [part.defects for part in read.walk() if part.defects]
    assert {name: str(read[name]) for name, _ in head} == {name: str(value) for name, value in head}
    shown, inside = enclosed.pictures, [part for part in read.walk() if not part.is_multipart()]
    faces = [words or "\n"] if page is None else [words or "\n", page, *shown]
    meant = [*faces, *(file.content.decode() or "\n" for file in enclosed.files.values())]
    assert [_unfolded(part) for part in inside] == meant
    assert [part.get_filename() for part in inside[len(faces) :]] == [*enclosed.files]
    assert max(map(len, ours.split(b"\r\n"))) <= 998
    assert b"base64" not in ours or shown
    assert ours.partition(b"\r\n\r\n")[2].isascii()
    assert ours.isascii() or not reader.isascii()


def _unfolded(part: EmailMessage) -> str | bytes:
    content: str | bytes = part.get_content()
    return content.replace("\r\n", "\n") if isinstance(content, str) else content


@pytest.mark.parametrize("name", ["PBeM", "Spiele f\u00fcr alle", "Games, boards"])
def test_a_long_address_stands_in_a_line_of_its_own(name: str) -> None:
    """Filters count a header that has nothing behind its colon as a sign of spam."""
    address = Address(name, f"games+{'a' * 40}", "brettspiele.example.org")

    assert re.fullmatch(rb"Reply-To: \S[^\n]*\r\n <games[^\n]*>\r\n", mime.folded("Reply-To", address, SMTP))


@given(st.binary(max_size=400))
def test_base64_is_the_library_s(content: bytes) -> None:
    mail = EmailMessage()
    mail.set_content(content, "image", "png")

    assert mime.in_base64(content).replace(b"\r\n", b"\n").decode() == mail.get_payload()
