"""Fixtures: a clock that only tests move, and a socket that listens as systemd does."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import GENEROUS


class Monotonic:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Manager:
    """What systemd is for a service: a datagram socket, here in a folder."""

    def __init__(self, path: Path) -> None:
        self.address = str(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.address)
        self._socket.settimeout(GENEROUS)
        self.heard: list[str] = []

    def next(self) -> str:
        """Wait for the next message and return it."""
        self.heard.append(self._socket.recv(4096).decode())
        return self.heard[-1]

    def until(self, word: str) -> list[str]:
        """Return the messages up to the next one that contains the word."""
        heard = [self.next()]
        while word not in heard[-1]:
            heard.append(self.next())
        return heard

    def waiting(self) -> list[str]:
        """Return the messages that are there already."""
        found = []
        self._socket.setblocking(False)
        try:
            while True:
                found.append(self.next())
        except BlockingIOError:
            return found
        finally:
            self._socket.settimeout(GENEROUS)

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def monotonic() -> Monotonic:
    return Monotonic()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    """Listen as systemd does."""
    listening = Manager(tmp_path / "notify")
    yield listening
    listening.close()
