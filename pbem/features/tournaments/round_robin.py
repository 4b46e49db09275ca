"""Round robin: everybody meets everybody once, in the order of Berger's tables (FIDE Handbook C.05, annex 1)."""

from pbem.features.tournaments.field import WAIT, Field, Matchup, RoundStep, boards


def rounds(entrants: int, wanted: int | None = None) -> int:
    """Return how many rounds there are; with an odd number of entrants, one of them sits out each.

    >>> rounds(6), rounds(5)
    (5, 5)
    """
    return entrants - 1 + entrants % 2


def berger(size: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return who meets in each round, by their numbers from 1; the first of the two moves first. `size` is even.

    >>> berger(4)
    (((1, 4), (2, 3)), ((4, 3), (1, 2)), ((2, 4), (3, 1)))
    """
    return tuple(_round(size, number) for number in range(1, size))


def _round(size: int, number: int) -> tuple[tuple[int, int], ...]:
    """Return a round: the last number stays in its place, and all others go round."""
    at = (number + 1) // 2 if number % 2 else (size + number) // 2
    met = (at, size) if number % 2 else (size, at)
    turning = size - 1
    others = (((at - 1 + step) % turning + 1, (at - 1 - step) % turning + 1) for step in range(1, size // 2))
    return (met, *others)


def following(field: Field) -> RoundStep:
    """Return the next rounds once all matches are over: as many as are played at the same time."""
    if field.is_open:
        return WAIT
    table = berger(field.rounds + 1)
    paired = field.last_round
    new: tuple[Matchup, ...] = ()
    while paired < field.rounds:
        batch = table[paired : paired + field.at_once]
        pairs = tuple(
            pair for number, meetings in enumerate(batch, start=paired + 1) for pair in _pairs(field, number, meetings)
        )
        new, paired = (*new, *pairs), paired + len(batch)
        if any(pair.result is None for pair in pairs):
            return RoundStep(new)
    return RoundStep(new, is_over=True)


def _pairs(field: Field, number: int, meetings: tuple[tuple[int, int], ...]) -> tuple[Matchup, ...]:
    """Return the pairings of a round; the entrant who would meet the number that nobody has sits out."""
    by_seed = {entrant.seed: entrant.player for entrant in field.entrants}
    present = [(by_seed[one], by_seed[other]) for one, other in meetings if one in by_seed and other in by_seed]
    return tuple(field.settled(pair) for pair in boards(number, present))
