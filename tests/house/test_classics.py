"""Each game of the shelf against the house, by mail and from the first message to the last board."""

import tomllib
from importlib import import_module

import pytest

from pbem.conformance.checks import offered
from pbem.features.house.search_process import Question, respond
from pbem_classics.games.connectfour import CONNECTFOUR
from tests.correspondence import Correspondence, text
from tests.house.scenes import searching
from tests.operating.environments import ROOT
from tests.searchers import Searching

CAROL = "carol@mail.example"
SHELF = ROOT / "packs" / "pbem-classics" / "pyproject.toml"
POINTS = tomllib.loads(SHELF.read_text(encoding="utf-8"))["project"]["entry-points"]["pbem.games"]


LONG = pytest.param("chess", "pbem_chess:CHESS", marks=pytest.mark.slow)


@pytest.mark.parametrize(("key", "point"), [*POINTS.items(), LONG])
def test_a_newcomer_plays_the_house_to_the_last_board(letters: Correspondence, key: str, point: str) -> None:
    module, _, name = point.partition(":")
    with offered(getattr(import_module(module), name)):
        searching(letters, Searching())
        letters.write(CAROL, f"play {key} level=1")
        letters.reply(letters.last("carol"), "yes")
        while letters.rows("select to_move from match") != [None]:
            turns = tuple(letters.played)
            letters.clock.advance(minutes=1)
            letters.reply(letters.last("carol"), respond(Question(key, {}, turns, 1, len(turns))).turn)
            assert len(letters.played) > len(turns)

        assert letters.execute("select state, termination from match") == [("over", "rules")]
        assert "The match is over" in text(letters.last("carol"))


def test_lists_of_games_begin_with_the_easy_ones(letters: Correspondence) -> None:
    letters.join("carol")
    with offered(CONNECTFOUR):
        listed = text(letters.write(CAROL, "help games", to=str(letters.last("carol")["Reply-To"]))[0])

    assert listed.index("Easy to begin with:") < listed.index("Connect Four") < listed.index("With a little more")
    assert listed.index("With a little more") < listed.index("Quadrupel")
