"""The data of messages while they arrive: bounded for each message, and for all that arrive at once."""

from enum import Enum

END = b"\r\n.\r\n"
LINE_END = b"\r\n"


class DataProblem(Enum):
    TOO_LARGE = "larger than a message may be"
    LINE_TOO_LONG = "a line longer than a line may be"
    NO_ROOM = "too much mail is arriving at once"


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

    Once there is a problem, nothing is kept, and the rest is read to its end.
    """

    def __init__(self, most: int, longest_line: int, in_flight: BytesInFlight) -> None:
        self.problem: DataProblem | None = None
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
        self.problem = self.problem or self._problem()
        if self.problem is not None:
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

    def _problem(self) -> DataProblem | None:
        size = len(self._kept) - len(LINE_END)
        if self._has_long_line():
            return DataProblem.LINE_TOO_LONG
        if size > self._most:
            return DataProblem.TOO_LARGE
        if not self._in_flight.hold(size - self._held):
            return DataProblem.NO_ROOM
        self._held = size
        return None

    def _has_long_line(self) -> bool:
        """Return whether a line is too long, looking at a few line ends only however many there are."""
        while len(self._kept) - self._line > self._longest_line:
            end = self._kept.rfind(LINE_END, self._line, self._line + self._longest_line + len(LINE_END))
            if end < 0:
                return True
            self._line = end + len(LINE_END)
        return False
