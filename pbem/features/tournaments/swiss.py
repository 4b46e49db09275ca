"""Swiss: in each round players with about as many points meet, and nobody twice; by the FIDE Dutch system.

The pairings are those of the library caissify-pairings (FIDE Handbook C.04.3). What it returns is checked for what must
never happen; a tournament in which nothing else is left ends before its last round.
"""

from collections.abc import Iterable
from typing import Any

import structlog

from pbem.features.tournaments.field import WAIT, WIN, Entrant, Field, Matchup, RoundStep, boards

log = structlog.get_logger()

WHITE, BLACK = "white", "black"


def rounds(entrants: int, wanted: int | None = None) -> int:
    """Return how many rounds there are: as many as a knock-out has, or what is wanted, so that all can be paired.

    After half as many rounds as there are players, everybody has still half of the others to meet, which is enough.

    >>> rounds(8), rounds(33), rounds(8, 9), rounds(3)
    (3, 6, 4, 2)
    """
    return min(wanted or (entrants - 1).bit_length(), (entrants + 1) // 2)


def following(field: Field) -> RoundStep:
    if field.is_open:
        return WAIT
    number = field.last_round + 1
    playing = [entrant for entrant in field.entrants if entrant.is_playing]
    if number > field.rounds or len(playing) < 2:
        return RoundStep(is_over=True)
    meetings = _paired(field, playing, number)
    if not is_legal(field, playing, meetings):
        log.warning("no more rounds", reason="nobody is left to meet", round=number)
        return RoundStep(is_over=True)
    return RoundStep(tuple(boards(number, meetings)))


def _paired(field: Field, playing: Iterable[Entrant], number: int) -> list[tuple[int, int | None]]:
    # Imported here: it takes half a second, and few tournaments are a Swiss.
    from caissify_pairings import generate_pairings

    met = {(pair.first, pair.second) for pair in field.pairs if pair.second is not None and pair.is_played}
    players = [_player(field, entrant) for entrant in playing]
    found = generate_pairings("dutch", players, met, number, field.rounds)
    in_order = sorted(found, key=lambda each: (each["black_id"] is None, each["table"]))
    return [(each["white_id"], each["black_id"]) for each in in_order]


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
    if pair.second is None or not pair.is_played:
        return "down" if _is_free(pair, player) else "none"
    opponent = pair.second if player == pair.first else pair.first
    own, theirs = (_before(field, each, pair.round) for each in (player, opponent))
    return "down" if own > theirs else "up" if own < theirs else "none"


def _before(field: Field, player: int, number: int) -> float:
    return sum(pair.points_of(player) for pair in field.of_player(player) if pair.round < number)


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
