"""What a player of Kvadratik can play: a set-up, or a turn of up to four parts."""

from typing import NamedTuple

from engines.step import Step


class Disc(NamedTuple):
    """A disc to be put on the board: its square and the side that it shows.

    >>> str(Disc("a4", "+"))
    'a4+'
    """

    cell: str
    shown: str

    def __str__(self) -> str:
        return self.cell + self.shown

    @property
    def spoken(self) -> str:
        return f"a disc that shows {self.shown} put on {self.cell}"


class Bonus(NamedTuple):
    """What entering the other half adds: a disc from the reserve and its step, or (no disc) the step of another one.

    >>> str(Bonus(Disc("c4", "x"), Step("c4", "d3"))), str(Bonus(None, Step("c3", "c4")))
    ('@c4x c4d3', 'c3c4')
    """

    disc: Disc | None
    step: Step

    def __str__(self) -> str:
        return f"@{self.disc} {self.step}" if self.disc else str(self.step)


class Setup(NamedTuple):
    """A set-up: the squares of the four discs, sorted, and the sides that they show, in the same order.

    In the first row no squares are given: the sides are those of a to d.

    >>> str(Setup((), "+x+x")), str(Setup(("a4", "b4", "c3", "d4"), "+x+x"))
    ('setup +x+x', 'setup a4+ b4x c3+ d4x')
    """

    cells: tuple[str, ...]
    shown: str

    def __str__(self) -> str:
        words = map("".join, zip(self.cells, self.shown, strict=False)) if self.cells else [self.shown]
        return " ".join(["setup", *words])

    @property
    def spoken(self) -> str:
        return "four discs set up"


class Turn(NamedTuple):
    """A turn: the discs put down by right and the flipped squares, each sorted, then the step and what it adds."""

    placed: tuple[Disc, ...]
    flipped: tuple[str, ...]
    step: Step
    bonus: Bonus | None = None

    def __str__(self) -> str:
        words = [f"@{disc}" for disc in sorted(self.placed)] + [f"~{cell}" for cell in sorted(self.flipped)]
        words.append(str(self.step))
        return " ".join(words if self.bonus is None else [*words, str(self.bonus)])

    @property
    def moved(self) -> frozenset[str]:
        """The squares of discs that were on the board, or were put down by right, and that move."""
        adds_step = self.bonus is not None and self.bonus.disc is None
        return frozenset(step.origin for step in self.steps[: 2 if adds_step else 1])

    def with_sides_put(self) -> "Turn":
        """Return the turn with discs put down on the side that it flips them to."""
        placed = tuple(Disc(cell, "x" if cell in self.flipped else shown) for cell, shown in self.placed)
        put = {disc.cell for disc in placed}
        return self._replace(placed=placed, flipped=tuple(cell for cell in self.flipped if cell not in put))

    @property
    def steps(self) -> tuple[Step, ...]:
        return (self.step,) if self.bonus is None else (self.step, self.bonus.step)

    @property
    def spoken(self) -> str:
        """The turn in words.

        >>> Turn((), ("b3",), Step("b3", "b2"), Bonus(Disc("c4", "x"), Step("c4", "d3"))).spoken
        'b3 flipped, b3 to b2, a disc that shows x put on c4, c4 to d3'
        """
        said = [*(disc.spoken for disc in self.placed), *(f"{cell} flipped" for cell in self.flipped), self.step.spoken]
        if self.bonus is not None:
            said += [self.bonus.disc.spoken] if self.bonus.disc else []
            said.append(self.bonus.step.spoken)
        return ", ".join(said)


Move = Setup | Turn
