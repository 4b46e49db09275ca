"""How each search of the house goes: one daemon takes it, and it ends well, ends badly, or is taken back."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Protocol, TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from pbem import failpoints
from pbem.failpoints import Step
from pbem.features.house.searcher import SearchStopped
from pbem.storage import leases
from pbem.storage.database import transaction
from pbem.storage.leases import Leased

Task = TypeVar("Task", contravariant=True)


class Searching(Protocol[Task]):
    @property
    def engine(self) -> Engine:
        """Where its row is."""

    @property
    def clock(self) -> Callable[[], datetime]:
        """Tells the time."""

    def find(self, task: Task) -> None:
        """Search, check what was found, and act on it; raise whatever went wrong."""

    def fail(self, task: Task, error: Exception) -> None:
        """Note that the search didn't end well, and when to try again."""

    def take_back(self, task: Task) -> None:
        """Undo the count of a search that was ended because the server stops."""


def take_one(engine: Engine, table: type[Leased], numbers: Iterable[int], holder: str) -> int | None:
    """Take a lease on the first of the rows that is free. Return its number; None if other daemons have them all."""
    for number in numbers:
        with transaction(engine) as session:
            is_ours = leases.take(session, table, number, holder)
        if is_ours:
            return number
    return None


def search(searching: Searching[Task], task: Task) -> bool:
    failpoints.reach(Step.SEARCHING)
    try:
        searching.find(task)
    except SearchStopped:
        searching.take_back(task)
        return False
    except DBAPIError:
        raise
    except Exception as error:  # noqa: BLE001 - a bug in a search must not end the others
        searching.fail(task, error)
    return True
