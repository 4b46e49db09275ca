"""How fast a game is, in floors: the time that Python takes to count to 50,000 here and now."""

from collections.abc import Callable
from time import process_time

from notation.games import GamePack
from pbem.conformance.samples import Sample, require, samples

STEPS = 50_000
POSITIONS = 16
FLOORS_TO_READ = 150
"""The most that reading a text can take, of any length."""


WORKS: dict[str, tuple[Callable[[GamePack, Sample], object], float]] = {
    "play": (lambda pack, at: at.position.play(at.move), 20),  # noqa: ARG005
    "moves": (lambda pack, at: sum(1 for _ in at.position.moves()), 400),  # noqa: ARG005
    "hint": (lambda pack, at: pack.notation.hint(at.position), 400),
    "diagram": (lambda pack, at: at.position.diagram(), 20),  # noqa: ARG005
}
"""What a server does with positions, each with the most floors that it can take on average."""


def floor() -> float:
    """Return the CPU time in seconds that a plain loop takes; the least of three, so that a load makes it no longer."""
    return max(1e-4, min(timed(_count) for _ in range(3)))


def measured(pack: GamePack, seed: int = 0) -> dict[str, float]:
    """Return the mean number of floors for each kind of work, each measured twice; the lesser counts."""
    some = samples(pack, POSITIONS, seed)
    unit = floor() * len(some)
    return {
        what: min(timed(lambda do=do: [do(pack, each) for each in some]) for _ in range(2)) / unit  # type: ignore[misc]
        for what, (do, _) in WORKS.items()
    }


def it_is_fast_enough(pack: GamePack, seed: int = 0) -> None:
    """No call on the path of a message takes longer than a message can wait."""
    for what, floors in measured(pack, seed).items():
        _, most = WORKS[what]
        require(
            floors < most,
            f"{what} takes as long as counting to {floors * STEPS:,.0f}; it can take {most * STEPS:,.0f} at most.",
        )


def _count() -> None:
    number = 0
    while number < STEPS:
        number += 1


def timed(work: Callable[[], object]) -> float:
    """Return the CPU time in seconds that some work takes."""
    before = process_time()
    work()
    return process_time() - before
