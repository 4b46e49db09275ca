"""The forms of a message: its parts, what players can choose of them, and that nobody's words can break them."""

from email.message import EmailMessage

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests import scenes
from tests.cases import quick_where
from tests.correspondence import Correspondence, html, text

pytestmark = scenes.after(scenes.two_turns)

PLAIN, ALTERNATIVES = ["text/plain"], ["multipart/alternative", "text/plain", "text/html"]


def types(mail: EmailMessage) -> list[str]:
    """Return the types of all parts."""
    return [part.get_content_type() for part in mail.walk()]


def test_a_mail_is_text_and_html_with_its_picture(letters: Correspondence) -> None:
    mail = letters.last("alice")

    assert types(mail) == ["multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png"]
    plain, _, shown, picture = list(mail.walk())[1:]
    assert plain.get_params(header="content-type")[1:] == [("charset", "utf-8"), ("format", "fixed")]
    assert shown.get_content_charset() == "utf-8"
    assert picture.get_content_disposition() == "inline"
    assert picture.get_content().startswith(b"\x89PNG")
    (image,) = LexborHTMLParser(html(mail)).css("img")
    assert image.attributes["src"] == f"cid:{picture['Content-ID'].strip('<>')}"
    assert "X (alice): stones on b7, i2; marked cells on a7, i3." in (image.attributes["alt"] or "")


@pytest.mark.parametrize(
    ("choice", "parts", "words", "markup"),
    quick_where(
        lambda case: case[0] == "board words",
        [
            ("html off", PLAIN, "a b c d e f g h i", ""),
            ("picture off", ALTERNATIVES, "a b c d e f g h i", "pbem-board"),
            ("board words", ALTERNATIVES, "X (alice): stones on", "X (alice): stones on"),
        ],
    ),
)
def test_a_player_chooses_how_boards_look(
    letters: Correspondence, choice: str, parts: list[str], words: str, markup: str
) -> None:
    letters.say("alice", f"set {choice}")

    (mail,) = letters.say("alice", "show 1")

    assert types(mail) == parts
    assert words in text(mail)
    assert markup in html(mail)
    assert "<img" not in html(mail)


def test_nobody_s_words_are_markup(letters: Correspondence) -> None:
    words = "<script>alert(1)</script><img src=x> {{ server }} {% for x in y %} </blockquote></pre><!-- <style>*{}"

    letters.reply(letters.last("alice"), "b7d7 i2g2 3 d7d4 g2d2\n\n" + words)

    (quote,) = LexborHTMLParser(html(letters.last("bob"))).css("blockquote")
    assert {node.tag for node in quote.css("*")}.isdisjoint({"script", "img", "style", "pre"})
    assert "".join(quote.text().split()) == "".join(words.split())
