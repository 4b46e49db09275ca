"""Oware from the rules of the Oware Society; houses 0 to 5 are South's, 6 to 11 North's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from .source import Source

NAMES = [f"{letter}{row}" for row in (1, 2) for letter in "abcdef"]


@dataclass
class Oware(Source):
    seeds: list[int] = field(default_factory=lambda: [4] * 12)
    won: tuple[int, int] = (0, 0)
    seen: frozenset[tuple[int, ...]] = frozenset()
    over: bool = False

    @classmethod
    def start(cls, options: Mapping[str, str]) -> Self:
        return cls(options, {}, seen=frozenset({(0, *[4] * 12)}))

    def row(self, seat: int) -> range:
        return range(6 * seat, 6 * seat + 6)

    def turns(self) -> list[str]:
        if self.over or max(self.won) > 24 or self.won == (24, 24):
            return []
        hungry = not any(self.seeds[house] for house in self.row(1 - self.seat))
        houses = [house for house in self.row(self.seat) if self.seeds[house]]
        return [NAMES[house] for house in houses if not hungry or house + self.seeds[house] > 6 * self.seat + 5]

    def play(self, turn: str) -> Self:
        house, seeds, won = NAMES.index(turn), [*self.seeds], [*self.won]
        hand, seeds[house], at = seeds[house], 0, house
        while hand:
            at = (at + 1) % 12
            if at != house:
                seeds[at] += 1
                hand -= 1
        theirs, taken = self.row(1 - self.seat), []
        while at in theirs and seeds[at] in (2, 3):
            taken.append(at)
            at -= 1
        captures = bool(taken) and any(seeds[each] for each in theirs if each not in taken)
        if captures:
            won[self.seat] += sum(seeds[each] for each in taken)
            seeds = [0 if each in taken else number for each, number in enumerate(seeds)]
        now = (1 - self.seat, *seeds)
        seen = frozenset() if captures else self.seen
        after = type(self)(self.options, {}, 1 - self.seat, seeds, (won[0], won[1]), seen | {now}, now in seen)
        if after.over or (max(won) <= 24 and not after.turns()):
            after.over = True
            after.won = won[0] + sum(seeds[:6]), won[1] + sum(seeds[6:])
        return after

    def winner(self) -> int | None:
        south, north = self.won
        return None if south == north else int(north > south)
