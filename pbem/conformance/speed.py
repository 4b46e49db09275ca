"""How much work a game makes, in calls of functions: the same on every machine, however busy it is."""

from collections.abc import Callable
from cProfile import Profile

from notation.games import GamePack
from pbem.conformance.samples import Sample, require, samples

POSITIONS = 16

WORKS: dict[str, tuple[Callable[[GamePack, Sample], object], int]] = {
    "play": (lambda pack, at: at.position.play(at.move), 200_000),  # noqa: ARG005
    "moves": (lambda pack, at: sum(1 for _ in at.position.moves()), 4_000_000),  # noqa: ARG005
    "hint": (lambda pack, at: pack.notation.hint(at.position), 4_000_000),
    "diagram": (lambda pack, at: at.position.diagram(), 200_000),  # noqa: ARG005
}
"""What a server does with positions, each with the most calls that it can make on average."""


def calls(work: Callable[[], object]) -> int:
    """Return how many functions some work calls, including those of the interpreter."""
    profile = Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())


def measured(pack: GamePack, seed: int = 0) -> dict[str, int]:
    positions = samples(pack, POSITIONS, seed)

    def on_average(do: Callable[..., object]) -> int:
        return calls(lambda: [do(pack, position) for position in positions]) // len(positions)

    return {what: on_average(do) for what, (do, _) in WORKS.items()}


def it_is_fast_enough(pack: GamePack, seed: int = 0) -> None:
    """No call on the path of a message takes longer than a message can wait."""
    for what, made in measured(pack, seed).items():
        _, most = WORKS[what]
        require(made < most, f"{what} calls {made:,} functions; it can call {most:,} at most.")
