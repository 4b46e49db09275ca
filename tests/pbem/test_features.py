"""A feature without its value is gone: its commands, its settings, its work by time; all else goes on."""

from itertools import chain
from pathlib import Path

import pytest

from pbem.conversation.feature import Feature, Features
from pbem.features.all import FEATURES
from tests.correspondence import Correspondence, correspondence, text

NEEDED = {"playing", "accounts", "challenges"}
"""What others need: people who play matches, and how these begin."""


def match_of_two(letters: Correspondence) -> None:
    """Let two people join, play some turns, and end the match by mail."""
    letters.match("challenge bob quadraphages time=3d/move begin=me")
    for name in ("alice", "bob"):
        shown = letters.last(name)
        letters.reply(shown, text(shown).partition("For example: ")[2].splitlines()[0])
    letters.clock.advance(days=1)
    letters.run_for(days=1)
    letters.resign("alice")


@pytest.mark.parametrize("gone", [each for each in FEATURES if each.name not in NEEDED], ids=lambda each: each.name)
def test_without_a_feature_a_match_is_played_by_mail(tmp_path: Path, gone: Feature) -> None:
    with correspondence(tmp_path, features=Features(*(each for each in FEATURES if each is not gone))) as letters:
        match_of_two(letters)

        assert letters.rows("select state, winner, plies from match") == [("over", 1, 2)]
        assert letters.rows("select count(*) from incoming where state not in ('done', 'held')") == [0]
        assert letters.rows("select count(*) from setback") == [0]
        (settings,) = letters.say("alice", "set")
        assert not any(f"- {preference.name} " in text(settings) for preference in gone.preferences)
        answers = [letters.say("alice", f"help {command.name}") for command in chain(*gone.commands.values())]
        assert answers[0]  # the same isn't said again soon
        usages = [f"- {command.usage}\r\n" for command in chain(*gone.commands.values())]
        assert not any(usage in text(answer) for answer in chain(*answers) for usage in usages)
        letters.say("alice", "delete me")
        letters.reply(letters.last("alice"), "yes")
        letters.run_for(hours=1)
        assert letters.rows("select count(*) from player where address like 'alice%'") == [0]
