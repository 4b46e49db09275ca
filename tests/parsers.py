"""Parser processes for forked daemons, forked too: the same code as `pbem.mail.reading.worker`, without its imports.

A daemon has threads and open sockets, which no fork should inherit. So a process is forked before the daemon begins,
the nursery, and forks a parser whenever the daemon asks for one.
"""

import os
import select
import signal
import socket
import struct
from collections.abc import Callable
from contextlib import suppress

from pbem.mail.reading import worker

NUMBER = struct.Struct("i")


class Parser:
    """A parser process, with the interface of a subprocess."""

    def __init__(self, asking: socket.socket, descriptor: int, megabytes: int) -> None:
        self._news, theirs = os.pipe()
        socket.send_fds(asking, [NUMBER.pack(megabytes)], [descriptor, theirs])
        os.close(theirs)
        self._pid = self._told()
        self._code: int | None = None

    def kill(self) -> None:
        """Send it SIGKILL, unless it has ended."""
        has_ended = self._code is not None or select.select([self._news], [], [], 0)[0]
        if not has_ended:
            with suppress(ProcessLookupError):  # it has ended since
                os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait until it ends and return its exit code, negative if a signal ended it."""
        if self._code is None:
            self._code = self._told()
            os.close(self._news)
        return self._code

    def _told(self) -> int:
        number: int = NUMBER.unpack(os.read(self._news, NUMBER.size))[0]
        return number


def start_nursery() -> Callable[[int, int], Parser]:
    """Fork the nursery. Return what starts a parser process that has a socket, given its descriptor."""
    asking, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        asking.close()
        _serve(asked)
    asked.close()
    return lambda descriptor, megabytes: Parser(asking, descriptor, megabytes)


def _serve(asked: socket.socket) -> None:
    """Fork parsers until the daemon has ended. Never returns."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes that wait for parsers
    while True:
        request, (*descriptors,), _, _ = socket.recv_fds(asked, NUMBER.size, 2)
        if not request:
            os._exit(0)
        descriptor, news = descriptors
        if os.fork() == 0:
            asked.close()
            _attend(descriptor, news, NUMBER.unpack(request)[0])
        for each in descriptors:
            os.close(each)


def _attend(descriptor: int, news: int, megabytes: int) -> None:
    """Fork a parser, tell its number, and then its exit code. Never returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        _parse(descriptor, megabytes)
    os.close(descriptor)
    os.write(news, NUMBER.pack(pid))
    os.write(news, NUMBER.pack(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])))
    os._exit(0)


def _parse(descriptor: int, megabytes: int) -> None:
    """Parse messages as `python -m pbem.mail.reading.worker` does. Never returns."""
    code = 1
    try:
        os.environ.clear()
        os.closerange(3, descriptor)
        os.closerange(descriptor + 1, 1024)
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        os.close(nothing)
        worker.main(descriptor, megabytes)
        code = 0
    finally:
        os._exit(code)
