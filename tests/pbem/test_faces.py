"""The forms of a message: words of others, and sizes."""

import re
from email.message import EmailMessage
from html import unescape

import pytest
from selectolax.lexbor import LexborHTMLParser
from sqlmodel import Session, select

from pbem.storage.mailer import kept_content
from pbem.storage.models import Outgoing
from tests import scenes
from tests.correspondence import Correspondence, html, parsed, text

MOST = 100_000
HIDDEN = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\u0000-\u0008]")


def types(mail: EmailMessage) -> list[str]:
    """Return the types of all parts."""
    return [part.get_content_type() for part in mail.walk()]


@scenes.after(scenes.two_turns)
@pytest.mark.parametrize(
    "words",
    [
        "\"'></td></tr></table></div></body></html>",
        "a" * 900,
        "\u202egnp.exe\u2066\u200f\u0007\u0000 and more",
        "<a href=https://evil.example>tap</a> &lt;b&gt; &#60;i&#62;",
    ],
)
def test_nobody_s_words_are_markup(letters: Correspondence, words: str) -> None:
    letters.reply(letters.last("alice"), "say Hello.")
    harmless = LexborHTMLParser(html(letters.last("bob")))
    letters.wait(minutes=5)
    letters.reply(letters.last("alice"), f"say {words}")
    mail = letters.last("bob")
    tree = LexborHTMLParser(html(mail))

    assert [node.tag for node in tree.css("*")] == [node.tag for node in harmless.css("*")]
    assert all(str(link.attributes["href"]).startswith("mailto:games%2B") for link in tree.css("a"))
    (quote,) = tree.css("blockquote")
    shown = "".join(c if c.isprintable() else " " for c in words)
    assert "".join(quote.text().split()) == "".join(shown.split())
    assert not HIDDEN.search(unescape(html(mail)))
    assert max(map(len, mail.as_bytes().splitlines())) < 998


@scenes.after(scenes.two_turns)
def test_what_turns_or_hides_text_is_left_out_however_it_came_into_a_row(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "say Hello.")
    with Session(letters.server.engine) as session:
        row = session.exec(select(Outgoing).where(Outgoing.template == "message")).one()
        kept_content(row).payload = {**row.payload, "message": ["\u202egnp.exe\u2066\u200f\u0007"]}
        mail = parsed(*letters.server.renderer.render(session, [row]))

    assert "gnp.exe" in html(mail)
    assert not HIDDEN.search(unescape(html(mail)) + text(mail))


@scenes.after(scenes.two_players)
def test_a_mail_that_tells_of_many_matches_spares_boards_and_stays_small(letters: Correspondence) -> None:
    for number in range(1, 21):
        letters.clock.advance(hours=3)  # there is a limit to challenges in a day
        letters.say("alice", "challenge bob hexaphages begin=me")
        letters.say("bob", f"accept {number}")
    (few,) = letters.say("alice", "show 1\nshow 2")
    (many,) = letters.say("alice", "\n".join(f"show {number}" for number in range(1, 21)))

    assert types(few).count("image/png") == 1
    assert len(many.as_bytes()) < MOST
    assert "image/png" not in types(many)
    assert len(LexborHTMLParser(html(many)).css("pre")) == 20
    assert all(f'body=show%20{number}"' in html(many) for number in range(1, 21))
    assert text(many).count("X  alice") + text(many).count("O  alice") == 20
