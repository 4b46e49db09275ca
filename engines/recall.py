"""What a position remembers beside its fields: the turn it has listed last, which is often played at once."""

from typing import Generic, TypeVar

Found = TypeVar("Found")


class Recalling(Generic[Found]):
    """A base for positions that need not check a turn which they have just listed.

    What is remembered is no part of the position: equal ones answer equally, whatever was asked of them before.
    """

    __slots__ = ("_listed",)
    _listed: tuple[object, Found]

    def remember(self, turn: object, found: Found) -> None:
        """Remember a legal turn, and what playing it needs."""
        self._listed = (turn, found)

    def recall(self, turn: object) -> Found | None:
        """Return what was found for the turn if it is the one that was remembered last."""
        try:
            listed, found = self._listed
        except AttributeError:
            return None
        return found if listed is turn else None
