"""Every target of the fuzzers, with inputs that hypothesis puts together; `make fuzz` goes on where this ends."""

from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.seeds import SEEDS
from tests.fuzz.targets import TARGETS

HEADERS = (
    *("From", "To", "Cc", "Subject", "Message-ID", "In-Reply-To", "References", "Date", "Received", "Return-Path"),
    *("Auto-Submitted", "Content-Type", "Content-Transfer-Encoding", "Content-Disposition", "DKIM-Signature"),
    *("Authentication-Results", "Delivered-To", "X-Odd"),
)
PIECES = (
    *("alice@mail.example", "<a@b>", "(", ")", '"', "\\", ",", ";", ":", "<", ">", "[", "]", "@", "=?utf-8?q?=00?="),
    *("=?idna?b?eA==?=", "multipart/mixed", "multipart/alternative", "message/rfc822", "text/plain", "text/html"),
    *("; boundary=b", "; boundary*0*=utf-7'x'b", '; charset="hex"', "; charset=utf-16", "; format=flowed; delsp=yes"),
    *("base64", "quoted-printable", "x-uuencode", "mx.example;", "dmarc=pass", "header.from=mail.example", "\r\n "),
    *("\0", "\x1b", "é", "\ud83d", "Mon, 99 Foo 99999", "v=1; a=rsa-sha256; l=0;", "auto-replied", "\t", " "),
)
WORDS = (
    *("join alice", "resign", "say", "end", "challenge bob quadraphages", "first=o", "#1", "1", "a7b7", "i3i2", "yes"),
    *("> resign", "On Mon, PBeM wrote:", "-- ", "Sent from my iPhone", "From: a@b", "-----Original Message-----"),
    *("\u202e", "\u2028", "\x0b", "c1b1 g9h9 2", "====", "|", "undo", "#9999999999999999999", "²", "٣", "ß", "İ"),
)
MARKUP = (
    "<p>",
    "</p>",
    "<br",
    "<blockquote>",
    "<!--",
    "-->",
    "<b><i>",
    "&#x110000;",
    "<style>",
    "\0",
    "x",
    '"',
    "=",
    ">",
)

headers = st.tuples(st.sampled_from(HEADERS), st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=8)).map(
    lambda pair: f"{pair[0]}: {''.join(pair[1])}"
)


def made_of(pieces: tuple[str, ...], between: str = "") -> st.SearchStrategy[bytes]:
    """Texts put together from such pieces and others."""
    return st.lists(st.sampled_from(pieces) | st.text(max_size=12), max_size=40).map(
        lambda found: between.join(found).encode("utf-8", "surrogatepass")
    )


def put_together(head: list[str], body: bytes) -> bytes:
    return "".join(f"{line}\n" for line in head).encode("utf-8", "surrogatepass") + b"\n" + body


def within(inner: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Parts with others inside, some with the boundary that they need."""
    parts = st.lists(inner, max_size=4).map(
        lambda found: b"".join(b"--b\n" + part + b"\n" for part in found) + b"--b--"
    )
    kinds = st.sampled_from(["mixed", "alternative", "digest", "report", "signed"])
    heads = st.tuples(kinds, st.lists(headers, max_size=2)).map(
        lambda pair: [f"Content-Type: multipart/{pair[0]}; boundary=b", *pair[1]]
    )
    return st.builds(put_together, heads, parts)


leaves = st.builds(put_together, st.lists(headers, max_size=6), made_of(WORDS, "\n") | made_of(MARKUP) | st.binary())
trees = st.recursive(leaves, within, max_leaves=12)
mails = st.builds(lambda head, tree: put_together(head, b"")[:-1] + tree, st.lists(headers, max_size=8), trees)


@cache
def seeds(target: str) -> tuple[bytes, ...]:
    """The shorter ones; a change somewhere in a long one finds no more."""
    return tuple(sorted(SEEDS[target](), key=len)[:60])


@st.composite
def mutated(draw: st.DrawFn, target: str) -> bytes:
    """A real input in which some bytes are exchanged, doubled, or left out."""
    raw = bytearray(draw(st.sampled_from(seeds(target))))
    for _ in range(draw(st.integers(1, 6))):
        at, length = draw(st.integers(0, len(raw))), draw(st.integers(0, 30))
        piece = draw(st.sampled_from((*PIECES, *WORDS))).encode("utf-8", "surrogatepass")
        raw[at : at + length] = draw(st.sampled_from([b"", piece, bytes(raw[at : at + length]) * 2]))
    return bytes(raw)


MADE = {
    "mail": mails,
    "machine": mails,
    "html": made_of(MARKUP),
    "words": made_of(WORDS, "\n"),
    "failure": mails,
    "sender": mails,
    "command": made_of(WORDS, "\n") | made_of(WORDS, " "),
    "notation": made_of(WORDS, " "),
    "record": made_of(WORDS, "\n"),
}


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_breaks_a_promise(target: str) -> None:
    keep: Callable[[bytes], None] = TARGETS[target]

    @settings(max_examples=30)
    @given(MADE[target] | mutated(target))
    def check(raw: bytes) -> None:
        keep(raw)

    check()


@pytest.mark.parametrize("target", TARGETS)
def test_what_fuzzing_starts_from_breaks_no_promise(target: str) -> None:
    for seed in SEEDS[target]():
        TARGETS[target](seed)
