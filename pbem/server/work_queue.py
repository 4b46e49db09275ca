"""The queue from which a daemon claims stored messages one by one, in an order that holds for all daemons together.

Each daemon has two threads, one for replies and one for all others: of players, and of strangers if no player's waits.
Each claims the oldest message that is free. One that is paused before its last attempt (see `attempts`) is passed over,
and so are later ones of the same author. All other earlier messages in its own queue, and in those before it that are
its thread's too, are therefore done or in the hands of others.
Two messages whose order matters share an ordering key (see `ordering`), and of two with the same key the earlier one
goes first:

    claim_next   claim the oldest free message; an exclusive lock on it says that its keys aren't known yet
    wait_turn    wait until the keys of all earlier messages are known, then acquire the keys of this one and note them;
                 the lock on the message itself becomes a shared one
    release      release all of these locks

A message only ever waits for an earlier one, so there is no deadlock. A daemon that dies releases everything. If it
held an earlier message, that one goes first, and whichever waited for it starts again. So who has got its keys looks
once more at the earlier messages: one that is still waiting goes first if it noted one of these keys, whoever may hold
it, or if nothing is noted of it yet. No lock could tell this: PostgreSQL releases those of a dead session one by one,
and another daemon may have claimed the message since.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from hashlib import sha256

from sqlalchemy import JSON, BindParameter, Engine, Integer, and_, bindparam, exists, not_, tuple_, update
from sqlalchemy.orm import aliased
from sqlmodel import col, select

from pbem.server.attempts import PAUSE, is_paused
from pbem.storage.database import reading
from pbem.storage.locks import Locks
from pbem.storage.models import Incoming, IncomingState, Lane
from pbem.storage.utc import Utc

BATCH = 20
"""How many waiting messages are read at once to find a free one: many more than there are daemons."""

_RECENT = (bindparam("since", type_=Utc), bindparam("now", type_=Utc))
_LANE: BindParameter[int] = bindparam("lane", type_=Integer)
_AFTER = (bindparam("after_lane", type_=Integer), bindparam("after", type_=Integer))
_ABOVE = aliased(Incoming)
_IS_BEHIND_A_PAUSED_ONE = exists().where(
    col(_ABOVE.author) == Incoming.author,
    col(_ABOVE.author).is_not(None),
    col(_ABOVE.lane).in_(tuple(Lane)),  # in whichever queue, but looked up in the index by queue
    col(_ABOVE.id) < col(Incoming.id),
    col(_ABOVE.state) == IncomingState.NEW,
    is_paused(_ABOVE, *_RECENT),
)
_MAY_GO = and_(not_(is_paused(Incoming, *_RECENT)), not_(_IS_BEHIND_A_PAUSED_ONE))

_WAITING = (
    select(Incoming.lane, Incoming.id)
    .where(
        Incoming.state == IncomingState.NEW,
        tuple_(Incoming.lane, Incoming.id) > tuple_(*_AFTER),
        col(Incoming.lane) <= _LANE,
        _MAY_GO,
    )
    .order_by(col(Incoming.lane), col(Incoming.id))
    .limit(bindparam("most", type_=Integer))
    # A locked row is being handled, even if its daemon was cut off and has lost its lock on the message.
    .with_for_update(skip_locked=True)
)
_EARLIER = select(Incoming.id, _MAY_GO).where(
    Incoming.state == IncomingState.NEW,
    col(Incoming.id) < bindparam("number"),
    col(Incoming.lane).between(bindparam("first", type_=Integer), _LANE),
)
_LANE_OF = select(Incoming.lane).where(Incoming.id == bindparam("number"))
_ORDERING = select(Incoming.ordering).where(Incoming.state == IncomingState.NEW, Incoming.id == bindparam("number"))
_NOTE = (
    update(Incoming)
    .where(col(Incoming.id) == bindparam("number"))
    .values(ordering=bindparam("ordering", type_=JSON))
    .returning(col(Incoming.id))
)


class WorkQueue:
    """The queue as one thread sees it."""

    def __init__(self, engine: Engine, clock: Callable[[], datetime], lanes: Sequence[Lane] = tuple(Lane)) -> None:
        self._engine = engine
        self._clock = clock
        self._lanes = lanes
        self._locks = Locks(engine)
        self._has_turn = False

    @property
    def is_shared(self) -> bool:
        """Whether other daemons may be at work too, so that the order must be agreed with them."""
        return self._locks.are_needed

    def claim_next(self) -> int | None:
        """Claim the oldest free message of the first queue that has one. Return its number, or None."""
        after = (self._lanes[0].value, 0)
        while waiting := self._waiting(after):
            for _, number in waiting:
                if self.claim(number):
                    return number
            after = waiting[-1]
        return None

    def claim(self, number: int) -> bool:
        """Claim this message if it is free. Return whether it was."""
        return self._locks.try_acquire(_name(number))

    def wait_turn(self, number: int, keys: Collection[str]) -> bool:
        """Wait until no earlier message with one of the keys is left.

        Return False if an earlier message turns up that must go first, since its daemon died or was late to claim it.
        """
        if self._has_turn or not self.is_shared:
            return True
        lane = max(self._locks.query(_LANE_OF, number=number), default=self._lanes[0])
        earlier = self._earlier(number, lane)
        for each in earlier:
            self._locks.acquire_shared(_name(each))
            self._locks.release_shared(_name(each))
        for key in sorted(keys):
            self._locks.acquire(f"key {key}")
        ordering = sorted(map(_hashed, keys))
        if any(self._goes_first(each, ordering) for each in earlier):
            return False
        self._locks.query(_NOTE, number=number, ordering=ordering)
        self._locks.acquire_shared(_name(number))
        self._locks.release(_name(number))
        self._has_turn = True
        return True

    def release(self) -> None:
        """Release the claimed message and its keys."""
        self._has_turn = False
        self._locks.release_all()

    def keep(self) -> None:
        """Keep the session, while its thread is at work on something else."""
        self._locks.keep()

    def close(self) -> None:
        """End the session."""
        self._locks.close()

    def _waiting(self, after: tuple[int, int]) -> list[tuple[int, int]]:
        """Return the lanes and numbers of the next messages after that one that may go now."""
        which = {"after_lane": after[0], "after": after[1], "lane": self._lanes[-1], **self._moment()}
        which["most"] = BATCH if self.is_shared else 1
        if self.is_shared:
            return [(lane, number) for lane, number in self._locks.query_rows(_WAITING, **which)]
        with reading(self._engine) as connection:
            return [(lane, number) for lane, number in connection.execute(_WAITING, which)]

    def _earlier(self, number: int, lane: int) -> list[int]:
        """Return the earlier messages that may go now or are in somebody's hands.

        A message in its second attempt looks as if it paused, since that is counted and dated when it begins.
        """
        found = self._locks.query_rows(_EARLIER, number=number, first=self._lanes[0], lane=lane, **self._moment())
        held = self._locks.held([_name(each) for each, may_go in found if not may_go])
        return [each for each, may_go in found if may_go or _name(each) in held]

    def _moment(self) -> dict[str, object]:
        """Return the parameters of a query for those that may go now."""
        now = self._clock()
        return {"now": now, "since": now - PAUSE}

    def _goes_first(self, number: int, ordering: Collection[str]) -> bool:
        """Return whether that message is still waiting and has a key that we hold now, or could have."""
        waiting = self._locks.query(_ORDERING, number=number)
        return bool(waiting) and (waiting[0] is None or not set(ordering).isdisjoint(waiting[0]))


def _name(number: int) -> str:
    """Return the name of the lock on a message."""
    return f"mail {number}"


def _hashed(key: str) -> str:
    """Return what is stored of a key, which may hold an address."""
    return sha256(key.encode()).hexdigest()[:16]
