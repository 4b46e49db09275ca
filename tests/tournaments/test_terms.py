"""What opens a tournament, as it is written, and what is refused."""

import pytest

from pbem.errors import Refused
from pbem.features.tournaments import host_syntax
from tests.contests import NOW


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("round-robin time=3d/move", "one kind"),
        ("kvadratik time=3d/move", "one kind"),
        ("round-robin kvadratik", "needs a time control"),
        ("round-robin kvadratik time=3d/move places=99", "from 3 to 10"),
        ("round-robin kvadratik time=3d/move begin=you", "balanced"),
        ("round-robin kvadratik time=3d/move days=x", "from 1 to 90"),
        ("round-robin kvadratik time=3d/move every=day", '"every=day" is not a choice'),
        ("round-robin kvadratik time=3d/2d/move", "both players have the same time"),
        ("round-robin kvadratik time=3d/move undo=free", "players ask first"),
        ("round-robin kvadratik time=3d/move quickly", "quickly is neither"),
        ("round-robin quadrupel time=3d/move swap=off", "played with swap=on"),
        ("round-robin kvadratik time=3d/move colour=red", "colour"),
        ("round-robin kvadratik time=3d/move promoted=1", "promoted"),
        ("round-robin kvadratik time=3d/move called resign\x07", "can't be the title"),
        ("round-robin kvadratik time=3d/move called " + "x" * 41, "can't be the title"),
        ("league kvadratik time=3d/move", "league is neither"),
        ("ladder kvadratik", "needs a time control"),
        ("ladder kvadratik time=3d/move every=month", "A ladder has no end"),
        ("ladder kvadratik time=3d/move days=5", "days"),
        ("ladder kvadratik time=3d/move reach=99", "from 1 to 20"),
        ("ladder kvadratik time=3d/move together=9", "from 1 to 5"),
        ("swiss kvadratik time=3d/move reach=3", "reach"),
        ("team-match kvadratik time=3d/move called Danube - Rhine", "team-match is neither"),
    ],
)
def test_what_is_no_tournament_is_refused(words: str, told: str) -> None:
    with pytest.raises(Refused) as refused:
        host_syntax.read(words, "none", NOW)

    assert told in f"{refused.value.sentence} {refused.value.fits}"
