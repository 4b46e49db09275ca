"""The bytes of messages: written down by us where they are plain, and the same as the library's."""

from email.headerregistry import Address
from email.message import EmailMessage

from hypothesis import given
from hypothesis import strategies as st

from pbem.messages import mime
from pbem.messages.mime import Attachment, Enclosed
from pbem.messages.token_filter import Header, TokenFilter
from pbem.messages.token_redaction import TokenRedactor
from pbem.storage.models import Outgoing
from pbem.tokens import Keyring
from tests.templates import library_mime

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
        st.from_regex(r"[a-z0-9 ]{1,20}\.[a-z]{3}", fullmatch=True),
        st.just("text"),
        st.sampled_from(["plain", "calendar"]),
        st.binary(max_size=200),
        st.sampled_from([{}, {"charset": "utf-8"}, {"charset": "utf-8", "method": "PUBLISH"}]),
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
def test_a_message_has_the_bytes_that_the_library_would_give_it(
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

    assert ours == library_mime.message(reader, head, words, page, enclosed)


@given(st.binary(max_size=400))
def test_base64_is_the_library_s(content: bytes) -> None:
    mail = EmailMessage()
    mail.set_content(content, "image", "png")

    assert mime.in_base64(content).replace(b"\r\n", b"\n").decode() == mail.get_payload()
