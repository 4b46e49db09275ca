"""Special cases of single games: both players learn who sits out, and strict Quadrupel keeps its secret."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from notation.games import GAMES
from tests.correspondence import correspondence, text
from tests.positions import stand

PERFT = Path(__file__).parent.parent / "perft"


def test_who_sits_out_in_quadrature_is_told_to_both(tmp_path: Path) -> None:
    told = (PERFT / "quadrature.perft").read_text(encoding="utf-8")
    line = re.search(r"^id \S*sits-out\nposition men=16; (.*)$", told, flags=re.MULTILINE)
    assert line is not None
    before, turn = line[1].split("; "), "b6a5"
    with correspondence(tmp_path) as letters:
        letters.match("challenge bob quadrature men=16")
        mover = ("alice", "bob")[stand(letters, "quadrature", before).turn or 0]
        mails = letters.say(mover, f"#1 {turn}")

    assert [str(mail["To"]).partition("@")[0] for mail in mails] == ["alice", "bob"]
    for mail in mails:
        assert "has no move and sits out" in text(mail)
        assert ("Your turn against" in text(mail)) == (str(mail["To"]) == f"{mover}@mail.example")


def chances(variant: dict[str, str]) -> Iterator[tuple[list[str], str, str]]:
    """Yield where a figure can be announced in a playthrough: the turns so far, that turn, another one."""
    name = "-".join(["quadrupel", *(word for pair in variant.items() for word in pair)])
    told = (PERFT.parent / "playthroughs" / f"{name}.txt").read_text(encoding="utf-8")
    texts = re.findall(r"^played: (.*)$", told, flags=re.MULTILINE)
    position = GAMES["quadrupel"].game.position(variant)
    for number, turn in enumerate(texts):
        legal = [str(move) for move in position.moves()]
        figures = [move.removesuffix(" quadrupel") for move in legal if move.endswith("quadrupel")]
        plain = [move for move in legal if not move.endswith("quadrupel") and move not in figures]
        if figures and plain:
            yield texts[:number], figures[0], plain[0]
        position = position.play(GAMES["quadrupel"].notation.parse(turn))


@pytest.mark.parametrize("variant", [{}, {"variant": "added-value"}, {"variant": "combination"}])
def test_no_mail_betrays_a_figure_that_nobody_announced(variant: dict[str, str], tmp_path: Path) -> None:
    """Messages about a silent figure differ from those about any other turn only in the board and the turn."""
    found = list(chances(variant))[:4]
    assert found
    chosen = " ".join(f"{key}={choice}" for key, choice in variant.items())
    for number, (before, figure, other) in enumerate(found):
        words = []
        for turn in (figure, other):
            with correspondence(tmp_path / f"{number}-{turn}") as letters:
                letters.match(f"challenge bob quadrupel {chosen}")
                position = stand(letters, "quadrupel", before)
                mover = ("alice", "bob")[position.turn or 0]
                mails = [*letters.say(mover, f"#1 {turn}"), *letters.say(mover, "show 1\nrecord 1")]
            words.append([shorn(text(mail), turn) for mail in mails])

        assert words[0] == words[1]


def shorn(words: str, turn: str) -> list[str]:
    """Return a message without the board, the turn just made, the example and the legal turns."""
    kept = []
    for line in words.replace(turn, "TURN").splitlines():
        if line.startswith("* "):
            assert "quadrupel" not in line
            continue
        row = re.fullmatch(r"[ \[].*  ?[1-6](    .*)?", line) or re.fullmatch(r"[.,:xo0-9 ]+ [1-6]", line)
        if row is None and not line.startswith("For example: "):
            kept.append(line)
        elif row is not None and "    " in line.strip():
            kept.append(line.strip().split("    ")[-1])
    return kept
