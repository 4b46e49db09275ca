"""Team matches: the players of two teams meet, each on a board."""

import pytest

from pbem.features.tournaments import formats
from pbem.features.tournaments.field import WAIT, Field, Format, Score
from pbem.features.tournaments.formats import team
from tests.tournaments.playing import ended


@pytest.mark.parametrize("boards", range(team.FEWEST_BOARDS, team.MOST_BOARDS + 1))
@pytest.mark.parametrize("rounds", [1, 2])
def test_colours_alternate_over_the_boards_and_change_in_the_second_round(boards: int, rounds: int) -> None:
    entrants = team.seated((100 + seed, seed) for seed in range(1, 2 * boards + 1))
    field = Field(Format.TEAM, entrants, rounds, rounds, teams=("Danube", "Rhine"))
    step = formats.following(field)

    assert [(pair.round, pair.board) for pair in step.pairs] == [
        (number, board) for number in range(1, rounds + 1) for board in range(1, boards + 1)
    ]
    for pair in step.pairs:
        first, second = 99 + 2 * pair.board, 100 + 2 * pair.board
        in_order = (pair.board + pair.round) % 2 == 0
        assert pair.players == ((first, second) if in_order else (second, first))
    assert formats.following(field.with_pairs(step.pairs)) == WAIT
    over = ended(field.with_pairs(step.pairs), dict.fromkeys(step.pairs, Score.DRAW))
    assert formats.following(over).is_over
