"""`set`: valid choices, refusals, and that choices are stored."""

import pytest
from sqlmodel import select

from pbem.errors import Refused
from pbem.features.all import FEATURES
from pbem.storage.database import transaction
from pbem.storage.models import Player
from tests.correspondence import Correspondence, said, text

pytestmark = pytest.mark.sql


def settings(letters: Correspondence) -> dict[str, str]:
    with transaction(letters.server.engine) as session:
        return session.exec(select(Player.settings)).one()


def test_what_is_chosen_is_kept_and_a_default_is_not(letters: Correspondence) -> None:
    personal = letters.join("alice")
    (answer,) = letters.write("alice@mail.example", "set board words\nset zone=europe/vienna hour 18:00", to=personal)
    assert "Saved: board words." in text(answer)
    assert settings(letters) == {"board": "words", "zone": "Europe/Vienna", "hour": "18"}
    letters.write("alice@mail.example", "SET Board ASCII.", to=personal)
    assert settings(letters) == {"zone": "Europe/Vienna", "hour": "18"}


def test_alone_it_lists_every_preference_with_its_choice(letters: Correspondence) -> None:
    personal = letters.join("alice")
    letters.write("alice@mail.example", "set picture off", to=personal)
    (answer,) = letters.write("alice@mail.example", "set", to=personal)
    for preference in FEATURES.preferences.values():
        assert f'("set {preference.spelled}")' in text(answer)
        assert preference.help in said(answer)
    assert "- picture off" in text(answer)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("set board braille", '"set board ascii" or "set board unicode" or "set board words"'),
        ("set hour 24", 'For example "set hour 18".'),
        ("set zone Mars/Olympus", "Europe/Vienna"),
        ("set zone ../../etc/passwd", "Europe/Vienna"),
        ("set colour red", 'no setting called "colour"'),
        ("set board", "needs a name and a value"),
        ("set board words html", "needs a name and a value"),
        ("set board words mail never", '"mail" can\'t be "never"'),
    ],
)
def test_a_slip_is_explained_and_changes_nothing(letters: Correspondence, line: str, says: str) -> None:
    personal = letters.join("alice")
    (answer,) = letters.write("alice@mail.example", line, to=personal)
    assert says in said(answer)
    assert settings(letters) == {}


def test_it_needs_a_proof(letters: Correspondence) -> None:
    letters.join("alice")
    (question,) = letters.write("alice@mail.example", "set html off")
    assert settings(letters) == {}
    letters.reply(question, "yes")
    assert settings(letters) == {"html": "off"}


@pytest.mark.parametrize("name", FEATURES.preferences)
def test_every_choice_is_accepted_in_its_own_spelling(name: str) -> None:
    preference = FEATURES.preferences[name]
    assert [preference.chosen(choice.upper()) for choice in preference.choices] == list(preference.choices)
    with pytest.raises(Refused):
        preference.chosen("nonsense")


def test_one_line_can_choose_all_of_them() -> None:
    needed = sum(1 + preference.words for preference in FEATURES.preferences.values())
    assert FEATURES.commands["set"].words == (0, needed)
