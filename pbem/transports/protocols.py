"""The protocols behind which all mail traffic happens, and what travels through them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Arrival:
    """A mail as a transport got it: its exact bytes and the envelope, as far as the transport knows one."""

    raw: bytes
    source: str
    """Where it came from, for the log: "imap INBOX 17/4", "lmtp", "smtp 127.0.0.1", "maildir <name>"."""
    sender: str | None = None
    """The envelope sender: "" for the null sender <>, None where the transport cannot know it."""
    recipients: tuple[str, ...] = ()
    size: int | None = None
    """The full size in bytes where the mail is over the limit and `raw` is only its header block."""


Store = Callable[[tuple[Arrival, ...]], None]
"""Commits arrivals to the database, all or none. It raises where it can't: then nobody may acknowledge."""


def gist(error: BaseException) -> str:
    r"""Say what failed in one line for the log: databases append whole statements, with the mail in them.

    >>> gist(ValueError("no such table: incoming\n[parameters: ('Dear Ann, ...',)]"))
    'ValueError: no such table: incoming'
    """
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:200]


class Unreachable(Exception):
    """A mailbox that can't be read just now, and why; trying again later may help."""


class Inbox(Protocol):
    """A mailbox that is asked for mail (IMAP, Maildir)."""

    def fetch(self) -> Iterator[tuple[Arrival, ...]]:
        """All that waits now, in batches, oldest first; the mailbox keeps a batch until `done`.

        Raises Unreachable. The batch is to be stored and `done` called before the next one is asked for.
        """

    def done(self, batch: tuple[Arrival, ...]) -> None:
        """Move a stored batch out of the way. Raises Unreachable; the batch may then come again."""

    def wait(self, seconds: float, stopped: Callable[[], bool]) -> None:
        """Return when mail may have come, after `seconds` at the latest, soon after `stopped()` is true."""

    def close(self) -> None:
        """Let go of the connection; the next call makes a new one. Never raises."""


class Listener(Protocol):
    """A server that is handed mail (LMTP, SMTP)."""

    def start(self, store: Store) -> None:
        """Listen; every mail is stored before it is acknowledged. Raises OSError where the port is taken."""

    def stop(self) -> None:
        """Finish the mails in hand and listen no more."""


class NotSent(Exception):
    """The next hop did not take the mail: its words, and whether trying again later can help."""

    def __init__(self, words: str, *, later: bool) -> None:
        self.later = later
        super().__init__(words)


class Outbox(Protocol):
    """Where mail goes."""

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        """Hand over the exact bytes; raises NotSent. Returns only when the next hop has taken the mail."""

    def close(self) -> None:
        """Let go of the connection; the next call makes a new one. Never raises."""
