"""The section about what a player has prepared for the opponent's next turn. It only goes to that player."""

from typing import Literal

from pbem.storage.payloads import Part, Section


class Branch(Part):
    match: int
    ply: int
    """After how many turns it begins."""
    turns: tuple[str, ...]
    """The turns on the way, the opponent's first; none where any turn is answered."""
    otherwise: str | None = None
    """The turn that is played in reply to any other than the opponent's named ones, at the end."""
    resigns: bool = False
    """Whether the player resigns at the end."""


class PreparedTurns(Section, template="prepared"):
    """What the player has prepared in a match, all of it; or that they have just dropped it."""

    match: int
    ply: int
    branches: tuple[Branch, ...]
    change: Literal["kept", "listed", "dropped"]
