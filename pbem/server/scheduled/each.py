"""Acting on each of the rows for which something is due, in a transaction of its own."""

from collections.abc import Callable, Iterable
from datetime import datetime

import structlog
from sqlalchemy import BindParameter, Engine, bindparam
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from pbem import failpoints
from pbem.failpoints import Step
from pbem.storage.database import transaction

log = structlog.get_logger()

NOW: BindParameter[datetime] = bindparam("now")
"""The time of a look at what is due (see scheduler)."""
AT_ONCE = 200
"""How many rows are looked at in one go."""


def each(
    engine: Engine,
    numbers: Iterable[int],
    act: Callable[[Session, int], bool],
    stopped: Callable[[], bool],
    *,
    doing: str,
    before: Step = Step.DUE,
    after: Step | None = None,
) -> int:
    """Call `act` with a session and each number, until stopped. Return how often it says that it did something.

    Where it did, the step `before` is reached inside the transaction, and `after` when it is committed. A bug in one is
    logged, and leaves the others alone; a database that fails ends them all: raises DBAPIError.
    """
    acted = 0
    for number in numbers:
        if stopped():
            break
        try:
            with transaction(engine) as session:
                has_acted = act(session, number)
                if has_acted:
                    failpoints.reach(before)
            if has_acted and after is not None:
                failpoints.reach(after)
            acted += has_acted
        except DBAPIError:
            raise
        except Exception:  # a bug: what is due to others must not wait for this one
            log.exception("scheduled work failed", doing=doing, number=number)
    return acted
