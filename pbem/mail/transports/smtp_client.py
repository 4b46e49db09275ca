"""smtplib's client with bounded replies: smtplib waits for the end of a reply for ever, and keeps all of it."""

import smtplib
import socket
import time
from collections.abc import Callable

LONGEST_REPLY = 65_536
"""The most bytes of one reply that are read; real ones have a few hundred."""
PIECE = 4_096


class BoundedReplies:
    """A server's replies as a file, each with a bound on its bytes and on the time until its end."""

    def __init__(self, server: socket.socket, clock: Callable[[], float] = time.monotonic) -> None:
        self._server = server
        self._clock = clock
        self._received = bytearray()
        self.begin()

    def begin(self) -> None:
        """Begin with the next reply, which may take as long as the socket's timeout."""
        self._left = LONGEST_REPLY
        self._seconds = self._server.gettimeout()
        self._until = self._clock() + (self._seconds or 0)

    def readline(self, size: int) -> bytes:
        """Return the next line, or its beginning if it is longer than that; raises OSError."""
        while (end := self._received.find(b"\n") + 1) == 0 and len(self._received) < size:
            piece = self._receive()
            if not piece:
                return b""
            self._received += piece
        line = bytes(self._received[: min(end or size, size)])
        del self._received[: len(line)]
        self._left -= len(line)
        if self._left < 0:
            raise OSError(f"the reply is longer than {LONGEST_REPLY // 1024} KB")
        return line

    def _receive(self) -> bytes:
        if self._seconds is None:
            return self._server.recv(PIECE)
        left = self._until - self._clock()
        if left <= 0:
            raise TimeoutError("the reply doesn't end")
        self._server.settimeout(left)
        try:
            return self._server.recv(PIECE)
        finally:
            self._server.settimeout(self._seconds)

    def close(self) -> None:
        """Forget what was received; the socket is closed by its owner."""
        self._received.clear()


class SmtpClient(smtplib.SMTP):
    def getreply(self) -> tuple[int, bytes]:
        """Return the next reply; raises SMTPServerDisconnected if it is too long or too slow."""
        if self.sock is not None:
            self.file = _bounded(self.file, self.sock)
        return super().getreply()


class SmtpTlsClient(SmtpClient, smtplib.SMTP_SSL):
    """The same for a connection that is encrypted from the beginning."""


def log_in_with(client: smtplib.SMTP, username: str, token: str) -> None:
    """Log in with an access token; raises SMTPException, and SMTPAuthenticationError if the server rejects it."""
    offered = client.esmtp_features.get("auth", "").upper().split()
    if "XOAUTH2" in offered:
        mechanism, said, resigned = "XOAUTH2", f"user={username}\1auth=Bearer {token}\1\1", ""
    elif "OAUTHBEARER" in offered:
        name = username.replace("=", "=3D").replace(",", "=2C")
        mechanism, said, resigned = "OAUTHBEARER", f"n,a={name},\1auth=Bearer {token}\1\1", "\1"
    else:
        raise smtplib.SMTPNotSupportedError("the server supports neither AUTH XOAUTH2 nor AUTH OAUTHBEARER")

    def answer(challenge: bytes | None = None) -> str:
        """Return what logs in, and to a challenge, which tells why it doesn't, what lets the server refuse."""
        return said if challenge is None else resigned

    client.auth(mechanism, answer)


def _bounded(replies: BoundedReplies | None, server: socket.socket) -> BoundedReplies:
    """Return the replies of the connection, ready for the next one; smtplib forgets them when it changes to TLS."""
    if replies is None:
        return BoundedReplies(server)
    replies.begin()
    return replies
