"""The data of messages while they arrive: bounded for each message, and for all that arrive at once."""

END = b"\r\n.\r\n"
LINE_END = b"\r\n"
NO_ROOM = "452 4.3.1 Too much mail is arriving at once, please try again later"


def too_large(most: int) -> str:
    return f"552 5.3.4 This server takes mails up to {most // 1024} KB; please send plain text, without files"


class BytesInFlight:
    """The bytes of all messages that are being received or stored, up to a maximum."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.held = 0

    def hold(self, size: int) -> bool:
        if self.held + size > self._most:
            return False
        self.held += size
        return True

    def release(self, size: int) -> None:
        self.held -= size


class MessageData:
    r"""What a client sends after DATA, taken piece by piece, at a cost that is linear in its bytes.

    >>> data = MessageData(most=1000, longest_line=100, in_flight=BytesInFlight(1000))
    >>> data.take(b"Subject: x\r\n\r\n..dot\r\n."), data.take(b"\r\nQUIT\r\n")
    (None, b'QUIT\r\n')
    >>> data.content()
    b'Subject: x\r\n\r\n.dot\r\n'

    Once there is a `refusal`, which is the reply to the client, nothing is kept, and the rest is read to its end.
    """

    def __init__(self, most: int, longest_line: int, in_flight: BytesInFlight) -> None:
        self.refusal = ""
        self._most = most
        self._longest_line = longest_line
        self._in_flight = in_flight
        self._held = 0
        self._kept = bytearray(LINE_END)  # of the command: the data may end in its first line
        self._line = len(LINE_END)
        """Where the last line begins that was found short enough."""

    def take(self, piece: bytes) -> bytes | None:
        """Take the next piece. Return what came after the end of the data, or None if the end hasn't come yet."""
        searched = max(0, len(self._kept) - len(END) + 1)
        self._kept += piece
        end = self._kept.find(END, searched)
        rest = None
        if end >= 0:
            rest = bytes(self._kept[end + len(END) :])
            del self._kept[end + len(LINE_END) :]
        self.refusal = self.refusal or self._new_refusal()
        if self.refusal:
            self.release()
            del self._kept[: 1 - len(END)]  # but for what may be the beginning of the end
        return rest

    def content(self) -> bytes:
        if b"\r\n." in self._kept:
            self._kept = self._kept.replace(b"\r\n.", LINE_END)
        with memoryview(self._kept) as whole:
            content = bytes(whole[len(LINE_END) :])
        self._kept.clear()
        return content

    def release(self) -> None:
        self._in_flight.release(self._held)
        self._held = 0

    def _new_refusal(self) -> str:
        size = len(self._kept) - len(LINE_END)
        if self._has_long_line():
            return f"500 5.6.0 A line of this mail is longer than {self._longest_line // 1024} KB"
        if size > self._most:
            return too_large(self._most)
        if not self._in_flight.hold(size - self._held):
            return NO_ROOM
        self._held = size
        return ""

    def _has_long_line(self) -> bool:
        """Return whether a line is too long, looking at a few line ends only however many there are."""
        while len(self._kept) - self._line > self._longest_line:
            end = self._kept.rfind(LINE_END, self._line, self._line + self._longest_line + len(LINE_END))
            if end < 0:
                return True
            self._line = end + len(LINE_END)
        return False
