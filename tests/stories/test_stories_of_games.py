"""Every game and variant by email, from the challenge to the end: each playthrough, turn by turn.

The golden files contain the messages that differ between games: the challenge, the first turns, the end.
"""

import os
from pathlib import Path

import pytest

from notation import record
from notation.games import GAMES
from tests.correspondence import Correspondence, said, text
from tests.scenes import after, two_players
from tests.stories.of_games import NAMES, play, played
from tests.stories.scripts import STORIES
from tests.stories.transcript import transcript

HERE = Path(__file__).parent
MOST = 100_000
"""The maximum size of a message in bytes; Gmail truncates longer ones."""


@pytest.mark.golden
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_game_is_played_to_its_end_by_mail(name: str, letters: Correspondence) -> None:
    story = played(name)
    play(letters, story)
    whole = letters.log[:]
    (answer,) = letters.reply(letters.received["alice@mail.example"][1], "record 1")
    golden = HERE / "games" / f"{name}.txt"
    ends = [said(letters.received[f"{who}@mail.example"][-1 if who == "bob" else -2]) for who in ("alice", "bob")]
    read = record.loads(text(answer).replace("\r\n", "\n"))
    variants = [other for other in NAMES if other < name and other.partition("-")[0] == story.game]
    before = [*STORIES, *(f"games/{variant}" for variant in variants)]
    end = len(whole)
    told = transcript(whole, before, only=[*range(10, 15), *range(17, 25), *range(end - 2, end + 1)])
    if os.environ.get("PBEM_GOLDEN") == "write":
        golden.write_text(told, encoding="utf-8")

    assert all("is over" in end and story.reason in end for end in ends)
    assert (read.game, list(read.moves)) == (story.game, list(story.turns))
    assert told == golden.read_text(encoding="utf-8")
    for mail in (mail for way, mail in whole if way == "out"):
        files = [part for part in mail.iter_attachments() if part.is_attachment()]
        assert len(mail.as_bytes()) - sum(len(part.as_bytes()) for part in files) < MOST
        assert max(len(line) for line in text(mail).splitlines()) <= 72
        assert max(map(len, mail.as_bytes().splitlines())) < 998


@pytest.mark.slow
@after(two_players)
@pytest.mark.parametrize("key", GAMES)
def test_a_game_can_be_offered_explained_shown_and_resigned(key: str, letters: Correspondence) -> None:
    (refused,) = letters.say("alice", f"challenge bob {key} colour=red")
    for option in GAMES[key].game.options:
        assert f"{option.name}={option.spelled}" in said(refused)

    letters.say("alice", f"challenge bob {key}")
    letters.reply(letters.last("bob"), "accept")
    shown = text(letters.say("bob", f"show 1\nhelp {key}\nhelp notation {key}\nrules {key}")[0])
    assert GAMES[key].game.title.upper() in shown
    assert all(option.name in shown for option in GAMES[key].game.options)

    letters.resign("bob", "#1 resign")
    assert said(letters.last("alice")).startswith("You won!")
    assert "The match is over: bob resigned." in said(letters.last("alice"))


def test_games_and_golden_files_belong_together() -> None:
    assert sorted(path.stem for path in (HERE / "games").glob("*.txt")) == NAMES
