"""Playthroughs that are played by email."""

import re
from dataclasses import dataclass
from pathlib import Path

from tests.correspondence import Correspondence, text

PLAYTHROUGHS = Path(__file__).parents[1] / "playthroughs"
NAMES = sorted(path.stem for path in PLAYTHROUGHS.glob("*.txt"))


@dataclass(frozen=True, slots=True)
class Played:
    """The content of a playthrough."""

    game: str
    options: str
    turns: tuple[str, ...]
    reason: str


def played(name: str) -> Played:
    """Return the playthrough of that name."""
    told = (PLAYTHROUGHS / f"{name}.txt").read_text(encoding="utf-8")
    chosen = re.findall(r"^chosen: (.*)$", told, flags=re.MULTILINE)
    outcome = re.search(r"^outcome: (?:winner (?:\d|None), )?(.*)$", told, flags=re.MULTILINE)
    game = re.search(r"^game: (.*)$", told, flags=re.MULTILINE)
    assert outcome is not None
    assert game is not None
    turns = re.findall(r"^played: (.*)$", told, flags=re.MULTILINE)
    return Played(game[1], " ".join(chosen), tuple(turns), outcome[1])


def play(letters: Correspondence, story: Played) -> None:
    """Play the match after alice's challenge; bob's messages have pictures, and alice's have tables."""
    letters.match(f"challenge bob {story.game} {story.options}")
    letters.reply(letters.received["alice@mail.example"][1], "set picture off")
    letters.received["alice@mail.example"].pop()
    for turn in story.turns:
        mover = next(name for name in ("alice", "bob") if is_asked(letters, name))
        letters.reply(letters.last(mover), turn)


def is_asked(letters: Correspondence, name: str) -> bool:
    """Return whether the player's newest message says that it's their turn."""
    return text(letters.last(name)).startswith("Your turn against ")
