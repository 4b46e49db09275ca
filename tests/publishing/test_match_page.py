"""The page of a match: every turn with its time, who played with which rating, an analysis, and how to go on."""

import re

from tests.correspondence import text
from tests.publishing.site import NEXT, Archive, files

MATCH = "matches/0/1.html"
THOUGHT = "What the house thinks"


def test_each_turn_is_listed_with_its_time_and_each_player_with_what_is_left(shown: Archive) -> None:
    shown.letters.run_for(hours=30)
    shown.turn("alice", NEXT)
    shown.publish()
    page = shown.text(MATCH)
    turns = re.findall(r'<li><a href="#(\d)">.*?<kbd>(.*?)</kbd> <small>(.*?)</small>', page)
    assert [number for number, _, _ in turns] == ["1", "2", "3"]
    assert turns[2][1:] == (NEXT, "1 day 6 hours")
    assert "5 days 18 hours left" in page.partition('class="replay"')[0]


def test_an_analysis_that_a_player_has_asked_for_is_shown_once_it_is_made(shown: Archive) -> None:
    shown.end()
    shown.publish()
    assert THOUGHT not in shown.text(MATCH)
    shown.letters.reply(shown.letters.last("alice"), "analyse")
    before = files(shown.folder)
    shown.publish()
    after = files(shown.folder)
    assert THOUGHT in shown.text(MATCH)
    assert {name for name in after if after[name] != before[name]} == {MATCH}
    assert shown.publish().written == 0


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
