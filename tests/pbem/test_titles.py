"""A game whose title is several words: it stays in prose, and its rules are sent in the languages that there are."""

from pathlib import Path

import pytest

from tests import scenes, toys
from tests.correspondence import Correspondence, said, text

pytestmark = scenes.after(scenes.two_players)


@pytest.fixture(autouse=True)
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer a game whose key isn't its title, and one whose key is an English word."""
    toys.offer(monkeypatch, toys.toy(tmp_path, "loa", "Lines of Action"), toys.toy(tmp_path, "go", "Go"))


def test_a_title_stands_as_it_was_written_where_it_is_no_game(letters: Correspondence) -> None:
    letters.say("alice", "challenge bob quadrupel")
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("alice"), "say I prefer Lines of Action.")

    assert "I prefer Lines of Action." in text(letters.last("bob"))


@pytest.mark.parametrize(("game", "is_weak"), [("loa", True), ("quadrupel", False)])
@pytest.mark.parametrize("line", ["play {}", "help {}"])
def test_the_house_says_where_it_knows_only_the_rules(
    letters: Correspondence, game: str, line: str, is_weak: bool
) -> None:
    (answer,) = letters.say("alice", line.format(game))

    assert ("plays it weakly at every level" in said(answer)) is is_weak


GERMAN = "Linien\n======\n\nWer den letzten Stein nimmt, gewinnt.\n"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("rules loa de", "Wer den letzten Stein nimmt, gewinnt."),
        ("rules loa", 'These rules are also there in other languages: "rules loa de".'),
        ("rules loa fr", '"rules loa" or "rules loa de" sends them.'),
        ("rules quadrupel de", '"rules quadrupel" sends them.'),
    ],
)
@pytest.mark.parametrize("is_player", [True, False])
def test_rules_are_sent_in_the_languages_that_there_are(
    letters: Correspondence, tmp_path: Path, line: str, told: str, is_player: bool
) -> None:
    (tmp_path / "loa.de.md").write_text(GERMAN, encoding="utf-8")
    if is_player:
        (answer,) = letters.say("alice", line)
    else:
        (answer,) = letters.write("stranger@mail.example", line)

    assert told in said(answer)
