"""Tournaments that are played with results by chance, without a database."""

from dataclasses import replace
from datetime import UTC, datetime
from random import Random

from pbem.features.tournaments.matchups import Entrant, Field, Format, Matchup, Score
from pbem.features.tournaments.pairing import ROUNDS, following

NOW = datetime(2026, 3, 2, 8, tzinfo=UTC)
DECISIVE = (Score.FIRST, Score.SECOND)
ANY = (*DECISIVE, Score.DRAW)


def new(kind: Format, number: int, *, at_once: int = 1, rounds: int | None = None) -> Field:
    """Return the field of a tournament that begins; the players have the numbers from 101 on."""
    entrants = tuple(Entrant(100 + seed, seed) for seed in range(1, number + 1))
    return Field(kind, entrants, ROUNDS[kind](number, rounds), at_once)


def played(field: Field, chance: Random, results: tuple[Score, ...] = ANY, *, leaving: float = 0.0) -> Field:
    """Return the field when the tournament is over; with that probability somebody withdraws after a match."""
    for _ in range(500):
        field = field.with_pairs(following(field))
        if not field.is_open:
            return field
        running = [pair for pair in field.pairs if pair.result is None]
        assert running, "it waits for nothing"
        some = chance.sample(running, chance.randint(1, len(running)))
        field = ended(field, {pair: chance.choice(results) for pair in some})
        if chance.random() < leaving:
            field = without(field, chance.choice(field.entrants).player)
    raise AssertionError("it does not end")


def ended(field: Field, results: dict[Matchup, Score]) -> Field:
    """Return the field with those results."""
    return replace(
        field, pairs=tuple(replace(pair, result=results[pair]) if pair in results else pair for pair in field.pairs)
    )


def without(field: Field, player: int) -> Field:
    """Return the field after that player has withdrawn."""
    entrants = tuple(replace(each, withdrawn=NOW) if each.player == player else each for each in field.entrants)
    return replace(field, entrants=entrants)
