"""`set`: what is chosen is kept, listed, and needs a proof."""

from pbem.features.all import FEATURES
from tests import scenes
from tests.correspondence import Correspondence, said, text

pytestmark = scenes.after(scenes.two_players)
SETTINGS = "select cast(settings as varchar) from player where name = 'alice'"


def test_what_is_chosen_is_kept_and_a_default_is_not(letters: Correspondence) -> None:
    (answer,) = letters.say("alice", "set board words\nset zone=europe/vienna hour 18:00")
    assert "Saved: board words." in text(answer)
    assert letters.rows(SETTINGS) == ['{"board": "words", "zone": "Europe/Vienna", "hour": "18"}']
    letters.say("alice", "SET Board ASCII.")
    assert letters.rows(SETTINGS) == ['{"zone": "Europe/Vienna", "hour": "18"}']


def test_alone_it_lists_every_preference_with_its_choice(letters: Correspondence) -> None:
    letters.say("alice", "set picture off")
    (answer,) = letters.say("alice", "set")
    for preference in FEATURES.preferences.values():
        assert f'("set {preference.spelled}")' in text(answer)
        assert preference.help in said(answer)
    assert "- picture off" in text(answer)


def test_it_needs_a_proof(letters: Correspondence) -> None:
    (question,) = letters.write("alice@mail.example", "set html off")
    assert letters.rows(SETTINGS) == ["{}"]
    letters.reply(question, "yes")
    assert letters.rows(SETTINGS) == ['{"html": "off"}']
