"""League: a round robin in each of several groups; then the best of a group go up, and the last of the one above down.

Seeds say who is in which group: the first ones are in the highest. In the first season they are by rating, later they
follow from how the last one ended.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from pbem.features.tournaments import round_robin
from pbem.features.tournaments.field import Field, Format, Matchup, RoundStep


def sizes(entrants: int, most: int | None) -> tuple[int, ...]:
    """Return how many players the groups have, from the highest: as few groups as possible, as equal as possible.

    >>> sizes(12, 6), sizes(13, 6), sizes(5, None)
    ((6, 6), (5, 4, 4), (5,))
    """
    number = max(-(-entrants // (most or max(entrants, 1))), 1)
    return tuple(entrants // number + (group < entrants % number) for group in range(number))


def rounds(entrants: int, most: int | None = None) -> int:
    """Return how many rounds the largest group has.

    >>> rounds(12, 6), rounds(13, 6)
    (5, 5)
    """
    return max(map(round_robin.rounds, sizes(entrants, most)), default=0)


def groups(field: Field) -> tuple[Field, ...]:
    """Return each group as a round robin of its own, in which seeds begin with 1."""
    return tuple(_groups(field))


def _groups(field: Field) -> Iterator[Field]:
    first = 0
    for size in sizes(len(field.entrants), field.group_size):
        members = field.entrants[first : first + size]
        first += size
        players = {each.player for each in members}
        yield Field(
            Format.ROUND_ROBIN,
            tuple(replace(each, seed=seed) for seed, each in enumerate(members, start=1)),
            round_robin.rounds(size),
            field.at_once,
            tuple(pair for pair in field.pairs if pair.first in players),
        )


def following(field: Field) -> RoundStep:
    """Return what follows in the groups, none of which waits for another; the season is over once all of them are."""
    new: tuple[Matchup, ...] = ()
    above, is_over = 0, True
    for group in groups(field):
        step = round_robin.following(group)
        new += tuple(replace(pair, board=above + pair.board) for pair in step.pairs)
        above += len(group.entrants) // 2
        is_over = is_over and step.is_over
    return RoundStep(new, is_over=is_over)


def next_order(ranked: Iterable[tuple[int, ...]], promoted: int) -> tuple[int, ...]:
    """Return the players in the order of the next season, from those of each group in the order in which they ended.

    The best of a group change places with the last of the one above: as many as `promoted`, but never both of those
    who would meet, so at most half of a group goes either way.

    >>> next_order([(1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11)], 1)
    (1, 2, 3, 5, 4, 6, 7, 9, 8, 10, 11)
    """
    now = [list(group) for group in ranked]
    changes = [
        (upper[len(upper) - number :], lower[:number])
        for upper, lower in pairwise(now)
        for number in (min(promoted, len(upper) // 2, len(lower) // 2),)
    ]
    for at, (down, up) in enumerate(changes):
        now[at] = [*(player for player in now[at] if player not in down), *up]
        now[at + 1] = [*down, *(player for player in now[at + 1] if player not in up)]
    return tuple(player for group in now for player in group)
