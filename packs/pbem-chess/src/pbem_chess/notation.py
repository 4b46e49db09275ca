"""How turns of chess are written: `Nf3`, `exd5`, `O-O`, `e8=Q`; and read also as `g1f3` or `e2-e4`."""

import re
from typing import Any

from pbem import gamekit as kit
from pbem_chess.engine import SIDES, ChessPosition, Turn, played

_NUMBER = re.compile(r"[\s]*+(?:[0-9]{1,3}+[.]++[\s]*+)?+")
_CASTLING = re.compile(rf"([oO0])[{kit.DASH}]?\1(?:[{kit.DASH}]?(\1))?")
_SQUARES = re.compile(rf"([a-hA-H][1-8])\s*+(?:{kit.ARROW}|x|\s)?+\s*+([a-hA-H][1-8])\s*+[=/(]?+([nbrqNBRQ]?)[)]?+")
_PIECE = re.compile(r"([NBRQKnrqk])([a-hA-H]?)([1-8]?)([xX:]?)([a-hA-H][1-8])")
_RANKED = re.compile(r"(B)()([1-8])([xX:]?)([a-h][1-8])")
"""A bishop, told by its rank from another; or a square, written with the capital of a phone."""
_BISHOP = re.compile(r"(B)([a-hA-H]?)([1-8]?)([xX:]?)([a-hA-H][1-8])")
_PAWN = re.compile(r"(?:([a-hA-H])([xX:]?)(?!\1)(?=[a-hA-H][1-8]))?([a-hA-H][1-8])\s*+[=/(]?+([nbrqNBRQ]?)[)]?+")
_END = re.compile(r"\s*+(?:e\.?p\.?)?+\s*+([+#]?)[+#!?.\s]*+")
EXPECTED = "a turn such as Nf3, exd5, e8=Q or O-O"
BASICS = (
    "Write the letter of the piece (N for a knight, B, R, Q, K; none for a pawn) and the square it goes to, "
    "or both squares: Nf3 or g1f3. O-O and O-O-O castle."
)


class ChessNotation(kit.Notation[Turn]):
    """Reads and writes the turns of chess."""

    __slots__ = ()

    @property
    def help(self) -> str:
        """One line for players: how a turn is written, with an example."""
        return 'the letter of the piece, none for a pawn, and the square it goes to, or both squares as in g1f3: "Nf3"'

    def parse(self, text: str) -> Turn:
        """Return the turn that a text says, whatever the position; raise BadNotation.

        >>> [ChessNotation().parse(text).text for text in ("1. e4", "0-0", "nf3", "e7xd8=Q+", "G1-F3", "e8q#!")]
        ['e4', 'O-O', 'Nf3', 'e7d8q', 'g1f3', 'e8=Q#']
        """
        kit.check_length(text)
        at = kit.skip(_NUMBER, text, 0)
        for pattern in (_CASTLING, _RANKED, _SQUARES, _BISHOP, _PAWN, _PIECE):
            found = pattern.match(text, at)
            if found is not None:
                end = _END.match(text, found.end())
                if end is not None and end.end() == len(text):
                    return Turn(_spelled(pattern, found, end[1]))
        raise kit.BadNotation(text, at, EXPECTED)

    def format(self, move: Turn, position: kit.Position[Any]) -> str:
        """Return the turn as books write it; one that isn't legal as it was written."""
        if isinstance(position, ChessPosition) and position.turn is not None:
            board = position.board
            try:
                return board.san(played(board, move))
            except kit.IllegalMove:
                return move.text
        return move.text

    def hint(self, position: kit.Position[Any]) -> kit.Hint | None:
        """Return what the player to move can write now; None when the game is over."""
        if not isinstance(position, ChessPosition) or position.turn is None:
            return None
        side, check = SIDES[position.turn], position.board.is_check()
        say = f"{side} is in check, and has to end that." if check else f"{side} moves a piece."
        return kit.Hint((kit.Passage(say),), next(position.moves()).text, BASICS)


def _spelled(pattern: re.Pattern[str], found: re.Match[str], check: str) -> str:
    if pattern is _CASTLING:
        return f"O-O{'-O' if found[2] else ''}{check}"
    if pattern is _SQUARES:
        return f"{found[1]}{found[2]}{found[3]}".lower()
    if pattern is _PAWN:
        taking = f"{found[1].lower()}x" if found[1] else ""
        return f"{taking}{found[3].lower()}{f'={found[4].upper()}' if found[4] else ''}{check}"
    takes = "x" if found[4] else ""
    return f"{found[1].upper()}{found[2].lower()}{found[3]}{takes}{found[5].lower()}{check}"
