"""Whether the house can play a game within its limits, and how well: measured, for whoever writes or enables it."""

import random
import resource
from dataclasses import dataclass
from itertools import islice

from engines.search import LEVELS, is_weak_at
from engines.search.state import MOST_TURNS
from notation.games import GamePack
from pbem.features.house.protocol import Question
from pbem.features.house.searcher import SECONDS, IsolatedSearcher, Searcher, SearchFailed

PLACES = (0, 4, 12)
"""After how many random turns a turn of the house is measured, if the match lasts so long."""


@dataclass(frozen=True, slots=True)
class HousePlay:
    title: str
    is_weak: bool
    """Whether it knows only the rules, and so plays weakly."""
    seconds: float
    """The CPU time of the slowest turn at its highest level."""
    failed: str = ""
    """Why it can't play the game; empty if it can."""

    def __str__(self) -> str:
        """Return it as a sentence.

        >>> print(HousePlay("Hex", True, 3.25))
        The house plays Hex weakly, by random play: up to 3.2 s of CPU time a turn, and it has 60.
        """
        if self.failed:
            return f"The house can't play {self.title}: {self.failed}."
        how = " weakly, by random play" if self.is_weak else ""
        spent = f"up to {self.seconds:.1f} s of CPU time a turn, and it has {SECONDS:.0f}"
        return f"The house plays {self.title}{how}: {spent}."


def measured(pack: GamePack, searcher: Searcher | None = None) -> HousePlay:
    """Return how the house plays an installed game, from turns at its highest level, in processes like the server's."""
    searcher, slowest, failed = searcher or IsolatedSearcher(), 0.0, ""
    for turns in _beginnings(pack):
        question = Question(pack.game.key, {}, turns, len(LEVELS), seed=1, version=pack.version)
        before = _children()
        try:
            searcher.search(question)
        except SearchFailed as error:
            failed = f"{error}, after {len(turns)} turns"
            break
        slowest = max(slowest, _children() - before)
    return HousePlay(pack.title, is_weak_at(pack.game), slowest, failed)


def _beginnings(pack: GamePack) -> list[tuple[str, ...]]:
    chance, position = random.Random(1), pack.game.position({})  # noqa: S311 - no secret
    texts: tuple[str, ...] = ()
    turns = [texts]
    for _ in range(PLACES[-1]):
        if position.turn is None:
            break
        turn = chance.choice(list(islice(position.moves(), MOST_TURNS)))
        texts = (*texts, pack.notation.format(turn, position))
        position = position.play(turn)
        if len(texts) in PLACES and position.turn is not None:
            turns.append(texts)
    return turns


def _children() -> float:
    """Return the CPU time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
