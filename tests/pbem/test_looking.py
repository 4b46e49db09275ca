"""What `games` shows: matches by urgency and with dates."""

import re

from tests import scenes
from tests.correspondence import Correspondence, text

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
