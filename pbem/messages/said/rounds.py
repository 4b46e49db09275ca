"""What a message about a new match says of its tournament."""

from pbem.storage.payloads import Part


class CrosstableRow(Part):
    number: int
    place: int
    player: str
    cells: tuple[str, ...]
    points: str
    breaks: tuple[str, ...]
    own: bool = False
    out: bool = False
    """Whether they have withdrawn."""


class Crosstable(Part):
    heads: tuple[str, ...]
    breaks: tuple[str, ...]
    rows: tuple[CrosstableRow, ...]
    by_round: bool
    """Whether a column is a round; in a round robin, it is an opponent."""
    width: int
    """How many columns each cell needs."""
    missing: int = 0
    """How many rows are left out."""


class RoundBegun(Part):
    """What a message about a new match says of the tournament that it belongs to."""

    number: int
    title: str
    round: int = 0
    rounds: int = 0
    game: int = 1
    """2 if the same two have drawn their first match of the round."""
    table: Crosstable | None = None
    rung: int = 0
    """On a ladder, that of the challenger; 0 elsewhere."""
    wanted: int = 0
    """That of the challenged player."""
    is_own: bool = False
    """Whether the reader is the challenger."""
