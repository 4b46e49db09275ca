"""A proxy between client and server that records what was sent."""

import contextlib
import selectors
import socket
import threading
from typing import Self

from tests.servers import GENEROUS, HOST


class Wire:
    """Forwards connections to another port; connect to `port` instead."""

    def __init__(self, to: int) -> None:
        self.said = b""
        """Everything that clients have sent so far."""
        self._to = to
        self._ends: list[socket.socket] = []
        self._listener = socket.create_server((HOST, 0))
        self.port: int = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection((HOST, self._to))
                self._ends += [client, server]
                thread = threading.Thread(target=self._forward, args=(client, server), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError), selectors.DefaultSelector() as selector:
            selector.register(client, selectors.EVENT_READ)
            selector.register(server, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    data = key.fileobj.recv(65536)  # type: ignore[union-attr]
                    if not data:
                        client.shutdown(socket.SHUT_RDWR)
                        server.shutdown(socket.SHUT_RDWR)
                        return
                    if key.fileobj is client:
                        self.said += data
                        server.sendall(data)
                    else:
                        client.sendall(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(GENEROUS)
        for end in self._ends:
            end.close()
