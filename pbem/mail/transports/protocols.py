"""The protocols for mailboxes and next hops, and what travels through them."""

import errno
import os
import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Patience:
    """How many seconds a mail server has to take a connection, and to answer."""

    connect: float = 15.0
    answer: float = 60.0


USUAL = Patience()
ENDS_SOON = 3 * 86400.0
"""How many seconds before its end a certificate should have been renewed: those of a week are after half of it."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message as a transport received it: its exact bytes, and the envelope if the transport knows it."""

    raw: bytes
    source: str  # its origin, for the log: "imap INBOX 17/4", "lmtp", "smtp 127.0.0.1", "maildir <name>"
    sender: str | None = None  # the envelope sender: "" for the null sender <>, None if the transport can't know it
    recipients: tuple[str, ...] = ()
    size: int | None = None
    """The full size in bytes if the message is over the limit and `raw` is only its header block."""


Store = Callable[[tuple[Arrival, ...]], object]
"""Commits arrivals to the database, all or none. If it raises, they must not be acknowledged."""


def gist(error: BaseException) -> str:
    r"""Return what failed in one line for the log: databases append whole statements, with the message in them.

    >>> gist(ValueError("no such table: incoming\n[parameters: ('Dear Ann, ...',)]"))
    'ValueError: no such table: incoming'
    """
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:200]


def certificate_end(connection: object) -> float | None:
    """Return when the certificate ends that the other side has shown, as a timestamp; None without TLS."""
    shown = connection.getpeercert() if isinstance(connection, ssl.SSLSocket) else None
    return ssl.cert_time_to_seconds(str(shown["notAfter"])) if shown else None


def not_listening(table: str, host: str, port: int, error: OSError) -> OSError:
    why = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or errno.EIO)
    advice = {
        errno.EADDRINUSE: "stop the program that does, or write another port there",
        errno.EACCES: "write a port above 1023 there",
    }.get(error.errno or 0, "write an address of this machine as exposed_on there")
    return OSError(error.errno, f"[{table}] can't listen at {host}, port {port}: {why}; {advice}")


class ServerUnreachable(Exception):
    """A mailbox can't be read at the moment; trying again later may help."""


class NotStored(Exception):
    """The store refused mail, which is still in the mailbox."""


class Inbox(Protocol):
    def fetch(self) -> Iterator[tuple[Arrival, ...]]:
        """Yield everything that waits now in batches, oldest first; the mailbox keeps a batch until `done`.

        Raises ServerUnreachable. Store each batch and call `done` before asking for the next one.
        """

    def done(self, batch: tuple[Arrival, ...]) -> None:
        """Move a stored batch out of the way. Raises ServerUnreachable; the batch may then come again."""

    def wait(self, seconds: float, stopped: Callable[[], bool]) -> None:
        """Return when mail may have arrived, after `seconds` at the latest, or soon after `stopped()` is true."""

    def close(self) -> None:
        """Close the connection; the next call opens a new one. Never raises."""


class NotAccepted(Exception):
    """The next hop didn't take the message: its reply, and whether trying again later can help."""

    def __init__(self, reply: str, *, later: bool, is_lost: bool = False) -> None:
        self.later = later
        self.is_lost = is_lost
        """Whether the next hop can't be reached, or refuses us: other messages wouldn't be taken either."""
        super().__init__(reply)


class Outbox(Protocol):
    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        """Hand over the exact bytes; raises NotAccepted. Returns only when the next hop has taken the message."""

    def close(self) -> None:
        """Close the connection; the next call opens a new one. Never raises."""
