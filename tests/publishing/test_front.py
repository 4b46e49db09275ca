"""The first page: what is played now, and links whose messages do what they say, also for someone unknown here."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

from notation.games import GAMES
from pbem.features.tournaments.messages import TournamentLine
from pbem.publishing import front, pages
from pbem.publishing.contents import PageLine, PagePlace, SeekShown
from pbem.publishing.pages import Site
from pbem.publishing.visibility import Shown
from pbem.signatures import Signer
from tests import toys
from tests.correspondence import MORNING, text
from tests.diagrams import diagrams
from tests.publishing.site import NEXT, URL, Archive

LIVE_MATCH = 'href="matches/0/1.html"'
MOST_BYTES = 150_000
"""Of the first page with all that it loads."""


def link(page: str, label: str) -> str:
    """Return where the link with that label, or that name for screen readers, leads."""
    links = re.findall(r'<a [^>]*href="([^"]*)"([^>]*)>([^<]*)</a>', page)
    (found,) = {unescape(href) for href, rest, words in links if label == words or f'aria-label="{label}"' in rest}
    return found


def test_a_tap_and_a_yes_begin_a_match_with_the_house(shown: Archive) -> None:
    for key in GAMES:
        assert link(shown.text("index.html"), f"Play {GAMES[key].title}, level 3: Regular")
    (question,) = shown.tap(link(shown.text("index.html"), "Play Kvadratik, level 3: Regular"), "xenia@mail.example")
    assert question["Subject"] == "[pbem] Was this you?"
    (begun,) = shown.letters.reply(question, "yes")
    assert str(begun["Subject"]).startswith("[pbem #2, your turn] Kvadratik: ")
    assert "level 3, match #2, turn 1" in text(begun)


@pytest.mark.parametrize(
    ("path", "label"), [("index.html", "Play Quadrupel now"), ("games/quadrupel.html", "Play Quadrupel now")]
)
def test_the_first_button_leads_to_a_match_that_is_easy_to_win(shown: Archive, path: str, label: str) -> None:
    (question,) = shown.tap(link(shown.text(path), label), "xenia@mail.example")
    (begun,) = shown.letters.reply(question, "yes")
    assert "level 1, match #2, turn 1" in text(begun)


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


def test_without_the_house_nothing_offers_a_match_with_it(shown: Archive) -> None:
    assert "play%20" in shown.text("index.html")
    shown.publish(house=False)
    assert "play%20" not in shown.text("index.html")


def test_a_running_match_is_shown_as_it_stands(shown: Archive) -> None:
    before = shown.text("index.html")
    assert LIVE_MATCH in before
    shown.turn("alice", NEXT)
    shown.publish()
    assert "Quadraphages, turn 4" in shown.text("index.html")
    shown.choose("off", "bob")
    shown.publish()
    assert LIVE_MATCH not in shown.text("index.html")


def test_it_stays_small_however_much_there_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    toys.offer(monkeypatch, *toys.many(tmp_path, 40))
    names = Shown(1, "a" * 20, has_page=True), Shown(2, "b" * 20, has_page=True)
    matches = [PageLine(41000 + each, "Hexaphages", names, "aaaa won", False, 30, MORNING) for each in range(60)]
    boards = {each.number: diagrams("hexaphages")[-1 - each.number % 9] for each in matches}
    contest = TournamentLine(
        number=1234, title="The Great Tournament of the Danube", kind="round-robin", game="Hexaphages", options="",
        time="3d/move", state="open", entrants=12, places=16, can_enter=True,
    )  # fmt: skip
    seeks = [SeekShown(each, "Hexaphages", names[0], "first=x, 14 days each, rated") for each in range(100)]
    places = {key: [PagePlace(each, names[0], "1500?", 10, 0, 10) for each in range(100)] for key in GAMES}
    lists = front.Lists(matches, matches, places, seeks, [contest] * 25, range(50))
    page = front.page(Site("PBeM", "games@pbem.example", Signer(bytes(32)), URL), lists, boards)
    assert 3 <= page.count("<small>Hexaphages, turn") <= front.LIVE
    assert page.count(' rel="stylesheet"') == 1
    assert not re.search(r"<img [^>]*src=\"(?!icon.svg)|<script", page)
    assert len((page + pages.style() + dict(pages.unchanging())["icon.svg"]).encode()) <= MOST_BYTES
