"""The server of `pbem serve`, in a thread of its own, and what it answers to bytes."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from pbem.publishing import web_server
from pbem.publishing.cached_pages import Pages
from tests.servers import HOST


@contextmanager
def served(pages: Pages) -> Iterator[int]:
    """Serve a site; yield the port."""
    sockets = web_server.bind(HOST, 0)
    started: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
    ready = threading.Event()

    async def serve() -> None:
        started.append((asyncio.get_running_loop(), asyncio.Event()))
        ready.set()
        await web_server.run(web_server.application(pages), sockets, started[0][1])

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    ready.wait()
    try:
        yield int(sockets[0].getsockname()[1])
    finally:
        loop, stop = started[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join()


def answered(port: int, raw: bytes) -> bytes:
    """Return all that comes back for these bytes, until there is nothing more to come."""
    answer = b""
    with socket.create_connection((HOST, port), timeout=60) as client, suppress(ConnectionError):
        client.sendall(raw)
        while part := client.recv(65_536):
            answer += part
    return answer
