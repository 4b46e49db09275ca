"""From: only an unambiguous one has an author."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail.reading.from_and_subject import author
from pbem.mail.reading.message import read

PLAIN = [
    "alice@mail.example",
    "<alice@mail.example>",
    "Alice <alice@mail.example>",
    '"Alice, the first" <Alice@Mail.Example>',
    "Müller, Alice <alice@mail.example>",
    "alice@mail.example (Alice)",
    "(of the club) alice@mail.example",
    "alice(c)@mail.example",
    "=?utf-8?q?Alice?= <alice@mail.example>",
    "alice@mail.example <alice@mail.example>",
    '"mallory@evil.example" <alice@mail.example>',
    "=?utf-8?q?mallory=40evil.example?= <alice@mail.example>",
    "Alice (says (mallory@evil.example)) <alice@mail.example>",
    r'"Alice \"<mallory@evil.example>\"" <alice@mail.example>',
    "Alice\t<alice@mail.example>",
]
TWO_READINGS = [
    "alice@mail.example, mallory@evil.example",
    "alice@mail.example <mallory@evil.example>",
    "alice@mail.example<mallory@evil.example>",
    "<alice@mail.example>@evil.example",
    "<alice@mail.example> <mallory@evil.example>",
    "<alice@mail.example>, mallory@evil.example",
    "<alice@mail.example> mallory",
    "<@evil.example:alice@mail.example>",
    "players: alice@mail.example;",
    "players: <alice@mail.example>;",
    "players:;",
    "alice@mail.example;mallory@evil.example",
    "alice@mail.example@evil.example",
    '"alice@mail.example"@evil.example',
    '"alice"@mail.example',
    "alice mallory@evil.example",
    "alice@mail.example\0@evil.example",
    '"alice@mail.example" <mallory@evil.example',
    "alice@mail.example (",
    'alice@mail.example "',
    "alice@mail.example>, <mallory@evil.example>",
    "a" * 3_000 + "@mail.example",
    "(" * 1_500 + "alice@mail.example",
    "=?utf-8?q?alice=40mail.example?=",
    "alice",
    "",
]


@pytest.mark.parametrize(
    ("written", "sender"),
    [
        ("jö@bücher.example", "jö@xn--bcher-kva.example"),
        ("jö@mail.example", "jö@mail.example"),
        ("alice@\uff4dail.example", None),
        ("alice@ma\u0131l.example", "alice@xn--mal-kua.example"),
    ],
)
def test_an_internationalised_address_is_answered_and_is_nobody_elses(written: str, sender: str | None) -> None:
    assert read(f"From: {written}\n\nhelp\n".encode(), None, ()).sender == sender


@pytest.mark.parametrize("field", PLAIN)
def test_one_address_is_read(field: str) -> None:
    assert author([field]) == "alice@mail.example"


@pytest.mark.parametrize("field", TWO_READINGS)
def test_an_ambiguous_from_has_no_author(field: str) -> None:
    assert author([field]) is None


def test_a_second_from_leaves_no_author_even_with_the_same_address() -> None:
    once = b"From: alice@mail.example\n"
    assert read(once + b"\nhelp", None, ()).sender == "alice@mail.example"
    for second in (b"From: mallory@evil.example\n", b"from: alice@mail.example\n", b"FROM:\n"):
        assert read(once + second + b"\nhelp", None, ()).sender is None
        assert read(second + once + b"\nhelp", None, ()).sender is None


@given(st.text(alphabet='ab@<>(),;:"\\. \t', max_size=40))
def test_the_author_is_one_plain_address(field: str) -> None:
    found = author([field])

    assert found is None or (found.count("@") == 1 and not set(found) & set('<>(),;:" \t'))
