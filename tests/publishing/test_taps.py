"""The first page and those of matches: links whose messages do what they say, also for someone unknown here."""

import json
import re
from html import unescape

from notation.games import GAMES
from tests.correspondence import text
from tests.publishing.site import Archive

MATCH = "matches/0/1.html"


def link(page: str, label: str) -> str:
    """Return where the link with that label, or that name for screen readers, leads."""
    links = re.findall(r'<a [^>]*href="([^"]*)"([^>]*)>([^<]*)</a>', page)
    (found,) = {unescape(href) for href, rest, words in links if label == words or f'aria-label="{label}"' in rest}
    return found


def test_a_tap_and_a_yes_begin_a_match_with_the_house(shown: Archive) -> None:
    for key in GAMES:
        assert link(shown.text("index.html"), f"Play {GAMES[key].title}, level 3: Regular")
    (question,) = shown.tap(link(shown.text("index.html"), "Play Kvadratik, level 3: Regular"), "xenia@mail.example")
    assert question["Subject"] == "[pbem] Please confirm"
    (begun,) = shown.letters.reply(question, "yes")
    assert str(begun["Subject"]).startswith("[pbem #2, your turn] Kvadratik: ")
    assert "level 3, match #2, turn 1" in text(begun)


def test_someone_unknown_takes_a_seek_and_enters_a_tournament_with_a_tap(shown: Archive) -> None:
    shown.letters.say("carol", "seek kvadratik time=14d+1d")
    shown.letters.operate("tournament", "open", "ladder", "kvadratik", "time=3d/move", "called", "Spring ladder")
    shown.publish()
    page = shown.text("index.html")
    assert "14 days each, plus 1 day for each turn" in page
    for name, label in (("xenia", "Take seek 1: Kvadratik"), ("yorick", "Enter Spring ladder")):
        (question,) = shown.tap(link(page, label), f"{name}@mail.example")
        shown.letters.reply(question, "yes")
    assert "[pbem #2, your turn] Kvadratik: carol - xenia" in str(shown.letters.last("carol")["Subject"])
    shown.publish()
    assert json.loads(shown.text("tournaments/1.json"))["players"] == 1


def test_someone_unknown_plays_on_from_a_position_with_a_tap(shown: Archive) -> None:
    assert "Play on from here" not in shown.text(MATCH)  # the house helps nobody in a match that is running
    shown.end()
    shown.publish()
    links = re.findall(r'<a href="([^"]*)">Play on from here', shown.text(MATCH))
    assert len(links) == 3
    (question,) = shown.tap(links[1], "xenia@mail.example")
    answers = shown.letters.reply(question, "yes")
    assert "match #2" in text(answers[-1])
    assert "| 1  1 a7b7 i3i2" in text(answers[-1])
