"""The parser's process: it ends where a message takes too much, which harms no other message."""

from collections.abc import Iterator

import pytest

from pbem.mail.reading.isolated_parser import IsolatedParser
from pbem.mail.reading.limits import Problem, ReadError
from tests.hostile import HEAD, MAILS

PLAIN = HEAD + b"\nhelp\n"
HUGE = MAILS["a part's headers without end"]()


@pytest.fixture
def reader() -> Iterator[IsolatedParser]:
    """Provide a parser with little memory, whose process reads messages with any number of lines."""
    reader = IsolatedParser(lambda: None, "tests.reading.loosely", megabytes=6)
    yield reader
    reader.close()


def test_a_message_that_takes_too_much_memory_harms_no_other(reader: IsolatedParser) -> None:
    message = reader.read(HUGE, None, ())
    assert (message.error, message.lines) == (ReadError(Problem.TOO_MUCH_MEMORY), ())
    assert message.sender == "alice@mail.example"
    assert reader.read(PLAIN, None, ()).lines == ("help",)
