"""Help: an answer to every word that people look up, and options that matter."""

import pytest

from notation.games import GAMES
from pbem.conversation.command import Group
from pbem.features.all import FEATURES
from pbem.features.explaining import commands
from pbem.features.explaining.commands import (
    Help,
    HelpOnCommand,
    HelpOnGame,
    HelpOnGroup,
    HelpOnNotation,
    HelpOnSetting,
    HelpOnTopic,
)


@pytest.mark.parametrize(
    ("words", "kind", "told"),
    [
        ("", Help, ""),
        ("commands", Help, ""),
        ("stalemate", HelpOnTopic, "ending"),
        ("draw", HelpOnCommand, "draw"),
        ("opponent", HelpOnTopic, "opponent"),
        ("beginner", HelpOnTopic, "first"),
        ("how to play", HelpOnTopic, "first"),
        ("quit", HelpOnTopic, "leaving"),
        ("vacation", HelpOnCommand, "stop"),
        ("turns", HelpOnGroup, "move"),
        ("password", HelpOnCommand, "revoke"),
        ("delete account", HelpOnCommand, "delete"),
        ("lobby", HelpOnCommand, "seeks"),
        ("pictures?", HelpOnCommand, "set"),
        ("invite", HelpOnCommand, "challenge"),
        ("quadrupel", HelpOnGame, "quadrupel"),
        ("notation", HelpOnNotation, ""),
    ],
)
def test_help_finds_what_people_look_for(words: str, kind: type, told: str) -> None:
    found = commands.find(FEATURES, FEATURES.commands, words)

    assert isinstance(found, kind)
    assert told in str(found)


def test_every_word_of_the_index_leads_somewhere() -> None:
    keywords = [*FEATURES.topics.values(), *(command.keywords for command in FEATURES.commands.values())]
    for word in " ".join([*FEATURES.topics, *keywords, commands.NOTATION_WORDS]).split():
        assert commands.find(FEATURES, FEATURES.commands, word) is not None, word
    assert commands.find(FEATURES, FEATURES.commands, "xyzzy") is None


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


@pytest.mark.parametrize("group", [group for group in Group if group is not Group.MODERATION])
def test_help_lists_each_command_of_a_group_in_a_few_words_and_explains_it_there(group: Group) -> None:
    found = commands.find(FEATURES, FEATURES.commands, group.word)

    assert isinstance(found, HelpOnGroup)
    named = FEATURES.groups[group]
    assert [entry.name for entry in found.group.commands] == [command.name for command in named]
    assert all(1 <= len(command.brief.split()) <= 10 for command in named)


@pytest.mark.parametrize("name", FEATURES.preferences)
def test_each_setting_has_help(name: str) -> None:
    found = commands.find(FEATURES, FEATURES.commands, f"set {name}")

    assert isinstance(found, HelpOnSetting)
    assert (found.spelled, found.help) == (FEATURES.preferences[name].spelled, FEATURES.preferences[name].help)
