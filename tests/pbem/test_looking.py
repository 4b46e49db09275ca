"""What `games` and `help` show: matches by urgency and with dates, and an answer to every word that people look up."""

import re

import pytest

from tests import scenes
from tests.correspondence import Correspondence, said, text

ALICE = "alice@mail.example"


def busy(letters: Correspondence) -> None:
    """Let alice play several matches of different ages with bob and carol."""
    personal = {name: letters.join(name) for name in ("alice", "bob", "carol")}

    def write(name: str, words: str) -> None:
        letters.clock.advance(days=1)
        letters.write(f"{name}@mail.example", words, to=personal[name])

    write("alice", "challenge bob quadrupel\nchallenge carol quadrupel\nchallenge bob kvadratik")
    write("bob", "accept 1\naccept 3")
    write("carol", "accept 2\nchallenge alice quadrature")
    write("alice", "challenge carol hexaphages\n#1 d2d1")
    write("bob", "challenge alice quadraphages")
    write("alice", "accept 6\n#3 setup +x+x")
    write("bob", "#1 c2c1\n#3 setup xx++")
    write("carol", "resign 2")
    letters.reply(letters.last("carol"), "yes")


pytestmark = scenes.after(busy)


def listed(mail_text: str) -> list[str]:
    return [" ".join(line.split()) for line in mail_text.splitlines() if line.startswith("* #")]


def test_games_lists_what_waits_for_the_player_first_and_longest_first(letters: Correspondence) -> None:
    (answer,) = letters.say("alice", "games")

    assert listed(text(answer)) == [
        "* #1 Quadrupel bob your turn, due 15 Mar, turn 3",
        "* #3 Kvadratik bob your turn, due 15 Mar, turn 3",
        "* #4 Quadrature carol challenges you, 5 Mar",
        "* #6 Quadraphages bob waiting, due 13 Mar, turn 1",
        "* #5 Hexaphages carol not accepted yet, 6 Mar",
        "* #2 Quadrupel carol won, 10 Mar",
    ]


def test_the_day_is_that_of_the_reader_s_zone(letters: Correspondence) -> None:
    personal = letters.personal("alice")
    (answer,) = letters.write(ALICE, "set zone Pacific/Pago_Pago\ngames", to=personal)  # eleven hours behind
    letters.clock.advance(days=365)
    later = letters.write(ALICE, "games", to=personal)

    assert "challenges you, 4 Mar" in text(answer)
    assert any(re.search(r"won, \d+ Mar 2026", text(each)) for each in later)


@pytest.mark.parametrize(("game", "words"), [("kvadratik", "b3b2 now"), ("quadrupel variant=position", "setup d2")])
def test_where_only_a_set_up_is_possible_a_refusal_says_so(letters: Correspondence, game: str, words: str) -> None:
    letters.match(f"challenge erin {game}", "dora", "erin")
    (answer,) = letters.reply(letters.last("dora"), words)

    assert "sets up:" in text(answer) or "set up four discs on" in said(answer)


def test_undo_is_offered_only_where_something_can_be_undone(letters: Correspondence) -> None:
    letters.match("challenge erin quadrupel", "dora", "erin")
    assert "undo" not in text(letters.last("dora"))
    letters.reply(letters.last("dora"), "d2d1")
    assert "undo" not in text(letters.last("erin"))
    assert "undo, " in said(letters.last("dora"))


def test_a_command_below_other_text_is_reported_as_not_attempted(letters: Correspondence) -> None:
    personal = letters.personal("alice")
    (answer,) = letters.write(ALICE, "help draw\nfrobnicate\ngames", to=personal)
    words = said(answer)

    assert "so they weren't carried out, and we didn't send them to anyone: | frobnicate | games" in words
    assert "To carry this out, send it again: | games To write" in words


@pytest.mark.parametrize(
    ("time", "told"),
    [
        ("3d", ["for the whole match", "write time=3d/move"]),
        ("60d", ["for the whole match"]),
        ("3d/move", []),
        ("14d+1d", []),
    ],
)
def test_a_short_time_for_a_whole_match_is_pointed_out(letters: Correspondence, time: str, told: list[str]) -> None:
    for words in ("challenge bob quadrature", "seek quadrature"):
        letters.reply(letters.received["alice@mail.example"][1], f"{words} time={time}")
        answer = said(letters.last("alice"))
        assert [each for each in ("for the whole match", "write time=3d/move") if each in answer] == told
