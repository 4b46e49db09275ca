"""Games whose titles are several words, and games whose names are ordinary words: what players may write for them."""

from pathlib import Path

import pytest

from pbem.conversation.syntax.sentences import lines_said
from pbem.features.all import FEATURES
from tests import scenes, toys
from tests.correspondence import Correspondence, said, text

pytestmark = scenes.after(scenes.two_players)


@pytest.fixture(autouse=True)
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer a game whose key isn't its title, and one whose key is an English word."""
    toys.offer(monkeypatch, toys.toy(tmp_path, "loa", "Lines of Action"), toys.toy(tmp_path, "go", "Go"))


SPELLINGS = ["Lines of Action", "LINES-OF-ACTION", "linesofaction"]


@pytest.mark.parametrize("title", SPELLINGS)
@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("play {}", "match"),
        ("challenge bob {} begin=me", "match"),
        ("seek {} time=14d+1d", "seek"),
    ],
)
def test_the_title_of_a_game_is_as_good_as_its_key(letters: Correspondence, title: str, line: str, column: str) -> None:
    letters.say("alice", line.format(title))

    assert letters.execute(f"select game from {column}") == [("loa",)]


@pytest.mark.parametrize("title", SPELLINGS)
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("rules {}", "Who takes the last stone wins"),
        ("help {}", "How many stones you take"),
        ("standings {}", "Lines of Action"),
        ("reject {}", "rejects loa"),
        ("seeks {}", "no open seeks of that kind"),
    ],
)
def test_every_command_that_takes_a_game_takes_its_title(
    letters: Correspondence, title: str, line: str, told: str
) -> None:
    (answer,) = letters.say("alice", line.format(title))

    assert told in said(answer)


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("I'd like to play lines of action.", "play loa"),
        ("I'd like to play Lines-of-Action with bob", "challenge bob loa"),
        ("How do you play lines of action?", "rules loa"),
    ],
)
def test_a_sentence_may_have_the_title(said: str, line: str) -> None:
    commands = FEATURES.commands
    assert line in lines_said(commands, [said])


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
