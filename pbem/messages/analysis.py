"""An analysis of a match as its reader sees it: the turns that gave most away, and the course of the match, drawn.

A value is what the first player can expect, from -1 to 1. A turn has given away the difference between the positions
before and after it, but only if the house would have played another one: otherwise the house had merely not seen it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from engines.diagram import Tone
from engines.search.state import state_of
from pbem.matches.replayed_match import Snapshot
from pbem.matches.shown_names import name
from pbem.messages.palette import EDGE, FAINT, FILLS, INK, LIT, PAPER, RIMS, css

MISTAKE, BLUNDER = 0.25, 0.6  # how much a turn must have given away for its mark
EVEN, SLIGHT, CLEAR = 0.1, 0.3, 0.65
"""Up to which value the players are about even, or one is slightly better, or better."""
MOST_BLAMED = 6  # the most turns that are told in words
BAR = 10  # the characters of each side in the chart of letters
LONGEST_TURN = 38
WIDTH, HEIGHT, MARGIN, LABEL = 500, 190, 12, 24  # of the picture, in CSS pixels
WIDEST_BAR = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    value: float  # what the first player can expect: from -1, lost, to 1, won
    certain: bool = False  # whether that is proven
    turn: str | None = None  # what the house would play there; None where the rules have ended the match


@dataclass(frozen=True, slots=True)
class TurnAnalysed:
    number: int
    by: str
    text: str
    instead: str | None  # what the house would have played, where that is another turn
    before: str
    after: str
    lost: float  # how much the turn gave away
    value: float  # the estimate of the position after it

    @property
    def mark(self) -> str:
        return "??" if self.lost >= BLUNDER else "?" if self.lost >= MISTAKE else ""


@dataclass(frozen=True, slots=True)
class Analysed:
    names: tuple[str, str]
    tones: tuple[Tone, Tone]
    turns: tuple[TurnAnalysed, ...]

    @property
    def blamed(self) -> tuple[TurnAnalysed, ...]:
        most = sorted((turn for turn in self.turns if turn.mark), key=lambda turn: -turn.lost)[:MOST_BLAMED]
        return tuple(sorted(most, key=lambda turn: turn.number))

    @property
    def marked(self) -> int:
        return sum(bool(turn.mark) for turn in self.turns)

    @property
    def course(self) -> tuple[str, ...]:
        """The course of the match in words: who was better after which turns."""
        sentences = []
        for words, group in groupby(self.turns, key=lambda turn: turn.after):
            turns = list(group)
            first, last = turns[0].number, turns[-1].number
            sentences.append(f"After turn {first}: {words}." if first == last else f"Turns {first} to {last}: {words}.")
        return tuple(sentences)

    @property
    def chart(self) -> str:
        first, second = (f"{name[: BAR - 1]}" for name in self.names)
        heading = f"[{first:<{BAR}}|{second:>{BAR}}]"
        return "\n".join((heading, *map(_line, self.turns)))

    def picture(self) -> bytes:
        """Return the course of the match as a PNG file: bars up for the first player, and down for the second."""
        from pbem.messages.boards.board_image import as_png, rendered  # Pillow: see rules_page.illustrated

        return as_png(rendered(_drawn(self), WIDTH, HEIGHT))


def analysed(estimates: Sequence[Estimate], since: int, match: Snapshot) -> Analysed:
    """Return the analysis of the turns after the first `since`, from an estimate for each position."""
    first, second = match.players
    names, turns = (name(first), name(second)), []
    for number, (before, after) in enumerate(pairwise(estimates), start=since + 1):
        seat, text = match.seats[number - 1], match.texts[number - 1]
        instead = before.turn if before.turn is not None and not _is_same(match, number, before.turn) else None
        lost = (before.value - after.value) * (1 if seat == 0 else -1) if instead else 0.0
        words = (_in_words(before, names), _in_words(after, names))
        turns.append(TurnAnalysed(number, names[seat], text, instead, *words, lost, after.value))
    return Analysed(names, match.diagram.legend.tones, tuple(turns))


def _is_same(match: Snapshot, number: int, turn: str) -> bool:
    """Return whether that turn comes to the same as the one that was played."""
    if turn == match.texts[number - 1]:
        return True
    before, after = match.positions[number - 1 : number + 1]
    return bool(state_of(before.play(match.notation.parse(turn))).key == state_of(after).key)


def _in_words(estimate: Estimate, names: tuple[str, str]) -> str:
    """Return what an estimate means.

    >>> [_in_words(Estimate(value=value), ("alice", "bob")) for value in (0.05, -0.2, 0.5, -0.9)]
    ['the match was even', 'bob was slightly ahead', 'alice was ahead', 'bob was far ahead']
    >>> [_in_words(Estimate(value=value, certain=True), ("alice", "bob")) for value in (0.0, -0.998)]
    ['it was a certain draw', 'bob was certain to win']
    """
    size, better = abs(estimate.value), names[0 if estimate.value > 0 else 1]
    if estimate.certain and (size <= EVEN or size > CLEAR):
        return "it was a certain draw" if size <= EVEN else f"{better} was certain to win"
    if size <= EVEN:
        return "the match was even"
    return f"{better} was {'slightly ' if size <= SLIGHT else '' if size <= CLEAR else 'far '}ahead"


def _line(turn: TurnAnalysed) -> str:
    place = round((1 - max(-1.0, min(1.0, turn.value))) * BAR)
    bar = "".join("*" if at == place else "|" if at == BAR else " " for at in range(2 * BAR + 1))
    text = turn.text if len(turn.text) <= LONGEST_TURN else f"{turn.text[: LONGEST_TURN - 4]} ..."
    return f"[{bar}] {turn.number}. {text} {turn.mark}".rstrip()


def _drawn(analysed: Analysed) -> str:
    """Return the course as SVG."""
    from pbem.messages.boards.board_image import written  # see rules_page.illustrated

    reach, step = HEIGHT / 2 - MARGIN - LABEL, min(WIDEST_BAR, (WIDTH - 2 * MARGIN) / max(1, len(analysed.turns)))
    drawn = []
    for number, turn in enumerate(analysed.turns):
        tone, left, high = analysed.tones[0 if turn.value > 0 else 1], number * step, turn.value * reach
        if turn.mark:
            drawn.append(_box(left, -reach, step, 2 * reach, f'fill="{css(LIT[0])}"'))
        style = f'fill="{css(FILLS[tone])}" stroke="{css(RIMS[tone])}" stroke-width="{int(step > 4)}"'
        drawn.append(_box(left, min(0, -high), step * 5 / 6, abs(high), style))
    names = zip(analysed.names, (MARGIN / 2 + LABEL / 2, HEIGHT - MARGIN / 2 - LABEL / 2), strict=True)
    return "".join(
        (
            _box(0, 0, WIDTH, HEIGHT, f'fill="{css(PAPER)}" stroke="{css(EDGE)}" stroke-width="2"'),
            f'<g transform="translate({MARGIN} {HEIGHT / 2})">{"".join(drawn)}</g>',
            _box(MARGIN, HEIGHT / 2, WIDTH - 2 * MARGIN, 1, f'fill="{css(INK)}"'),
            *(written(MARGIN, middle, f"{who} better", FAINT) for who, middle in names),
        )
    )


def _box(left: float, top: float, width: float, height: float, style: str) -> str:
    return f'<rect x="{left}" y="{top}" width="{width}" height="{height}" {style}/>'
