"""Team match: the players of two teams meet on two to five boards, in the order in which they have entered.

Seeds say who plays where: those of the first team are odd, so board 2 has the seeds 3 and 4. They are known from the
entry on, and close up at the beginning where somebody has withdrawn before.
"""

import re
from collections.abc import Iterable, Iterator

from pbem.features.tournaments.field import WAIT, Entrant, Field, RoundStep, boards

FEWEST_BOARDS, MOST_BOARDS = 2, 5
MOST_ROUNDS = 2
VERSUS = " - "
"""What stands between the names of the two teams in the title."""
_VERSUS = re.compile(r"\s+(?:-|v|vs\.?|versus|against)\s+", re.IGNORECASE)


def names(title: str) -> tuple[str, ...]:
    """Return the names of the teams that a title has.

    >>> names("Danube - Rhine"), names("Baden-Baden against Po"), names("Spring Cup")
    (('Danube', 'Rhine'), ('Baden-Baden', 'Po'), ('Spring Cup',))
    """
    return tuple(_VERSUS.split(title.strip()))


def side_of(seed: int) -> int:
    """Return which team that seed is in, 0 or 1."""
    return (seed - 1) % 2


def board_of(seed: int) -> int:
    """Return the board of that seed.

    >>> [(side_of(seed), board_of(seed)) for seed in (1, 2, 3, 4)]
    [(0, 1), (1, 1), (0, 2), (1, 2)]
    """
    return (seed + 1) // 2


def next_seed(taken: Iterable[int], side: int) -> int:
    """Return the seed of the next player who enters for a team.

    >>> next_seed([], 1), next_seed([1, 2, 3], 0)
    (2, 5)
    """
    return max((seed for seed in taken if side_of(seed) == side), default=side - 1) + 2


def place_of(seed: int, taken: Iterable[int]) -> int:
    """Return the board that a seed has so far, among those that are taken.

    >>> place_of(5, [1, 2, 5])
    2
    """
    return sum(side_of(each) == side_of(seed) and each <= seed for each in taken)


def seated(seeds: Iterable[tuple[int, int]]) -> tuple[Entrant, ...]:
    """Return the entrants without gaps between them, from the players and their seeds at the entry.

    >>> [(each.player, each.seed) for each in seated([(11, 1), (12, 5), (13, 4)])]
    [(11, 1), (13, 2), (12, 3)]
    """
    found: list[Entrant] = []
    for player, seed in sorted(seeds, key=lambda each: each[1]):
        found.append(Entrant(player, next_seed((each.seed for each in found), side_of(seed))))
    return tuple(sorted(found, key=lambda each: each.seed))


def rounds(entrants: int, wanted: int | None = None) -> int:
    """Return how many rounds there are: in the second one, those who moved second in the first one move first."""
    return wanted or 1


def teams(field: Field) -> tuple[tuple[Entrant, ...], tuple[Entrant, ...]]:
    """Return the players of the two teams, in the order of the boards."""
    return field.entrants[::2], field.entrants[1::2]


def is_even(field: Field) -> bool:
    """Return whether both teams have the same number of players, and enough to begin."""
    seeds = [each.seed for each in field.entrants]
    return len(seeds) >= 2 * FEWEST_BOARDS and seeds == [*range(1, len(seeds) // 2 * 2 + 1)]


def following(field: Field) -> RoundStep:
    """Return all matches, which begin together; the team match is over once they are."""
    if field.pairs:
        return WAIT if field.is_open else RoundStep(is_over=True)
    numbers = range(1, field.rounds + 1)
    return RoundStep(tuple(pair for number in numbers for pair in boards(number, _meetings(field, number))))


def _meetings(field: Field, number: int) -> Iterator[tuple[int, int]]:
    """Yield who meets on each board in a round; the first of the two moves first."""
    for board, (one, other) in enumerate(zip(*teams(field), strict=True), start=1):
        yield (one.player, other.player) if (number + board) % 2 == 0 else (other.player, one.player)
