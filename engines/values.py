"""Values: dataclasses that nothing changes, made as fast as others."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

__all__ = ["value"]

Class = TypeVar("Class")

if TYPE_CHECKING:
    from dataclasses import dataclass as value
else:

    def value(*, frozen: bool, slots: bool) -> Callable[[type[Class]], type[Class]]:
        """Return the decorator of a dataclass that can be hashed and that only the type checker holds frozen.

        Frozen at run time too, it would take three times as long to make one, and a position is made for every turn.
        """
        return dataclass(slots=slots, unsafe_hash=frozen)
