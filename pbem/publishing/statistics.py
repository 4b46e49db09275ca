"""Statistics of finished matches that the site shows: who wins, after how many turns, and how matches begin."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from notation.ending import WITHOUT_RESULT
from pbem.publishing.visibility import Listed

COUNTED = 2_000
"""How many matches are counted, the last ones: so a page costs the same, however many there are."""
WIDTHS = (4, 3, 2)
"""How many turns the tree of openings has at most, after none, one and two others."""
FEWEST = 2
"""In how many matches a turn must have been played to be common."""
VARIANTS = 3
"""For how many variants of a game openings are shown, those with the most matches."""


class Result(NamedTuple):
    number: int
    variant: str | None
    """The options as commands say them; None for a match that began at a position of another one."""
    winner: int | None
    """0 for the player who began, 1 for the other, None for a draw."""
    length: int
    opening: tuple[str, ...]
    """The first turns, as many as the tree is deep; fewer where it had ended before."""


@dataclass(frozen=True, slots=True)
class Score:
    matches: int
    first: int
    draws: int
    second: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Who wins in a game, and after how many turns: the median, and the turns between which half of the matches end."""

    score: Score
    median: int
    between: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Opening:
    turn: str
    score: Score
    example: int
    next: tuple["Opening", ...] = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """The common openings of a variant, which has its options as a name."""

    name: str
    matches: int
    openings: tuple[Opening, ...]


class PlayerScore(NamedTuple):
    game: str
    won: int
    drawn: int
    lost: int


def of_game(results: Iterable[Result]) -> Statistics | None:
    counted = [each for each in results if each.variant is not None]
    if not counted:
        return None
    lengths = sorted(each.length for each in counted)
    low, median, high = (lengths[(len(lengths) - 1) * share // 4] for share in (1, 2, 3))
    return Statistics(_score(counted), median, (low, high))


def openings(results: Sequence[Result]) -> tuple[Variant, ...]:
    variants = Counter(each.variant for each in results if each.variant is not None)
    common = sorted(variants.items(), key=lambda item: (-item[1], item[0]))[:VARIANTS]
    found = (
        Variant(name, count, _following([each for each in results if each.variant == name])) for name, count in common
    )
    return tuple(each for each in found if each.openings)


def of_player(player: int, matches: Iterable[Listed]) -> list[PlayerScore]:
    games: dict[str, Counter[str]] = {}
    for each in matches:
        if each.is_over and each.termination not in WITHOUT_RESULT:
            how = "drawn" if each.winner is None else "won" if each.seats[each.winner] == player else "lost"
            games.setdefault(each.game, Counter())[how] += 1
    scores = [PlayerScore(game, count["won"], count["drawn"], count["lost"]) for game, count in games.items()]
    return sorted(scores, key=lambda each: (-sum(each[1:]), each.game))


def _score(results: Sequence[Result]) -> Score:
    winners = Counter(each.winner for each in results)
    return Score(len(results), winners[0], winners[None], winners[1])


def _following(results: Sequence[Result], depth: int = 0) -> tuple[Opening, ...]:
    if depth == len(WIDTHS):
        return ()
    turns: dict[str, list[Result]] = {}
    for each in results:
        if len(each.opening) > depth:
            turns.setdefault(each.opening[depth], []).append(each)
    common = sorted((-len(theirs), turn) for turn, theirs in turns.items() if len(theirs) >= FEWEST)[: WIDTHS[depth]]
    return tuple(
        Opening(turn, _score(turns[turn]), max(turns[turn]).number, _following(turns[turn], depth + 1))
        for _, turn in common
    )
