"""Parsers: what can be asked about the bytes of an email, answered apart, where hostile bytes do no harm.

A message that takes too much time or memory is unreadable, and no other suffers. If the process ends for another
reason, the message is tried once more: the kernel or an operator may have killed it for something that has nothing to
do with the message.
"""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar, TypeVarTuple

from pbem.isolated import Isolated, Lost, Why
from pbem.mail.reading import authentication, bounce_report
from pbem.mail.reading.authentication import Authenticity, DomainCheck
from pbem.mail.reading.limits import Problem, ReadError, Unreadable, header_block
from pbem.mail.reading.message import Message, read, read_headers
from pbem.mail.reading.text.quotes_of_us import NOBODY, Ours
from pbem.proof_settings import ChecksSettings

Answer = TypeVar("Answer")
Arguments = TypeVarTuple("Arguments")

SECONDS, MEGABYTES = 5.0, 128
"""How long a process may compute for one message, and how much memory it may use beyond what it starts with.

A hostile message can take thirty times its size. Two processes fit into what the unit in deploy/ allows (MemoryMax)."""
MODULES = (__name__, "selectolax.lexbor", "flufl.bounce")
"""Imported before memory is limited; the daemon doesn't need the last two."""
AGAIN = (Why.ENDED, Why.NO_ANSWER)  # reasons that may have nothing to do with the message, the first time
PROBLEMS = {
    Why.TOO_SLOW: Problem.TOO_SLOW,
    Why.NO_ANSWER: Problem.TOO_SLOW,
    Why.TOO_MUCH_MEMORY: Problem.TOO_MUCH_MEMORY,
    Why.ENDED: Problem.CRASHES_READER,
}


class MailParser:
    """Parses messages in this process: for tests, and for trusted messages."""

    def prepare(self) -> None:
        """Start what parsing needs, so that what follows is about a message and nothing else."""

    def read(self, raw: bytes, sender: str | None, recipients: tuple[str, ...], ours: Ours = NOBODY) -> Message:
        """Return the message, without its lines if they take too much; raises Unreadable."""
        try:
            message = self._call(_read, raw, sender, recipients, ours)
        except Lost as lost:
            error = ReadError(PROBLEMS[lost.why])
            try:
                message = self._call(_read_headers, header_block(raw), sender, recipients, error)
            except Lost as again:
                raise Unreadable(PROBLEMS[again.why]) from again
        if isinstance(message, ReadError):
            raise Unreadable(message.problem, message.detail)
        return message

    def is_final(self, raw: bytes) -> bool:
        """Return whether the message reports that an address can never be reached."""
        try:
            return self._call(bounce_report.is_final, raw)
        except Lost:
            return False

    def check(self, raw: bytes, ours: str, settings: ChecksSettings, now: datetime) -> DomainCheck:
        """Return what speaks for or against the domain in From; a message that takes too much to check has failed."""
        try:
            return self._call(authentication.check, raw, ours, settings, now)
        except Lost:
            return DomainCheck(Authenticity.FAILED)

    def close(self) -> None:
        """Release all resources. Never raises."""

    def _call(self, function: Callable[[*Arguments], Answer], *arguments: *Arguments) -> Answer:
        return function(*arguments)


class IsolatedParser(MailParser):
    """Parses messages apart, one at a time; all but `close` raise isolated.Unavailable if that isn't possible now."""

    def __init__(
        self,
        lost: Callable[[], object] = lambda: None,
        *modules: str,
        seconds: float = SECONDS,
        megabytes: int = MEGABYTES,
    ) -> None:
        """`lost` is called whenever a process is lost over a message; the modules are imported in it, too."""
        self._seconds = seconds
        self._isolated = Isolated(*MODULES, *modules, megabytes=megabytes, lost=lost)

    def prepare(self) -> None:
        self._isolated.prepare()

    def close(self) -> None:
        self._isolated.close()

    def _call(self, function: Callable[[*Arguments], Answer], *arguments: *Arguments) -> Answer:
        try:
            return self._isolated.call(function, *arguments, seconds=self._seconds)
        except Lost as lost:
            if lost.why not in AGAIN:
                raise
        return self._isolated.call(function, *arguments, seconds=self._seconds)


def _read(raw: bytes, sender: str | None, recipients: tuple[str, ...], ours: Ours) -> Message | ReadError:
    try:
        return read(raw, sender, recipients, ours)
    except Unreadable as unreadable:
        return unreadable.error


def _read_headers(
    block: bytes, sender: str | None, recipients: tuple[str, ...], error: ReadError
) -> Message | ReadError:
    try:
        return read_headers(block, sender, recipients, error)
    except Unreadable as unreadable:
        return unreadable.error
