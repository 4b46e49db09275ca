"""Links on the pages of games and tournaments open messages that do what they say, also for someone unknown here."""

import re
from email.message import EmailMessage
from html import unescape
from urllib.parse import parse_qs, unquote, urlsplit

from tests.correspondence import text
from tests.publishing.site import Archive


def tap(site: Archive, path: str, words: str, sender: str) -> list[EmailMessage]:
    """Send the message that a mail program writes for the link with these words. Return what the server sent."""
    (uri,) = re.findall(rf'href="(mailto:[^"]*)"[^>]*>{words}</a>', site.text(path))
    parts = urlsplit(unescape(uri))
    fields = {name: values[0] for name, values in parse_qs(parts.query, strict_parsing=True).items()}
    return site.letters.write(sender, fields["body"], fields["subject"], to=unquote(parts.path))


def test_a_match_begins_from_the_page_of_a_game(shown: Archive) -> None:
    (question,) = tap(shown, "games/kvadratik.html", "Play Kvadratik now", "xenia@mail.example")
    (begun,) = shown.letters.reply(question, "yes")
    assert "level 1, match #2, turn 1" in text(begun)


def test_someone_enters_from_the_page_of_a_tournament_as_long_as_it_is_open(shown: Archive) -> None:
    words = ("team", "kvadratik", "boards=2", "time=3d/move", "called", "Danube", "-", "Rhine")
    shown.letters.operate("tournament", "open", *words)
    shown.publish()
    (question,) = tap(shown, "tournaments/1.html", "Enter for Rhine", "xenia@mail.example")
    shown.letters.reply(question, "yes")
    shown.publish()
    page = shown.text("tournaments/1.html")
    assert "<li>a player for Rhine</li>" in page
    assert "1 of 4" in page
    shown.letters.execute("update tournament set ended = closes")
    shown.publish()
    assert "called off" in shown.text("tournaments/1.html")
    assert "Enter for" not in shown.text("tournaments/1.html")
