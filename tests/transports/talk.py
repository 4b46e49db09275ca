"""LMTP and SMTP by hand."""

import select
import socket
from typing import Self

from tests.servers import GENEROUS, HOST


class Talk:
    """A conversation by hand, which shows every line of every reply."""

    def __init__(self, port: int, address: str = HOST) -> None:
        self._socket = socket.create_connection((HOST, port), timeout=GENEROUS, source_address=(address, 0))
        self._file = self._socket.makefile("rb")

    def hear(self) -> str:
        """Return one reply of one or more lines; "" if the server has hung up."""
        lines = [self._file.readline().decode()]
        while lines[-1][3:4] == "-":
            lines.append(self._file.readline().decode())
        return "".join(lines).strip()

    def say(self, line: str | bytes) -> str:
        self.tell(line)
        return self.hear()

    def tell(self, line: str | bytes) -> None:
        self._socket.sendall((line.encode() if isinstance(line, str) else line) + b"\r\n")

    def has_heard(self) -> bool:
        """Return whether a reply waits to be read."""
        return bool(select.select([self._socket], [], [], 0)[0])

    def half_close(self) -> None:
        self._socket.shutdown(socket.SHUT_WR)

    def begin(self, *recipients: str, hello: str = "LHLO", sender: str = "ann@example.org") -> list[str]:
        """Send everything up to the data; return the replies to each RCPT and to DATA."""
        assert self.hear().startswith("220")
        assert self.say(f"{hello} tester").startswith("250")
        return self.mail(*recipients, sender=sender)

    def mail(self, *recipients: str, sender: str = "ann@example.org") -> list[str]:
        """Begin a message; return the replies to each RCPT and to DATA."""
        assert self.say(f"MAIL FROM:<{sender}>").startswith("250")
        return [self.say(f"RCPT TO:<{to}>") for to in recipients] + [self.say("DATA")]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._socket.close()
