"""The loop that carries mail from a mailbox to the store, and waits out whatever goes wrong."""

from collections.abc import Callable

import structlog

from pbem import failpoints
from pbem.failpoints import Step
from pbem.transports.protocols import Arrival, Inbox, Store, Unreachable, gist

log = structlog.get_logger()

WAIT_SECONDS = 3600.0
"""How long a mailbox is asked to wait at most; IMAP and Maildir look more often by themselves."""

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 300.0
FEW = 3
"""So many mails refused in a row, and none stored, mean that the store is down and no mail is at fault."""


class NotStored(Exception):
    """The store refused mail; it is still in the mailbox."""


def receive(inbox: Inbox, store: Store, stopped: Callable[[], bool], pause: Callable[[float], object]) -> None:
    """Carry mail until stopped, through lost connections and a failing store; closes the inbox.

    `pause` sleeps for so many seconds, and returns early once `stopped()` is true.
    """
    troubles = 0
    singly = False
    lost = ""
    try:
        while not stopped():
            length = min(FIRST_PAUSE * 2**troubles, LONGEST_PAUSE)
            try:
                try:
                    _carry(inbox, store, stopped, singly=singly)
                except NotStored as error:
                    lost = _tell(lost, "store", error)
                    troubles = min(troubles + 1, 16)
                    if singly:  # the others got through: don't let newcomers wait for the one that can't
                        inbox.wait(length, stopped)
                    else:
                        pause(length)
                    singly = True
                    continue
                singly = False
                if lost:
                    log.info("receiving again", lost=lost)
                    lost = ""
                inbox.wait(WAIT_SECONDS, stopped)
                troubles = 0
            except Unreachable as error:
                lost = _tell(lost, "mailbox", error)
                troubles = min(troubles + 1, 16)
                inbox.close()
                pause(length)
            except Exception as error:
                # A fault of ours in one round must not end the receiving; the mail is still there.
                if lost != "bug":
                    log.exception("receiving failed", error=type(error).__name__)
                lost = "bug"
                troubles = min(troubles + 1, 16)
                inbox.close()
                pause(length)
    finally:
        inbox.close()


def receive_once(inbox: Inbox, store: Store) -> int:
    """Carry what waits now and say how many mails it was; closes the inbox.

    Raises Unreachable, or NotStored where the store refused; mail not carried is still in the mailbox.
    """
    try:
        return _carry(inbox, store, lambda: False, singly=False)
    finally:
        inbox.close()


def _carry(inbox: Inbox, store: Store, stopped: Callable[[], bool], *, singly: bool) -> int:
    """One pass over the mailbox: store, then done. Mail by mail, a refused one holds up no other."""
    kept = refused = 0
    for batch in inbox.fetch():
        parts: tuple[tuple[Arrival, ...], ...] = tuple((mail,) for mail in batch) if singly else (batch,)
        for part in parts:
            if stopped():
                return kept
            try:
                store(part)
            except Exception as error:
                refused += 1
                if not singly or (refused >= FEW and not kept):
                    raise NotStored(gist(error)) from error
                log.warning("a mail can't be stored and stays in the mailbox", source=part[0].source, error=gist(error))
                continue
            inbox.done(part)
            failpoints.reach(Step.ACKNOWLEDGED)
            kept += len(part)
    if refused:
        raise NotStored(f"{refused} of {refused + kept} mails")
    return kept


def _tell(lost: str, what: str, error: Exception) -> str:
    """Log the beginning of a trouble, not every attempt."""
    if lost != what:
        log.warning("receiving interrupted", lost=what, error=str(error))
    return what
