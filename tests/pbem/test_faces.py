"""The forms of a message: its parts, the players' preferences, and that nobody's words can break them."""

import html
import re
from email.message import EmailMessage
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser
from sqlmodel import Session, select

from notation.games import GAMES
from pbem.messages.boards.palette import LEFT, LIT, css
from pbem.messages.mime import Enclosed, message
from pbem.messages.token_filter import TokenFilter
from pbem.messages.token_redaction import TokenRedactor
from pbem.storage.models import Outgoing
from pbem.storage.outbox import kept_content
from pbem.tokens import Keyring
from tests.correspondence import Correspondence, correspondence, parsed, text

ALICE, BOB = "alice@mail.example", "bob@mail.example"
MOST = 100_000


def markup(mail: EmailMessage) -> str:
    """Return the HTML part; "" if there is none."""
    part = mail.get_body(("html",))
    return str(part.get_content()) if part else ""


def types(mail: EmailMessage) -> list[str]:
    """Return the types of all parts."""
    return [part.get_content_type() for part in mail.walk()]


def chosen(letters: Correspondence, words: str) -> EmailMessage:
    """Return alice's match as shown with that preference."""
    personal = letters.received[ALICE][1]
    letters.reply(personal, f"set {words}")
    (mail,) = letters.reply(personal, "show 1")
    return mail


def test_a_mail_is_text_and_html_with_its_picture(letters: Correspondence) -> None:
    mail = letters.last("alice")

    assert types(mail) == ["multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png"]
    plain, _, shown, picture = list(mail.walk())[1:]
    assert plain.get_params(header="content-type")[1:] == [("charset", "utf-8"), ("format", "fixed")]
    assert shown.get_content_charset() == "utf-8"
    assert picture.get_content_disposition() == "inline"
    assert f'src="cid:{picture["Content-ID"].strip("<>")}"' in markup(mail)
    assert picture.get_content().startswith(b"\x89PNG")


def test_html_off_leaves_the_text(letters: Correspondence) -> None:
    before = text(letters.last("alice"))

    mail = chosen(letters, "html off")

    assert types(mail) == ["text/plain"]
    assert "a b c d e f g h i" in text(mail)
    assert "a b c d e f g h i" in before


@pytest.mark.slow
def test_picture_off_shows_the_board_as_a_table(letters: Correspondence) -> None:
    mail = chosen(letters, "picture off")

    assert types(mail) == ["multipart/alternative", "text/plain", "text/html"]
    assert "<img" not in markup(mail)
    (board,) = LexborHTMLParser(markup(mail)).css(".pbem-board")
    cells = ["".join(cell.text().split()) for cell in board.css("tr")[0].css("td")]
    assert cells == [".", ".", "o", "o", ".", "O", ".", ".", ".", "1"]


@pytest.mark.slow
def test_the_board_in_unicode_and_in_words(letters: Correspondence) -> None:
    unicode, words = chosen(letters, "board unicode"), chosen(letters, "board words")

    assert "\N{FISHEYE}" in text(unicode)
    assert "X (alice): stones on" in text(words)
    assert "X (alice): stones on" in markup(words)
    assert "<pre" not in markup(words)
    assert types(words) == ["multipart/alternative", "text/plain", "text/html"]


def test_the_alt_text_says_the_position(letters: Correspondence) -> None:
    (picture,) = LexborHTMLParser(markup(letters.last("alice"))).css("img")

    assert "X (alice): stones on b7, i2; marked cells on a7, i3." in (picture.attributes["alt"] or "")


def test_a_stranger_gets_no_picture(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        personal = letters.join("alice")
        letters.write(ALICE, "challenge carol@mail.example hexaphages", to=personal)
        invitation = letters.last("carol")

    assert types(letters.received[ALICE][0]) == ["text/plain"]
    assert types(invitation) == ["multipart/alternative", "text/plain", "text/html"]
    assert "pbem-board" in markup(invitation)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("game", GAMES)
def test_rules_come_with_pictures_and_stay_small(letters: Correspondence, game: str) -> None:
    mail = letters.reply(letters.last("alice"), f"rules {game}")[-1]
    pictures = LexborHTMLParser(markup(mail)).css("img")
    enclosed = {f"cid:{part['Content-ID'].strip('<>')}" for part in mail.walk() if part["Content-ID"]}

    assert len(pictures) >= 4
    assert {picture.attributes["src"] for picture in pictures} == enclosed
    assert all("board of columns" in (picture.attributes["alt"] or "") for picture in pictures)
    assert len(mail.as_bytes()) < 100_000
    assert len(markup(mail)) < 40_000


@pytest.mark.parametrize("wish", ["picture off", "board words", "html off"])
def test_rules_have_no_pictures_for_readers_who_want_none(letters: Correspondence, wish: str) -> None:
    chosen(letters, wish)
    mail = letters.reply(letters.last("alice"), "rules quadrupel")[-1]

    assert "<img" not in mail.as_string()
    assert "image/png" not in types(mail)
    assert ". . o x . .  2" in text(mail)


def test_the_last_move_is_lit_by_its_ground_and_by_its_frame(letters: Correspondence) -> None:
    (board,) = LexborHTMLParser(markup(chosen(letters, "picture off"))).css(".pbem-board")
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


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "words",
    [
        "<script>alert(1)</script><img src=x onerror=alert(1)>",
        "\"'></td></tr></table></div></body></html>",
        "{{ server }} {% for x in y %} {# ... #}",
        "</blockquote></pre><!-- <style>*{display:none}</style>",
        "a" * 900,
        "\u202egnp.exe\u2066\u200f\u0007\u0000 and more",
        "<a href=https://evil.example>tap</a> &lt;b&gt; &#60;i&#62;",
    ],
)
def test_nobody_s_words_are_markup(letters: Correspondence, words: str) -> None:
    letters.reply(letters.last("alice"), "say Hello.")
    harmless = LexborHTMLParser(markup(letters.last("bob")))
    letters.wait(minutes=5)
    letters.reply(letters.last("alice"), f"say {words}")
    mail = letters.last("bob")
    tree = LexborHTMLParser(markup(mail))

    assert [node.tag for node in tree.css("*")] == [node.tag for node in harmless.css("*")]
    assert all(str(link.attributes["href"]).startswith("mailto:games%2B") for link in tree.css("a"))
    (quote,) = tree.css("blockquote")
    said = "".join(c if c.isprintable() else " " for c in words)
    assert "".join(quote.text().split()) == "".join(said.split())
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u0000-\u0008]", html.unescape(markup(mail)))
    assert max(map(len, mail.as_bytes().splitlines())) < 998


