"""The parser: a process that takes mails apart for the server, and may be ended at any time.

    python -m pbem.reading.worker DESCRIPTOR MEGABYTES

It is asked over a socket, one mail at a time, knows neither settings nor secrets, and gets only so much memory
and time. It ends by itself where the server has gone: at the end of the socket, or by the alarm of the mail in hand.
"""

import math
import resource
import signal
import socket
import struct
import sys
import time
from pathlib import Path

from pbem.reading.protocol import REQUESTS, RESPONSES, Response, respond

HEAD = struct.Struct(">dII")
"""Before each question: how many seconds it may take, the length of the question, the length of the mail."""
LENGTH = struct.Struct(">I")
"""Before each answer."""
READY = b"ready"
GRACE_SECONDS = 2
"""So much later than the server would, the process ends itself."""
MOST_FILES = 32
MEGABYTE = 1 << 20
MEMORY = Path("/proc/self/statm")
OUT_OF_MEMORY = Response(unreadable="it takes too much memory to read", is_last=True)


def main(descriptor: int, megabytes: int) -> None:
    """Answer requests until there are no more."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # whoever stops the server sends them to us, too; a mail may be in hand
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    _limit(megabytes)
    with socket.socket(fileno=descriptor) as server:
        server.sendall(LENGTH.pack(len(READY)) + READY)
        while head := receive(server, HEAD.size):
            seconds, asked, size = HEAD.unpack(head)
            _allow(seconds)
            found = _respond(receive(server, asked), receive(server, size))
            reply = RESPONSES.dump_json(found)
            server.sendall(LENGTH.pack(len(reply)) + reply)
            signal.setitimer(signal.ITIMER_REAL, 0)
            if found.is_last:
                return


def receive(sender: socket.socket, size: int, until: float | None = None) -> bytes:
    """So many bytes, or none where the other side has gone; raises TimeoutError once the clock has come so far."""
    received = bytearray()
    while len(received) < size:
        if until is not None:
            sender.settimeout(max(0.001, until - time.monotonic()))
        piece = sender.recv(min(size - len(received), MEGABYTE))
        if not piece:
            return b""
        received += piece
    return bytes(received)


def _respond(request: bytes, raw: bytes) -> Response:
    try:
        return respond(REQUESTS.validate_json(request), raw)
    except MemoryError:
        return OUT_OF_MEMORY


def _limit(megabytes: int) -> None:
    """Take no more memory than so much beyond what is taken now, few files, and leave no image when ended."""
    if MEMORY.exists():  # where there is none, the system keeps no such limit either
        pages = int(MEMORY.read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + megabytes * MEGABYTE
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_FILES, MOST_FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _allow(seconds: float) -> None:
    """Be ended by the kernel when that time is over, whether it was spent computing or waiting."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = used.ru_utime + used.ru_stime
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(spent + seconds + GRACE_SECONDS), hard))
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE_SECONDS)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
