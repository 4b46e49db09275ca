"""The desk: where a daemon takes the stored mails one by one, in an order that holds for all daemons together.

Each daemon takes the oldest mail that nobody has in hand. So the earlier ones are done, or in the hands of others;
two mails whose order matters meet in a lane (see lanes), and of two in one lane the earlier one goes first:

    take       the oldest free mail; it is held alone, which tells that its lanes are not known yet
    line up    wait until the lanes of all earlier mails are known, then until the own lanes are free;
               hold them, and the mail no longer alone
    put away   hold nothing any more

Whoever waits, waits for an earlier mail: there is no circle. A daemon that dies lets go of everything. If its mail
was an earlier one, it goes first, and whoever lined up behind it begins anew.
"""

from collections.abc import Collection

from sqlalchemy import Engine, bindparam
from sqlmodel import Session, col, select

from pbem.storage.locks import Locks
from pbem.storage.models import Incoming, IncomingState

AT_ONCE = 20
"""So many waiting mails are looked at, until one is free: many more than there are daemons."""

_WAITING = (
    select(Incoming.id)
    .where(Incoming.state == IncomingState.NEW, col(Incoming.id) > bindparam("after"))
    .order_by(col(Incoming.id))
    .limit(AT_ONCE)
    # A row that is locked is being handled, even where its daemon was cut off and its claim is gone.
    .with_for_update(skip_locked=True)
)
_EARLIER = select(Incoming.id).where(Incoming.state == IncomingState.NEW, col(Incoming.id) < bindparam("number"))
_IS_NEW = select(Incoming.id).where(Incoming.state == IncomingState.NEW, Incoming.id == bindparam("number"))


class WorkQueue:
    """Where one thread takes mails."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._claims = Locks(engine)
        self._lined_up = False

    @property
    def is_shared(self) -> bool:
        """Whether other daemons may be at work too, and order must be kept with them."""
        return self._claims.are_needed

    def take(self) -> int | None:
        """The oldest mail that waits and that nobody has in hand; None where there is none."""
        after = 0
        while waiting := self._waiting(after):
            for number in waiting:
                if self.take_this(number):
                    return number
            after = waiting[-1]
        return None

    def take_this(self, number: int) -> bool:
        """Take a certain mail, if nobody has it in hand; whether that is so."""
        return self._claims.try_to_hold(_mail(number))

    def line_up(self, number: int, lanes: Collection[str]) -> bool:
        """Wait for the turn of a mail in its lanes; false where an earlier one was left behind and must go first."""
        if self._lined_up or not self.is_shared:
            return True
        earlier = self._claims.query(_EARLIER, number=number)
        for each in earlier:
            self._claims.hold_together(_mail(each))
            self._claims.let_go_together(_mail(each))
        for lane in sorted(lanes):
            self._claims.hold(f"lane {lane}")
        if any(self._was_left_behind(each) for each in earlier):
            return False
        self._claims.hold_together(_mail(number))
        self._claims.let_go(_mail(number))
        self._lined_up = True
        return True

    def put_away(self) -> None:
        """Have nothing in hand any more."""
        self._lined_up = False
        self._claims.let_go_of_all()

    def close(self) -> None:
        """Leave."""
        self._claims.close()

    def _waiting(self, after: int) -> list[int]:
        if self.is_shared:
            return self._claims.query(_WAITING, after=after)
        with Session(self._engine) as session:
            return [number for number in session.exec(_WAITING, params={"after": after}) if number is not None]

    def _was_left_behind(self, number: int) -> bool:
        """Whether the mail still waits, and nobody has it in hand."""
        if not self._claims.try_to_hold(_mail(number)):
            return False
        waits = bool(self._claims.query(_IS_NEW, number=number))
        self._claims.let_go(_mail(number))
        return waits


def _mail(number: int) -> str:
    return f"mail {number}"
