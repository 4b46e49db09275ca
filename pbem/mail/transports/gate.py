"""What a listener takes at once, and the gate that keeps to it."""

from collections import Counter
from dataclasses import dataclass

MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a listener takes at once. A mail server that gets a "later" keeps the message and comes again."""

    connections: int = 100
    per_address: int = 50
    per_minute: int = 1_200
    """From one address."""
    recipients: int = 50
    """Per message."""
    bytes_in_flight: int = 32_000_000
    """Of all messages that arrive at once."""
    idle_seconds: float = 300.0
    """For a command, or a message's data."""


USUAL = Capacity()


class Gate:
    def __init__(self, capacity: Capacity) -> None:
        self._capacity = capacity
        self._inside: Counter[str] = Counter()
        self._came: Counter[str] = Counter()
        self._minute = 0.0

    def enter(self, address: str, now: float) -> bool:
        """Return whether a connection from the address is admitted; if so, `leave` must be called later."""
        if now - self._minute >= MINUTE:
            self._came.clear()
            self._minute = now
        self._came[address] += 1
        if (
            self._inside.total() >= self._capacity.connections
            or self._inside[address] >= self._capacity.per_address
            or self._came[address] > self._capacity.per_minute
        ):
            return False
        self._inside[address] += 1
        return True

    def leave(self, address: str) -> None:
        self._inside[address] -= 1
        if not self._inside[address]:
            del self._inside[address]
