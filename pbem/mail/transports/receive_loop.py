"""The loop that carries mail from a mailbox to the store, and waits out every failure."""

from collections.abc import Callable

import structlog

from pbem import failpoints
from pbem.failpoints import Step
from pbem.mail.transports.protocols import Inbox, NotStored, ServerUnreachable, Store, gist
from pbem.process_vitals import Link

log = structlog.get_logger()

WAIT_SECONDS = 3600.0

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 300.0
FEW = 3  # after this many refusals in a row, the store is down, and no message is at fault


def receive(
    inbox: Inbox, store: Store, stopped: Callable[[], bool], pause: Callable[[float], object], link: Link | None = None
) -> None:
    """Carry mail until stopped, through lost connections and a failing store; then close the inbox.

    `pause` sleeps for that many seconds, and returns early once `stopped()` is true. `link` tells, once each, that mail
    can't be carried and that it is carried again.
    """
    link = link or Link("mailbox", lost="receiving interrupted", again="receiving again")
    failures = 0
    singly = False
    try:
        while not stopped():
            length = min(FIRST_PAUSE * 2**failures, LONGEST_PAUSE)
            try:
                try:
                    _carry(inbox, store, stopped, link.connected, singly=singly)
                except NotStored as error:
                    link.fails("store", str(error))
                    failures = min(failures + 1, 16)
                    if singly:  # the others got through: new mail shouldn't wait for the one that can't
                        inbox.wait(length, stopped)
                    else:
                        pause(length)
                    singly = True
                    continue
                singly = False
                link.works()
                inbox.wait(WAIT_SECONDS, stopped)
                failures = 0
            except Exception as error:
                if isinstance(error, ServerUnreachable):
                    link.fails("mailbox", str(error))
                else:  # a bug in one round must not end receiving; the mail is still in the mailbox
                    if link.is_up is not False:
                        log.exception("receiving failed", error=type(error).__name__)
                    link.fails("bug", type(error).__name__)
                failures = min(failures + 1, 16)
                inbox.close()
                pause(length)
    finally:
        inbox.close()


def receive_once(inbox: Inbox, store: Store) -> int:
    """Carry the mail that waits now, return how many messages it was, and close the inbox.

    Raises ServerUnreachable, or NotStored if the store refused; mail that wasn't carried is still in the mailbox.
    """
    try:
        return _carry(inbox, store, lambda: False, lambda: None, singly=False)
    finally:
        inbox.close()


def _carry(
    inbox: Inbox, store: Store, stopped: Callable[[], bool], connected: Callable[[], object], *, singly: bool
) -> int:
    """Make one pass over the mailbox: store, then done. Singly, a refused message holds up no other."""
    stored = refused = 0
    for batch in inbox.fetch():
        connected()
        for part in [(arrival,) for arrival in batch] if singly else [batch]:
            if stopped():
                return stored
            try:
                store(part)
            except Exception as error:
                refused += 1
                if not singly or (refused >= FEW and not stored):
                    raise NotStored(gist(error)) from error
                log.warning("a mail can't be stored and stays in the mailbox", source=part[0].source, error=gist(error))
                continue
            inbox.done(part)
            failpoints.reach(Step.ACKNOWLEDGED)
            stored += len(part)
    if refused:
        raise NotStored(f"{refused} of {refused + stored} mails")
    return stored
