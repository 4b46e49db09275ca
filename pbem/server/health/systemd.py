"""What systemd is told (Type=notify): that the server is ready, how it is, that its loops go on, that it stops.

Where nobody listens, nothing is told. Nothing here waits: a message that systemd doesn't take at once is left out.
"""

import contextlib
import os
import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from systemd_watchdog.systemd_watchdog import WatchDog

LOOK_SECONDS = 5.0
"""How often to look after the loops where systemd doesn't ask for more."""


class Systemd:
    """The service manager that started this process, if it wants to be told."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._watchdog: WatchDog | None = None
        self._socket: socket.socket | None = None
        self._status = ""
        if address := environment.get("NOTIFY_SOCKET"):
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self._socket.setblocking(False)
            self._watchdog = _watchdog(self._socket, address)

    def close(self) -> None:
        """Tell nothing any more."""
        self._watchdog = None
        if self._socket is not None:
            self._socket.close()

    @property
    def interval(self) -> float:
        """How often to look after the loops, in seconds: at least three times in the time that systemd waits."""
        asked = self._watchdog.timeout / 3e6 if self._watchdog is not None else LOOK_SECONDS
        return min(asked, LOOK_SECONDS)

    def ready(self) -> None:
        """Tell that the server is ready."""
        if self._watchdog is not None:
            with contextlib.suppress(OSError):
                self._watchdog.ready()

    def status(self, line: str) -> None:
        """Tell how the server is, as `systemctl status` shows it, if that has changed."""
        if self._watchdog is not None and line != self._status:
            self._status = line
            with contextlib.suppress(OSError):
                self._watchdog.status(line)

    def alive(self) -> None:
        """Tell that all loops go on. If nobody says so for WatchdogSec, systemd starts the server anew."""
        if self._watchdog is not None:
            with contextlib.suppress(OSError):
                self._watchdog.notify()

    def stopping(self) -> None:
        """Tell that the server stops. The library has no word for that; a message may hold several lines."""
        if self._watchdog is not None:
            with contextlib.suppress(OSError):
                self._watchdog.status("stopping\nSTOPPING=1")


def _watchdog(channel: socket.socket, address: str) -> "WatchDog":
    from systemd_watchdog.systemd_watchdog import WatchDog  # loaded only under systemd

    return WatchDog(channel, address)
