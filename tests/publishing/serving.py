"""The server of `pbem serve`, in a thread of its own."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pbem.publishing import web_server
from tests.servers import HOST


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """Serve a folder; yield the port."""
    sockets = web_server.bind(HOST, 0)
    started: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
    ready = threading.Event()

    async def serve() -> None:
        started.append((asyncio.get_running_loop(), asyncio.Event()))
        ready.set()
        await web_server.run(web_server.application(folder), sockets, started[0][1])

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    ready.wait()
    try:
        yield int(sockets[0].getsockname()[1])
    finally:
        loop, stop = started[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join()
