"""A match of Hex by mail: turns that are one cell each, a swap among them, and no draws."""

import re
from email.message import EmailMessage

import pytest

from pbem_classics.hex import HEX
from tests import toys
from tests.correspondence import Correspondence, said


@pytest.fixture
def letters(letters: Correspondence, monkeypatch: pytest.MonkeyPatch) -> Correspondence:
    """Begin a match."""
    toys.offer(monkeypatch, HEX)
    letters.match("challenge bob hex")
    return letters


def parts(mail: EmailMessage) -> tuple[str, str]:
    """Return the text part and the HTML part, each in one line."""
    html = mail.get_body(("html",))
    assert html is not None
    return said(mail), " ".join(html.get_content().split())


def tapped(html: str) -> list[str]:
    """Return what the links of a message send, in their order."""
    return re.findall(r'href="mailto:[^"]*body=([^"&]*)"', html)


def test_cells_are_not_listed_but_an_example_and_the_swap_are_shown(letters: Correspondence) -> None:
    _, first = parts(letters.last("alice"))
    letters.reply(letters.last("alice"), "c11")
    words, html = parts(letters.last("bob"))

    assert [each for each in tapped(first) if "preview" in each] == []
    assert [each for each in tapped(html) if "preview" in each] == ["preview%20swap"]
    assert 'To see a turn on the board first, reply "preview a1", for example.' in words
    assert "Reply &#34;preview a1&#34;, for example." in html
    assert words.index("* swap") < words.index("For example: a1")
    assert "a1 | b1" not in words

    letters.reply(letters.last("bob"), "preview a1")
    assert "bob: a1" in parts(letters.last("bob"))[0]


def test_both_players_read_where_the_stone_is_after_a_swap(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "c11")
    assert "We'll write when bob has moved." in parts(letters.last("alice"))[0]
    letters.reply(letters.last("bob"), "swap")

    for name, mover in (("alice", "bob"), ("bob", "You")):
        for part in parts(letters.last(name)):
            assert f"{mover} played swap: Blue took over the stone, now on k3." in part


def test_no_draw_is_offered_or_accepted(letters: Correspondence) -> None:
    for name, turn in (("alice", "c11"), ("bob", "e5"), ("alice", "f6")):
        letters.reply(letters.last(name), turn)
    words, html = parts(letters.last("bob"))
    letters.reply(letters.last("bob"), "draw")

    assert "resign, games." in words
    assert "draw" not in f"{words} {tapped(html)}"
    assert (
        "A draw can't be agreed in this match: the rules go on until somebody has won." in parts(letters.last("bob"))[0]
    )
