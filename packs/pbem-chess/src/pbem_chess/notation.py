"""How turns of chess are written: `Nf3`, `exd5`, `O-O`, `e8=Q`; and read also as `g1f3` or `e2-e4`."""

import re
from typing import Any

import chess

from pbem import gamekit as kit
from pbem_chess.engine import SIDES, ChessPosition, Turn, played

_CASTLES = re.compile(
    r"\s*+castl(?:e|es|ing)\s++(?:on\s++|to\s++)?(?:the\s++)?(?:(queen|long)|king|short)(?:'?s)?(?:[ -]?side)?\W*+",
    re.IGNORECASE,
)
_TAKES = re.compile(r"\s*+\b(?:takes|captures)\s++(?:on\s++)?", re.IGNORECASE)
_NAME = re.compile(r"\b(king|queen|rook|bishop|knight|pawn)\s*+(?:(?:to|from)\s++)?(?=x?[a-h][1-8])", re.IGNORECASE)
_LETTERS = {"king": "K", "queen": "Q", "rook": "R", "bishop": "B", "knight": "N", "pawn": ""}
_TO = rf"(?:\s*+{kit.ARROW}\s*+|\s*+([xX:]?)\s*+)"
_NUMBER = re.compile(r"[\s]*+(?:[0-9]{1,3}+[.]++[\s]*+)?+")
_CASTLING = re.compile(rf"([oO0])[{kit.DASH}]?\1(?:[{kit.DASH}]?(\1))?")
_SQUARES = re.compile(rf"([a-hA-H][1-8])\s*+(?:{kit.ARROW}|x|\s)?+\s*+([a-hA-H][1-8])\s*+[=/(]?+([nbrqNBRQ]?)[)]?+")
_PIECE = re.compile(rf"([NBRQKnrqk])([a-hA-H]?)([1-8]?){_TO}([a-hA-H][1-8])")
_RANKED = re.compile(r"(B)()([1-8])([xX:]?)([a-h][1-8])")
"""A bishop, told by its rank from another; or a square, written with the capital of a phone."""
_BISHOP = re.compile(rf"(B)([a-hA-H]?)([1-8]?){_TO}([a-hA-H][1-8])")
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
        >>> [ChessNotation().parse(text).text for text in ("Knight to f3", "Ng1-f3", "queen takes d5", "castles long")]
        ['Nf3', 'Ng1f3', 'Qxd5', 'O-O-O']
        """
        kit.check_length(text)
        written, text = text, _in_letters(text)
        at = kit.skip(_NUMBER, text, 0)
        for pattern in (_CASTLING, _RANKED, _SQUARES, _BISHOP, _PAWN, _PIECE):
            found = pattern.match(text, at)
            if found is not None:
                end = _END.match(text, found.end())
                if end is not None and end.end() == len(text):
                    return Turn(_spelled(pattern, found, end[1]))
        raise kit.BadNotation(written, kit.skip(_NUMBER, written, 0), EXPECTED)

    def format(self, move: Turn, position: kit.Position[Any]) -> str:
        """Return the turn as books write it; one that isn't legal as it was written."""
        if isinstance(position, ChessPosition) and position.turn is not None:
            board = position.board
            try:
                return board.san(played(board, move))
            except kit.IllegalMove:
                return move.text
        return move.text

    def tapped(self, move: Turn, position: kit.Position[Any]) -> str:
        """Return both squares, and what a pawn becomes: e2e4, e7e8=Q."""
        if not isinstance(position, ChessPosition):
            return move.text
        step = played(position.board, move)
        becomes = f"={chess.piece_symbol(step.promotion).upper()}" if step.promotion else ""
        return f"{chess.square_name(step.from_square)}{chess.square_name(step.to_square)}{becomes}"

    def hint(self, position: kit.Position[Any]) -> kit.Hint | None:
        """Return what the player to move can write now; None when the game is over."""
        if not isinstance(position, ChessPosition) or position.turn is None:
            return None
        check = kit.Passage(f"{SIDES[position.turn]} is in check, and has to end that.")
        passages = (check,) if position.board.is_check() else ()
        return kit.Hint(passages, next(position.moves()).text, BASICS)


def _in_letters(text: str) -> str:
    """Return the text with the letters of pieces instead of their names."""
    if castles := _CASTLES.fullmatch(text):
        return "O-O-O" if castles[1] else "O-O"
    return _NAME.sub(lambda found: _LETTERS[found[1].lower()], _TAKES.sub("x", text))


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
