"""The forms of a message: pictures, the last move, words of others, and sizes."""

import re
from email.message import EmailMessage
from html import unescape

import pytest
from selectolax.lexbor import LexborHTMLParser
from sqlmodel import Session, select

from notation.games import GAMES
from pbem.messages.boards.palette import LEFT, LIT, css
from pbem.storage.models import Outgoing
from pbem.storage.outbox import kept_content
from tests import scenes
from tests.correspondence import Correspondence, html, parsed, text, to

MOST = 100_000
HIDDEN = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\u0000-\u0008]")


def types(mail: EmailMessage) -> list[str]:
    """Return the types of all parts."""
    return [part.get_content_type() for part in mail.walk()]


def chosen(letters: Correspondence, words: str) -> EmailMessage:
    """Return alice's match as shown with that preference."""
    letters.say("alice", f"set {words}")
    (mail,) = letters.say("alice", "show 1")
    return mail


@scenes.after(scenes.two_turns)
def test_the_board_in_a_table_and_in_unicode(letters: Correspondence) -> None:
    mail = chosen(letters, "picture off")
    (board,) = LexborHTMLParser(html(mail)).css(".pbem-board")
    cells = ["".join(cell.text().split()) for cell in board.css("tr")[0].css("td")]
    assert cells == [".", ".", "o", "o", ".", "O", ".", ".", ".", "1"]
    assert "\N{FISHEYE}" in text(chosen(letters, "board unicode"))


@scenes.after(scenes.two_players)
def test_a_stranger_gets_no_picture(letters: Correspondence) -> None:
    letters.say("alice", "challenge carol@mail.example hexaphages")
    invitation = letters.last("carol")

    assert types(letters.received["alice@mail.example"][0]) == ["text/plain"]
    assert types(invitation) == ["multipart/alternative", "text/plain", "text/html"]
    assert "pbem-board" in html(invitation)


@scenes.after(scenes.two_turns)
def test_rules_come_with_pictures_and_stay_small(letters: Correspondence) -> None:
    for game in GAMES:
        mail = letters.reply(letters.last("alice"), f"rules {game}")[-1]
        pictures = LexborHTMLParser(html(mail)).css("img")
        enclosed = {f"cid:{part['Content-ID'].strip('<>')}" for part in mail.walk() if part["Content-ID"]}

        assert len(pictures) >= 4
        assert {picture.attributes["src"] for picture in pictures} == enclosed
        assert all("board of columns" in (picture.attributes["alt"] or "") for picture in pictures)
        assert len(mail.as_bytes()) < MOST
        assert len(html(mail)) < 40_000


@scenes.after(scenes.two_turns)
@pytest.mark.parametrize("wish", ["picture off", "board words", "html off"])
def test_rules_have_no_pictures_for_readers_who_want_none(letters: Correspondence, wish: str) -> None:
    letters.say("alice", f"set {wish}")
    mail = letters.reply(letters.last("alice"), "rules quadrupel")[-1]

    assert "<img" not in mail.as_string()
    assert "image/png" not in types(mail)
    assert ". . o x . .  2" in text(mail)


@scenes.after(scenes.two_turns)
def test_the_last_move_is_lit_by_its_ground_and_by_its_frame(letters: Correspondence) -> None:
    (board,) = LexborHTMLParser(html(chosen(letters, "picture off"))).css(".pbem-board")
    rows = board.css("tr")[:9]
    reached, left = (
        {
            f"{'abcdefghi'[column]}{row}"
            for row, line in enumerate(rows, start=1)
            for column, cell in enumerate(line.css("td")[:9])
            if cell.attributes["bgcolor"] in {css(colour) for colour in grounds}
            and "border: 2px" in (cell.attributes["style"] or "")
        }
        for grounds in (LIT, LEFT)
    )

    assert reached == {"f1", "h7"}
    assert left == {"c1", "d1", "g9", "h9"}


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


@scenes.after(scenes.two_players)
def test_a_digest_of_many_matches_shows_the_most_urgent_boards_and_stays_small(letters: Correspondence) -> None:
    letters.say("bob", "set mail batch")
    for number in range(1, 9):
        letters.say("alice", "challenge bob quadrupel begin=me")
        letters.say("bob", f"accept {number}")
        letters.say("alice", f"#{number} d2d1")
    (news,) = to(letters.wait(minutes=20), "bob")

    assert len(news.as_bytes()) < MOST
    assert len(LexborHTMLParser(html(news)).css("img")) == text(news).count("a b c d e f") == 3
    assert text(news).count("alice played d2d1.") == 8
    without = [number for number in range(1, 9) if f'* The board: reply "show {number}"' in text(news)]
    assert without == [4, 5, 6, 7, 8]
    assert html(news).count("The board</a>") == 5
