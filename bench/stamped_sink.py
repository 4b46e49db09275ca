"""An SMTP server that says when each message arrived, as a process of its own.

It takes commands that come together (PIPELINING), as Postfix, Exim and Dovecot do.
"""

import asyncio
import multiprocessing
import time
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self

from aiosmtpd.smtp import SMTP

HOST = "127.0.0.1"
PATIENCE_SECONDS = 60.0


class StampedSink:
    """The server; `port` is where it listens."""

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


class _Handler:
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
        handler = _Handler(arrivals)
        server = await asyncio.get_running_loop().create_server(lambda: SMTP(handler), HOST, 0)
        arrivals.send((server.sockets[0].getsockname()[1], 0))
        await server.serve_forever()

    asyncio.run(run())
