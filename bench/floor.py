"""The floor for bench/mail.py, in a separate process without any code of pbem, and the server that both send to.

The floor receives each message, commits it to SQLite and sends canned replies: the least that a server which loses
nothing can do. Messages come from a mailbox by IMAP, or are delivered to it by LMTP. Its one argument is an Errand as
JSON. Of a mailbox it prints the seconds it took; by LMTP, the port on which it listens until its input ends.
"""

import asyncio
import json
import multiprocessing
import smtplib
import sqlite3
import ssl
import sys
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP
from imapclient import IMAPClient

TOGETHER = 50
HOST = "127.0.0.1"
PATIENCE_SECONDS = 60.0


@dataclass(frozen=True)
class Errand:
    """Where replies go, how many there are to a message and of how many bytes; the mailbox, or 0 as its port."""

    smtp: int
    folder: str
    replies: int
    size: int
    imap: int = 0
    user: str = "games@pbem.example"
    password: str = ""
    cert: str = ""

    @property
    def reply(self) -> bytes:
        """The canned reply."""
        return b"Subject: reply\r\n\r\n" + (b"x" * 70 + b"\r\n") * max(1, (self.size - 18) // 72)


class Store:
    """A table of messages in an SQLite file that is synced at each commit."""

    def __init__(self, folder: str) -> None:
        self._database = sqlite3.connect(Path(folder) / "floor.sqlite", isolation_level=None, check_same_thread=False)
        self._database.execute("pragma journal_mode = wal")
        self._database.execute("pragma synchronous = full")
        self._database.execute("create table mail (raw blob)")

    def add(self, raw: bytes) -> None:
        """Commit a message."""
        self._database.execute("insert into mail values (?)", (raw,))

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def fetch(errand: Errand) -> float:
    """Fetch, commit and reply to every waiting message. Return the seconds it took."""
    began = time.perf_counter()
    with (
        closing(Store(errand.folder)) as store,
        IMAPClient(HOST, errand.imap, ssl_context=ssl.create_default_context(cafile=errand.cert)) as inbox,
        smtplib.SMTP(HOST, errand.smtp) as outbox,
    ):
        inbox.login(errand.user, errand.password)
        if not inbox.folder_exists("Processed"):
            inbox.create_folder("Processed")
        inbox.select_folder("INBOX")
        uids = inbox.search()
        for at in range(0, len(uids), TOGETHER):
            batch = uids[at : at + TOGETHER]
            for uid in batch:
                store.add(inbox.fetch([uid], ["BODY.PEEK[]"])[uid][b"BODY[]"])
                for _ in range(errand.replies):
                    outbox.sendmail(errand.user, ["ann@mail.example"], errand.reply)
            inbox.move(batch, "Processed")
        return time.perf_counter() - began


class Handler:
    """Commits each message before it is acknowledged, and leaves the replies to another thread."""

    def __init__(self, store: Store, owed: SimpleQueue[bool]) -> None:
        self._store = store
        self._owed = owed

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        """Commit it."""
        self._store.add(envelope.content)
        self._owed.put(True)
        return "250 stored"


def reply(errand: Errand, owed: SimpleQueue[bool]) -> None:
    """Send the replies to each message over one connection."""
    with smtplib.SMTP(HOST, errand.smtp) as outbox:
        while owed.get():
            for _ in range(errand.replies):
                outbox.sendmail(errand.user, ["ann@mail.example"], errand.reply)


async def listen(errand: Errand) -> None:
    """Receive by LMTP until the input ends."""
    owed: SimpleQueue[bool] = SimpleQueue()
    threading.Thread(target=reply, args=(errand, owed), daemon=True).start()
    with closing(Store(errand.folder)) as store:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: LMTP(Handler(store, owed)), HOST, 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        await loop.run_in_executor(None, sys.stdin.read)
        server.close()


class StampedSink:
    """An SMTP server that says when each message arrived, as a process of its own; `port` is where it listens.

    It takes commands that come together (PIPELINING), as Postfix, Exim and Dovecot do.
    """

    def __init__(self) -> None:
        self._arrivals, writing = multiprocessing.get_context("spawn").Pipe(duplex=False)
        self._process = multiprocessing.get_context("spawn").Process(target=_serve, args=(writing,), daemon=True)
        self._process.start()
        self.port, _ = self.next()

    def next(self) -> tuple[int, int]:
        """Wait for a message. Return when it arrived, in nanoseconds of the monotonic clock, and its bytes."""
        if not self._arrivals.poll(PATIENCE_SECONDS):
            raise TimeoutError("no message arrived")
        stamp, size = self._arrivals.recv()
        return int(stamp), int(size)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: object, _trace: TracebackType | None) -> None:
        self._process.kill()
        self._process.join()


class _Stamps:
    def __init__(self, arrivals: Connection) -> None:
        self._arrivals = arrivals

    async def handle_EHLO(  # noqa: N802 - aiosmtpd's name
        self, _server: Any, session: Any, _envelope: Any, name: str, replies: list[str]
    ) -> list[str]:
        session.host_name = name
        return [*replies[:-1], "250-PIPELINING", replies[-1]]

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        self._arrivals.send((time.monotonic_ns(), len(envelope.content)))
        return "250 taken"


def _serve(arrivals: Connection) -> None:
    async def run() -> None:
        handler = _Stamps(arrivals)
        server = await asyncio.get_running_loop().create_server(lambda: SMTP(handler), HOST, 0)
        arrivals.send((server.sockets[0].getsockname()[1], 0))
        await server.serve_forever()

    asyncio.run(run())


def main() -> None:
    """Do the errand."""
    errand = Errand(**json.loads(sys.argv[1]))
    if errand.imap:
        print(fetch(errand))
    else:
        asyncio.run(listen(errand))


if __name__ == "__main__":
    main()
