"""`set`: every choice is accepted as it is spelled."""

import pytest

from pbem.errors import Refused
from pbem.features.all import FEATURES


@pytest.mark.parametrize("name", FEATURES.preferences)
def test_every_choice_is_accepted_in_its_own_spelling(name: str) -> None:
    preference = FEATURES.preferences[name]
    assert [preference.chosen(choice.upper()) for choice in preference.choices] == list(preference.choices)
    with pytest.raises(Refused):
        preference.chosen("nonsense")


def test_one_line_can_choose_all_of_them() -> None:
    needed = sum(1 + preference.words for preference in FEATURES.preferences.values())
    assert FEATURES.commands["set"].grammar.read("word " * needed).fits
