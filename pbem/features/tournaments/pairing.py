"""Who meets whom: everybody everybody (round robin), those with as many points (Swiss), or the winners (knock-out).

Each is a pure function of the field. The round robin follows the Berger tables (FIDE Handbook C.05, annex 1); the Swiss
the FIDE Dutch system (C.04.3) as the library caissify-pairings has it. What that returns is checked for what must never
happen; a tournament in which nothing else is left ends before its last round.

In a knock-out the highest seeds have byes where the number of entrants is no power of two. A drawn match is played once
more, and the other player moves first. If that is drawn too, the higher seed goes on. A match without a result counts
as drawn, unless one of the two has withdrawn.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import structlog

from pbem.features.tournaments.matchups import WIN, Entrant, Field, Format, Matchup, Score, boards, ties, winner_of

log = structlog.get_logger()

WHITE, BLACK = "white", "black"


def round_robin_rounds(entrants: int, requested: int | None = None) -> int:
    """Return how many rounds there are; with an odd number of entrants, one of them sits out each."""
    return entrants - 1 + entrants % 2


def berger(size: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return who meets in each round, by their numbers from 1; the first of the two moves first. `size` is even."""
    return tuple(_berger_round(size, number) for number in range(1, size))


def _berger_round(size: int, number: int) -> tuple[tuple[int, int], ...]:
    """Return a round: the last number stays in its place, and all others go round."""
    at = (number + 1) // 2 if number % 2 else (size + number) // 2
    met = (at, size) if number % 2 else (size, at)
    turning = size - 1
    others = (((at - 1 + step) % turning + 1, (at - 1 - step) % turning + 1) for step in range(1, size // 2))
    return (met, *others)


def round_robin(field: Field) -> tuple[Matchup, ...]:
    """Return the next rounds once all matches are over: as many as are played at the same time."""
    table, by_seed = berger(field.rounds + 1), {entrant.seed: entrant.player for entrant in field.entrants}
    new: tuple[Matchup, ...] = ()
    first = field.last_round
    while first < field.rounds and all(pair.result is not None for pair in new):
        for number in range(first, min(first + field.at_once, field.rounds)):
            # Who would meet the number that nobody has sits out.
            meetings = [(by_seed[one], by_seed[other]) for one, other in table[number] if {one, other} <= {*by_seed}]
            new += tuple(field.settled(pair) for pair in boards(number + 1, meetings))
        first += field.at_once
    return new


def swiss_rounds(entrants: int, requested: int | None = None) -> int:
    """Return how many rounds there are: as many as a knock-out has, or what is wanted, so that all can be paired.

    After half as many rounds as there are players, everybody has still half of the others to meet, which is enough.

    >>> swiss_rounds(8), swiss_rounds(33), swiss_rounds(8, 9), swiss_rounds(3)
    (3, 6, 4, 2)
    """
    return min(requested or (entrants - 1).bit_length(), (entrants + 1) // 2)


def swiss(field: Field) -> tuple[Matchup, ...]:
    number = field.last_round + 1
    playing = [entrant for entrant in field.entrants if entrant.is_playing]
    if number > field.rounds or len(playing) < 2:
        return ()
    meetings = _dutch(field, playing, number)
    if not is_legal(field, playing, meetings):
        log.warning("no more rounds", reason="nobody is left to meet", round=number)
        return ()
    return tuple(boards(number, meetings))


def _dutch(field: Field, playing: Iterable[Entrant], number: int) -> list[tuple[int, int | None]]:
    # Imported here: it takes half a second, and few tournaments are a Swiss.
    from caissify_pairings import generate_pairings

    met = {(pair.first, pair.second) for pair in field.pairs if pair.second is not None and pair.is_played}
    players = [_player(field, entrant) for entrant in playing]
    pairings = generate_pairings("dutch", players, met, number, field.rounds)
    in_order = sorted(pairings, key=lambda pairing: (pairing["black_id"] is None, pairing["table"]))
    return [(pairing["white_id"], pairing["black_id"]) for pairing in in_order]


def _player(field: Field, entrant: Entrant) -> dict[str, Any]:
    pairs = field.of_player(entrant.player)
    return {
        "id": entrant.player,
        "name": "",
        "score": field.points(entrant.player),
        "rating": 0,
        "starting_number": entrant.seed,
        "pairing_number": entrant.seed,
        "color_hist": [WHITE if pair.first == entrant.player else BLACK for pair in pairs if pair.is_played],
        "float_history": [_float(field, pair, entrant.player) for pair in pairs],
        "bye_count": sum(pair.is_bye for pair in pairs),
        "forfeit_win_count": sum(_is_free(pair, entrant.player) and not pair.is_bye for pair in pairs),
    }


def _is_free(pair: Matchup, player: int) -> bool:
    return not pair.is_played and pair.points_of(player) == WIN


def _float(field: Field, pair: Matchup, player: int) -> str:
    """Return whether the player met somebody with fewer points before the round, or with more."""
    opponent = pair.opponent_of(player)
    if opponent is None or not pair.is_played:
        return "down" if _is_free(pair, player) else "none"
    before = replace(field, pairs=tuple(earlier for earlier in field.pairs if earlier.round < pair.round))
    own, theirs = before.points(player), before.points(opponent)
    return "down" if own > theirs else "up" if own < theirs else "none"


def is_legal(field: Field, playing: Iterable[Entrant], meetings: Iterable[tuple[int, int | None]]) -> bool:
    """Return whether everybody is in the round once, nobody meets somebody again, and nobody has a second bye."""
    pairs = [*meetings]
    busy = [player for pair in pairs for player in pair if player is not None]
    met = {frozenset(pair.players) for pair in field.pairs}
    byes = [first for first, second in pairs if second is None]
    had = {pair.first for pair in field.pairs if pair.is_bye}
    return (
        sorted(busy) == sorted(entrant.player for entrant in playing)
        and not any(frozenset(pair) in met for pair in pairs)
        and len(byes) == len(busy) % 2
        and had.isdisjoint(byes)
    )


def knock_out_rounds(entrants: int, requested: int | None = None) -> int:
    return (entrants - 1).bit_length()


def bracket(number_of_rounds: int) -> tuple[int, ...]:
    """Return the seeds from the top of the bracket to its bottom: the best meet as late as possible.

    >>> bracket(3)
    (1, 8, 4, 5, 2, 7, 3, 6)
    """
    seeds: tuple[int, ...] = (1,)
    for _ in range(number_of_rounds):
        sum_of_two = 2 * len(seeds) + 1
        seeds = tuple(seed for better in seeds for seed in (better, sum_of_two - better))
    return seeds


def knock_out(field: Field) -> tuple[Matchup, ...]:
    """Return the second matches of those who drew; once all is decided, the next round."""
    replays = tuple(_replays(field))
    if replays or field.is_open:
        return replays
    new = () if field.pairs else _first_round(field)
    while (known := field.with_pairs(new)).last_round < field.rounds and not known.is_open:
        winners = [winner_of(known, tie) for tie in ties(known.of_round(known.last_round))]
        meetings = [_in_order(known, pair) for pair in zip(winners[::2], winners[1::2], strict=True)]
        new += tuple(known.settled(pair) for pair in boards(known.last_round + 1, meetings))
    return new


def _first_round(field: Field) -> tuple[Matchup, ...]:
    by_seed = {entrant.seed: entrant.player for entrant in field.entrants}
    drawn = bracket(field.rounds)
    meetings = []
    for one, other in zip(drawn[::2], drawn[1::2], strict=True):
        better, worse = sorted((one, other))
        # The lower seed moves first, to make up for it.
        meetings.append((by_seed[worse], by_seed[better]) if worse in by_seed else (by_seed[better], None))
    return tuple(field.settled(pair) for pair in boards(1, meetings))


def _in_order(field: Field, players: tuple[int, int]) -> tuple[int, int]:
    """Return who moves first, and who second: first who has done so in fewer matches, otherwise the lower seed."""
    first, second = sorted(players, key=lambda player: (field.firsts(player), -field.entrant(player).seed))
    return first, second


def _replays(field: Field) -> Iterator[Matchup]:
    for only, *more in ties(field.of_round(field.last_round)):
        undecided = only.result in (Score.DRAW, Score.NEITHER) and only.second is not None
        if undecided and not more and all(field.entrant(player).is_playing for player in only.players):
            yield Matchup(only.round, only.board, only.second or 0, only.first, game=2)


ROUNDS: Mapping[Format, Callable[[int, int | None], int]] = {
    Format.ROUND_ROBIN: round_robin_rounds,
    Format.SWISS: swiss_rounds,
    Format.KNOCK_OUT: knock_out_rounds,
}
"""How many rounds there are with that many entrants, where the one who opened the tournament wanted so many."""


def following(field: Field) -> tuple[Matchup, ...]:
    """Return the next pairings; none while matches go on. If none of all is open then, the tournament is over."""
    if field.kind is Format.KNOCK_OUT:
        return knock_out(field)
    return () if field.is_open else (swiss if field.kind is Format.SWISS else round_robin)(field)
