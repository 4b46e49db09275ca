"""What systemd is told (Type=notify): that the server is ready, how it is, that its loops go on, that it stops.

Where nobody listens, nothing is told. Nothing here waits: a message that systemd doesn't take at once is left out.
"""

import os
import socket
from collections.abc import Mapping
from contextlib import suppress

LOOK_SECONDS = 5.0
"""How often to look after the loops where systemd doesn't ask for more."""


class Systemd:
    """The service manager that started this process, if it wants to be told: sd_notify(3) is one datagram."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "").replace("@", "\0", 1)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) if self._address else None
        self._status = ""
        asked = int(environment.get("WATCHDOG_USEC", "0")) / 3e6
        self.interval = min(asked or LOOK_SECONDS, LOOK_SECONDS)
        """How often to look after the loops, in seconds: at least three times in the time that systemd waits."""

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()

    def ready(self) -> None:
        self._tell("READY=1")

    def status(self, line: str) -> None:
        """Tell how the server is, as `systemctl status` shows it, if that has changed."""
        if line != self._status:
            self._status = line
            self._tell(f"STATUS={line}")

    def alive(self) -> None:
        """Tell that all loops go on. If nobody says so for WatchdogSec, systemd starts the server anew."""
        self._tell("WATCHDOG=1")

    def stopping(self) -> None:
        """Tell that the server stops."""
        self._tell("STATUS=stopping\nSTOPPING=1")

    def _tell(self, message: str) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.sendto(f"{message}\n".encode(), socket.MSG_DONTWAIT, self._address)