def test_what_turns_or_hides_text_is_left_out_however_it_came_into_a_row(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "say Hello.")
    with Session(letters.server.engine) as session:
        row = session.exec(select(Outgoing).where(Outgoing.template == "message")).one()
        kept_content(row).payload = {**row.payload, "message": ["\u202egnp.exe\u2066\u200f\u0007"]}
        mail = parsed(*letters.server.renderer.render(session, [row]))

    assert "gnp.exe" in markup(mail)
    assert not re.search("[\u200e\u200f\u202a-\u202e\u2066-\u2069\u0007]", html.unescape(markup(mail)) + text(mail))


def test_a_line_that_is_refused_is_no_markup(letters: Correspondence) -> None:
    line = "c1b1 <b onclick='x'>\"&amp;</b></pre><h1>{{ 7*7 }}"
    letters.reply(letters.last("alice"), line)
    tree = LexborHTMLParser(markup(letters.last("alice")))

    assert tree.css("b[onclick], script") == []
    assert line in tree.css_first("pre").text()


@pytest.mark.slow
def test_rendering_twice_gives_the_same_bytes(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "resign")
    sent = {str(mail["Message-ID"]): mail for way, mail in letters.log if way == "out"}
    server = letters.server
    renderer = server.renderer
    with Session(server.engine) as session:
        rows = session.exec(select(Outgoing)).all()
        first = list(renderer.render(session, rows))
        again = [raw for row in rows for raw in renderer.render(session, [row])]

    assert len(first) == len(sent)
    assert first == again


def test_long_links_travel_whole() -> None:
    page = f'<a href="mailto:x?body={"a" * 1900}">tap</a>\n'
    row = Outgoing(message_id="<1@pbem.example>", template="turn", address=ALICE)
    tokens = TokenFilter(TokenRedactor("games@pbem.example"), Keyring("a key"), row)
    raw = message(ALICE, (), "words\n", page, Enclosed("<1@pbem.example>"), tokens)

    assert max(map(len, raw.splitlines())) < 998
    assert markup(parsed(raw)).replace("\r\n", "\n") == page


@pytest.mark.slow
def test_a_mail_that_tells_of_many_matches_spares_boards_and_stays_small(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        alice, bob = letters.join("alice"), letters.join("bob")
        for number in range(1, 21):
            letters.clock.advance(hours=3)  # there is a limit to challenges in a day
            letters.write(ALICE, "challenge bob hexaphages begin=me", to=alice)
            letters.write(BOB, f"accept {number}", to=bob)
        (few,) = letters.write(ALICE, "show 1\nshow 2", to=alice)
        (many,) = letters.write(ALICE, "\n".join(f"show {number}" for number in range(1, 21)), to=alice)

    assert types(few).count("image/png") == 1
    assert len(many.as_bytes()) < MOST
    assert "image/png" not in types(many)
    assert len(LexborHTMLParser(markup(many)).css("pre")) == 20
    assert all(f'body=show%20{number}"' in markup(many) for number in range(1, 21))
    assert text(many).count("X  alice") + text(many).count("O  alice") == 20


@pytest.mark.slow
def test_a_digest_of_many_matches_shows_the_most_urgent_boards_and_stays_small(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        alice, bob = letters.join("alice"), letters.join("bob")
        letters.write(BOB, "set mail batch", to=bob)
        for number in range(1, 9):
            letters.write(ALICE, "challenge bob quadrupel begin=me", to=alice)
            letters.write(BOB, f"accept {number}", to=bob)
            letters.write(ALICE, f"#{number} d2d1", to=alice)
        (news,) = [mail for mail in letters.wait(minutes=20) if mail["To"] == BOB]

    assert len(news.as_bytes()) < MOST
    assert len(LexborHTMLParser(markup(news)).css("img")) == text(news).count("a b c d e f") == 3
    assert text(news).count("alice played d2d1.") == 8
    assert [number for number in range(1, 9) if f'* The board: reply "show {number}"' in text(news)] == [
        4,
        5,
        6,
        7,
        8,
    ]
    assert markup(news).count("The board</a>") == 5
