"""The parser's process: a message that takes too much, or ends it, harms no other message."""

import os
import signal
from collections.abc import Iterator

import pytest

from pbem.mail.reading import sandbox
from pbem.mail.reading.limits import Problem, ReadError
from pbem.mail.reading.sandbox import Sandbox
from tests.hostile import HEAD, MAILS

PLAIN = HEAD + b"\nhelp\n"
HUGE = MAILS["a part's headers without end"]()


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """Provide a sandbox with little memory, whose process reads messages with any number of lines."""
    monkeypatch.setattr(sandbox, "WORKER", "tests.reading.loose_worker")
    reader = Sandbox(megabytes=16)
    yield reader
    reader.close()


def test_what_takes_too_much_memory_or_ends_the_process_harms_no_other_message(reader: Sandbox) -> None:
    message = reader.read(HUGE, None, ())
    assert (message.error, message.lines) == (ReadError(Problem.TOO_MUCH_MEMORY), ())
    assert message.sender == "alice@mail.example"
    assert reader.read(PLAIN, None, ()).lines == ("help",)

    assert reader._process is not None
    os.kill(reader._process._process.pid, signal.SIGKILL)
    assert reader.read(PLAIN, None, ()).lines == ("help",)
