"""Waiting for new mail on an IMAP connection: IDLE (RFC 2177), or sleeping until the next poll.

imapclient's own idle() isn't used: its idle_check() misses what arrives together with the "+", takes half a line for a
broken one, and returns [] at once and forever after the server is gone.
"""

import imaplib
import select
import ssl
import time
from collections.abc import Callable
from typing import Any

IDLE_SECONDS, POLL_SECONDS = 300.0, 60.0
"""How long one IDLE lasts, and how often to look if the server doesn't have it."""
SLICE = 0.25
"""How long a wait sleeps before it checks again whether it should stop."""
GOODBYE_SECONDS = 1.0
IDLE_PAUSE = 1.0
"""The pause between two IDLEs when a server keeps announcing things other than mail."""


def has_new_mail(client: Any) -> bool:
    """Return whether the server has announced a message count, during any command, since the last call."""
    return bool(client._imap.response("EXISTS")[1] != [None])  # noqa: SLF001 - documented in imaplib


def idle(client: Any, seconds: float, stopped: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not stopped():
        if _idle_once(client, end, stopped):
            if has_new_mail(client):
                return
            nap(min(IDLE_PAUSE, end - time.monotonic()), stopped)


def _idle_once(client: Any, end: float, stopped: Callable[[], bool]) -> bool:
    imap = client._imap  # noqa: SLF001 - imapclient has no other access to IDLE
    tag = imap._command("IDLE")  # noqa: SLF001
    while imap._get_response() is not None:  # noqa: SLF001 - until the "+"
        if imap.tagged_commands[tag]:
            raise imaplib.IMAP4.error("the server refused IDLE")
    heard = _has_buffered(imap)
    poller = select.poll()
    poller.register(client.socket().fileno(), select.POLLIN)
    while not heard and not stopped() and (left := end - time.monotonic()) > 0:
        heard = bool(poller.poll(1000 * min(SLICE, left)))
    if stopped():
        client.socket().settimeout(GOODBYE_SECONDS)
    # The response is read after DONE: imaplib reads whole lines, and raises on BYE, end of file and silence.
    imap.send(b"DONE\r\n")
    imap._command_complete("IDLE", tag)  # noqa: SLF001
    return heard


def _has_buffered(imap: Any) -> bool:
    """Return whether bytes have been read from the socket already, where poll can't see them."""
    if isinstance(imap.sock, ssl.SSLSocket) and imap.sock.pending():
        return True
    if hasattr(imap, "_readbuf"):  # Python 3.14
        return bool(imap._readbuf)  # noqa: SLF001
    timeout = imap.sock.gettimeout()
    imap.sock.setblocking(False)
    try:
        return bool(imap.file.peek(1))
    except OSError:  # how TLS says that there is nothing
        return False
    finally:
        imap.sock.settimeout(timeout)


def nap(seconds: float, stopped: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while not stopped() and (left := end - time.monotonic()) > 0:
        time.sleep(min(SLICE, left))
