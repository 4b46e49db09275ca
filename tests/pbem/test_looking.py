"""What `games` and `help` show: matches by urgency and with dates, and an answer to every word that people look up."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from notation.games import GAMES
from pbem.conversation.core import Group
from pbem.features.all import FEATURES
from pbem.features.explaining import topics
from pbem.features.explaining.messages import (
    Help,
    HelpOnCommand,
    HelpOnGame,
    HelpOnGroup,
    HelpOnNotation,
    HelpOnSetting,
    HelpOnTopic,
)
from pbem.messages.said.welcome import titles
from tests.correspondence import Correspondence, correspondence, text

ALICE = "alice@mail.example"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path) as letters:
        letters.play(busy)
        yield letters


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


def listed(mail_text: str) -> list[str]:
    return [" ".join(line.split()) for line in mail_text.splitlines() if line.startswith("* #")]


@pytest.mark.slow
def test_games_lists_what_waits_for_the_player_first_and_longest_first(letters: Correspondence) -> None:
    (answer,) = letters.write(ALICE, "games", to=letters.received[ALICE][1]["Reply-To"].addresses[0].addr_spec)

    assert listed(text(answer)) == [
        "* #1 Quadrupel bob your turn, due 15 Mar, turn 3",
        "* #3 Kvadratik bob your turn, due 15 Mar, turn 3",
        "* #4 Quadrature carol challenges you, 5 Mar",
        "* #6 Quadraphages bob waiting, due 13 Mar, turn 1",
        "* #5 Hexaphages carol not accepted yet, 6 Mar",
        "* #2 Quadrupel carol won, 10 Mar",
    ]


@pytest.mark.slow
def test_the_day_is_that_of_the_reader_s_zone(letters: Correspondence) -> None:
    personal = letters.received[ALICE][1]["Reply-To"].addresses[0].addr_spec
    (answer,) = letters.write(ALICE, "set zone Pacific/Pago_Pago\ngames", to=personal)  # eleven hours behind
    letters.clock.advance(days=365)
    later = letters.write(ALICE, "games", to=personal)

    assert "challenges you, 4 Mar" in text(answer)
    assert any(re.search(r"won, \d+ Mar 2026", text(each)) for each in later)


@pytest.mark.parametrize(
    ("words", "kind", "told"),
    [
        ("", Help, ""),
        ("me", Help, ""),
        ("please", Help, ""),
        ("commands", Help, ""),
        ("stalemate", HelpOnTopic, "ending"),
        ("draw", HelpOnCommand, "draw"),
        ("opponent", HelpOnTopic, "opponent"),
        ("find an opponent", HelpOnTopic, "opponent"),
        ("beginner", HelpOnTopic, "first"),
        ("how to play", HelpOnTopic, "first"),
        ("quit", HelpOnTopic, "leaving"),
        ("vacation", HelpOnCommand, "stop"),
        ("turns", HelpOnGroup, "move"),
        ("password", HelpOnCommand, "revoke"),
        ("delete account", HelpOnCommand, "delete"),
        ("takeback", HelpOnCommand, "undo"),
        ("history", HelpOnCommand, "history"),
        ("lobby", HelpOnCommand, "seeks"),
        ("pictures?", HelpOnCommand, "set"),
        ("invite", HelpOnCommand, "challenge"),
        ("quadrupel", HelpOnGame, "quadrupel"),
        ("notation", HelpOnNotation, ""),
        ("coordinates", HelpOnNotation, ""),
    ],
)
def test_help_finds_what_people_look_for(words: str, kind: type, told: str) -> None:
    found = topics.find(FEATURES, FEATURES.commands, words)

    assert isinstance(found, kind)
    assert told in str(found)


def test_every_word_of_the_index_leads_somewhere() -> None:
    keywords = [*FEATURES.topics.values(), *(command.keywords for command in FEATURES.commands.values())]
    for word in " ".join([*FEATURES.topics, *keywords, topics.NOTATION_WORDS]).split():
        assert topics.find(FEATURES, FEATURES.commands, word) is not None, word
    assert topics.find(FEATURES, FEATURES.commands, "xyzzy") is None


@pytest.mark.parametrize("key", GAMES)
def test_every_game_is_described_in_one_line(key: str) -> None:
    assert 0 < len(GAMES[key].game.summary) <= 54
    assert key in [title.key for title in titles()]


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ("", "variant=basic"),
        ("announce=auto", "variant=basic announce=auto"),
        ("variant=minimum-points", "variant=minimum-points minimum=20"),
        ("variant=position zone2=ban", "variant=position zone2=ban"),
        ("minimum=25 zone2=ban", "variant=basic"),
    ],
)
def test_options_that_change_nothing_are_not_shown(wanted: str, shown: str) -> None:
    game = GAMES["quadrupel"].game
    chosen = game.chosen(dict(word.split("=") for word in wanted.split()))

    assert " ".join(f"{name}={choice}" for name, choice in game.shown(chosen).items()) == shown


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("game", "words"), [("kvadratik", "b3b2 now"), ("quadrupel variant=position", "setup d2")])
def test_where_only_a_set_up_is_possible_a_refusal_says_so(letters: Correspondence, game: str, words: str) -> None:
    letters.match(f"challenge erin {game}", "dora", "erin")
    (answer,) = letters.reply(letters.last("dora"), words)

    assert "sets up:" in text(answer) or "set up four discs on" in " ".join(text(answer).split())


@pytest.mark.slow
def test_a_set_up_without_its_word_is_suggested(letters: Correspondence) -> None:
    letters.match("challenge erin kvadratik", "dora", "erin")
    (answer,) = letters.reply(letters.last("dora"), "+x+x")
    assert 'Did you mean "setup +x+x"?' in text(answer)
    letters.reply(answer, "yes")

    assert letters.execute("select plies from match where id = 7") == [(1,)]


@pytest.mark.slow
def test_a_guest_s_match_bears_their_name_once_they_have_one(letters: Correspondence) -> None:
    personal = letters.received[ALICE][1]["Reply-To"].addresses[0].addr_spec
    letters.write(ALICE, "challenge nora@mail.example quadrupel", to=personal)
    assert str(letters.last("nora")["Subject"]).endswith("alice's invitation")
    letters.reply(letters.last("nora"), "accept nora")

    assert str(letters.last("nora")["Subject"]).endswith("alice - nora")
    assert str(letters.last("alice")["Subject"]).endswith("alice - nora")


@pytest.mark.slow
def test_undo_is_offered_only_where_something_can_be_undone(letters: Correspondence) -> None:
    letters.match("challenge erin quadrupel", "dora", "erin")
    assert "undo" not in text(letters.last("dora"))
    letters.reply(letters.last("dora"), "d2d1")
    assert "undo" not in text(letters.last("erin"))
    assert "undo, " in " ".join(text(letters.last("dora")).split())


def test_a_command_below_other_text_is_reported_as_not_attempted(letters: Correspondence) -> None:
    personal = letters.received[ALICE][1]["Reply-To"].addresses[0].addr_spec
    (answer,) = letters.write(ALICE, "help draw\nfrobnicate\ngames", to=personal)
    words = " ".join(text(answer).split())

    assert "so they weren't carried out, and we didn't send them to anyone: | frobnicate | games" in words
    assert "To carry this out, send it again: | games To write" in words


def test_a_valid_line_below_a_misspelt_one_is_reported_as_skipped(letters: Correspondence) -> None:
    personal = letters.received[ALICE][1]["Reply-To"].addresses[0].addr_spec
    (answer,) = letters.write(ALICE, "show 1\nchalenge bob quadrupel\ngames", to=personal)

    assert "these lines of your message were skipped: | games" in " ".join(text(answer).split())


@pytest.mark.parametrize("group", [group for group in Group if group is not Group.MODERATION])
def test_help_lists_each_command_of_a_group_in_a_few_words_and_explains_it_there(group: Group) -> None:
    found = topics.find(FEATURES, FEATURES.commands, group.word)

    assert isinstance(found, HelpOnGroup)
    named = [command for command in FEATURES.commands.values() if command.group is group]
    assert [entry.name for entry in found.group.commands] == [command.name for command in named]
    assert all(1 <= len(command.brief.split()) <= 10 for command in named)


@pytest.mark.parametrize("words", ["time", "clock", "the deadline?", "time control", "timeout"])
def test_help_explains_time(words: str) -> None:
    found = topics.find(FEATURES, FEATURES.commands, words)

    assert isinstance(found, HelpOnTopic)
    assert found.topic == "time"


@pytest.mark.parametrize("name", FEATURES.preferences)
def test_each_setting_has_help(name: str) -> None:
    found = topics.find(FEATURES, FEATURES.commands, f"set {name}")

    assert isinstance(found, HelpOnSetting)
    assert (found.spelled, found.help) == (FEATURES.preferences[name].spelled, FEATURES.preferences[name].help)


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
        answer = " ".join(text(letters.last("alice")).split())
        assert [each for each in ("for the whole match", "write time=3d/move") if each in answer] == told
