"""Every game and variant against the house, from a newcomer's first message to the last board; house against house."""

from typing import Any

import pytest

from engines.core import Position
from engines.search import choose
from notation.games import GAMES
from pbem.features.house.search_process import Question, respond
from tests.cases import quick_where
from tests.correspondence import Correspondence, text
from tests.house.scenes import searching
from tests.playthroughs.matches import MATCHES
from tests.searchers import Searching

SOME = ("hexaphages", "kvadratik-flip-none", "quadrupel")
CAROL = "carol@mail.example"
LONGEST = 10_000
"""More turns than any of these matches has: the longest has 1,765, in Kvadratik without flips, and is a draw."""
APART = 600
"""How far apart the seeds of two matches are."""
ALTOGETHER = 1_000
"""How many matches the house plays against itself, in all variants together."""


@pytest.mark.parametrize("name", SOME)
def test_a_newcomer_plays_the_house_to_the_last_board(letters: Correspondence, name: str) -> None:
    game, options = MATCHES[name]
    chosen = "".join(f" {option}={choice}" for option, choice in options.items())
    searching(letters, Searching())
    letters.write(CAROL, f"play {game}{chosen} level=1")
    letters.reply(letters.last("carol"), "yes")
    while letters.rows("select to_move from match") != [None]:
        turns = tuple(letters.played)
        assert len(turns) < LONGEST
        letters.clock.advance(minutes=1)
        letters.reply(letters.last("carol"), respond(Question(game, options, turns, 1, len(turns))).turn)
        assert len(letters.played) > len(turns)
        # It is Carol's turn again: the house has answered, or she has another turn in a row.
        assert letters.rows("select to_move from match") in ([0], [None])

    assert letters.execute("select state, termination from match") == [("over", "rules")]
    assert ", over]" in str(letters.last("carol")["Subject"])
    assert "The match is over" in text(letters.last("carol")) or "win" in text(letters.last("carol"))
    assert letters.operate("check").exit_code == 0


@pytest.mark.parametrize(
    ("name", "number"),
    quick_where(
        lambda case: case[0] in SOME and case[1] == 0,
        [(name, number) for name in MATCHES for number in range(-(-ALTOGETHER // len(MATCHES)))],
        others="soak",
    ),
)
def test_the_house_ends_every_match_against_itself(name: str, number: int) -> None:
    """The search plays by the engine alone; a thousand matches over all variants, at the two lowest levels."""
    assert plies_of(name, number) < LONGEST


def plies_of(name: str, number: int) -> int:
    """Let the house play a match against itself. Return how many turns it had, LONGEST if it hasn't ended."""
    game, options = MATCHES[name]
    position: Position[Any] = GAMES[game].game.position(options)
    for ply in range(LONGEST):
        if position.turn is None:
            return ply
        turn = choose(position, 1 + (ply + number) % 2, number * APART + ply).turn
        written = GAMES[game].notation.format(turn, position)
        position = position.play(GAMES[game].notation.parse(written))
    return LONGEST
