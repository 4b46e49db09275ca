"""The parser process: parses messages for the server, and can be killed at any time.

    python -m pbem.mail.reading.worker DESCRIPTOR MEGABYTES

It gets requests over a socket, one message at a time, has neither settings nor secrets, and limited memory and time. It
ends by itself when the server is gone: at the end of the socket, or when the current message's alarm goes off.
"""

import math
import resource
import signal
import socket
import struct
import sys
import time
from importlib import import_module

from pbem.mail import sandboxing
from pbem.mail.reading.limits import Problem, ReadError
from pbem.mail.reading.protocol import REQUESTS, RESPONSES, Response, respond

HEAD = struct.Struct(">ddII")
"""Precedes each request: the seconds it may compute, those it may take in all, the lengths of request and message."""
LENGTH = struct.Struct(">I")
"""Precedes each response."""
READY = b"ready"
GRACE_SECONDS = 2
"""How much later than the server's deadline the process ends itself, and the kernel than the process's own timer."""
PREPARED = ("selectolax.lexbor", "flufl.bounce")
"""What is imported before memory is limited; the daemon, which has the same modules, doesn't need these."""
OUT_OF_MEMORY = Response(error=ReadError(Problem.TOO_MUCH_MEMORY), is_last=True)


def main(descriptor: int, megabytes: int) -> None:
    """Respond to requests until there are no more."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # sent to us too when the server is stopped, maybe during a message
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for module in PREPARED:
        import_module(module)
    sandboxing.limit_resources(megabytes)
    with socket.socket(fileno=descriptor) as server:
        server.sendall(LENGTH.pack(len(READY)) + READY)
        while head := receive(server, HEAD.size):
            cpu_seconds, seconds, request_size, raw_size = HEAD.unpack(head)
            _set_deadline(cpu_seconds, seconds)
            response = _respond(receive(server, request_size), receive(server, raw_size))
            encoded = RESPONSES.dump_json(response)
            server.sendall(LENGTH.pack(len(encoded)) + encoded)
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.setitimer(signal.ITIMER_PROF, 0)
            if response.is_last:
                return


def receive(sender: socket.socket, size: int, until: float | None = None) -> bytes:
    """Return exactly `size` bytes, or b"" if the other side is gone; raises TimeoutError at the time `until`."""
    received = bytearray()
    while len(received) < size:
        if until is not None:
            sender.settimeout(max(0.001, until - time.monotonic()))
        piece = sender.recv(min(size - len(received), sandboxing.MEGABYTE))
        if not piece:
            return b""
        received += piece
    return bytes(received)


def _respond(request: bytes, raw: bytes) -> Response:
    try:
        return respond(REQUESTS.validate_json(request), raw)
    except MemoryError:
        return OUT_OF_MEMORY


def _set_deadline(cpu_seconds: float, seconds: float) -> None:
    """Have the kernel end this process after so much computing (SIGPROF), or after that time (SIGALRM).

    The resource limit counts whole seconds since the process began; it is there in case a library changes the timer.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = used.ru_utime + used.ru_stime
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(spent + cpu_seconds + GRACE_SECONDS), hard))
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE_SECONDS)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
