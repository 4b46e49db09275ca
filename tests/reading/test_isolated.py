"""Mail is parsed apart: the process is killed when a message takes too much, without harm to any other."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlmodel import select

from pbem import isolated
from pbem.isolated import Unavailable
from pbem.mail.reading.isolated_parser import IsolatedParser
from pbem.mail.reading.limits import Problem, ReadError, Unreadable
from pbem.mail.reading.message import read
from pbem.mail.transports.protocols import Arrival
from pbem.server import daemon
from pbem.storage.database import transaction
from pbem.storage.models import Incoming
from tests.bounces import KINDS
from tests.correspondence import Correspondence, correspondence, parsed, text
from tests.hostile import HEAD, MAILS, filled
from tests.servers import GENEROUS, until

NOW = datetime(2026, 3, 2, tzinfo=UTC)
PLAIN = HEAD + b"\nhelp\n"
SLOW = HEAD + b"\n" + filled(b"\n")
"""The library that reads bounces takes seconds for it, where nothing limits the lines (see `loosely`)."""
HUGE = MAILS["a part's headers without end"]()
"""Python's parser takes much memory for it then."""
MEMORY = Problem.TOO_MUCH_MEMORY.value


@pytest.fixture
def reader(request: pytest.FixtureRequest) -> Iterator[IsolatedParser]:
    """A parser with the settings that the test is parametrised with, or the default ones."""
    modules, settings = getattr(request, "param", ((), {}))
    found = IsolatedParser(lambda: None, *modules, **settings)
    yield found
    found.close()


LOOSELY = "tests.reading.loosely"
"""A module with which the process reads messages with any number of lines."""


def allowed(*modules: str, **settings: float) -> pytest.MarkDecorator:
    """Set how many seconds or megabytes reading may take, and what else is imported in the process."""
    return pytest.mark.parametrize("reader", [(modules, settings)], indirect=True)


def number(reader: IsolatedParser) -> int:
    """Return the process ID of the parser; start it if it isn't running."""
    reader.read(PLAIN, None, ())
    assert reader._isolated._process is not None
    return reader._isolated._process._process.pid


def state(process: int) -> str:
    """Return the state of a process: R runs, S waits, T is stopped, Z is dead; "" if there is none."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def is_running(process: int) -> bool:
    """Return whether a process exists and isn't a zombie."""
    return state(process) not in ("", "Z")


@pytest.mark.slow
def test_the_process_reads_what_would_be_read_in_process(reader: IsolatedParser) -> None:
    for path in sorted((Path(__file__).parent.parent / "mails").glob("*.eml")):
        raw = path.read_bytes()
        assert reader.read(raw, "", ("Games@pbem.example",)) == read(raw, "", ("Games@pbem.example",))
    for make in KINDS.values():
        assert reader.is_final(make(parsed(PLAIN)))
    with pytest.raises(Unreadable, match="its header is too long"):
        reader.read(MAILS["a header without end"](), None, ())


@pytest.mark.slow
@allowed(LOOSELY, seconds=0.5)
def test_a_message_that_takes_too_long_is_abandoned_and_the_next_one_read(reader: IsolatedParser) -> None:
    first = number(reader)
    assert not reader.is_final(SLOW)
    assert not is_running(first)
    assert reader.read(PLAIN, None, ()).lines == ("help",)


KILLED, CRASHED = signal.SIGKILL, signal.SIGSEGV


@pytest.mark.slow
@allowed("tests.reading.dying")
@pytest.mark.parametrize(
    ("signals", "error"),
    [
        ((KILLED,), None),
        ((CRASHED,), None),
        ((CRASHED, CRASHED), ReadError(Problem.CRASHES_READER)),
    ],
)
def test_a_message_gets_a_second_try_when_the_process_ends(
    reader: IsolatedParser,
    tmp_path: Path,
    signals: tuple[signal.Signals, ...],
    error: ReadError | None,
) -> None:
    (tmp_path / "signals").write_text(" ".join(str(int(each)) for each in signals), encoding="ascii")

    message = reader.read(b"X-Ends: %s/signals\n" % str(tmp_path).encode() + PLAIN, None, ())

    assert (message.error, message.lines) == (error, () if error else ("help",))


@pytest.mark.slow
@allowed(seconds=3)
def test_a_frozen_process_is_replaced(reader: IsolatedParser, monkeypatch: pytest.MonkeyPatch) -> None:
    """It doesn't even read the message from the socket, which buffers part of it; the next one reads it."""
    first = number(reader)

    def be_patient() -> None:
        monkeypatch.setattr(isolated, "PATIENCE", 200)

    monkeypatch.setattr(reader._isolated, "_lost", be_patient)
    monkeypatch.setattr(isolated, "PATIENCE", 0.1)
    os.kill(first, signal.SIGSTOP)
    assert reader.read(MAILS["base64"](), None, ()).error is None
    assert not is_running(first)


@pytest.mark.slow
@allowed(seconds=0.3)
def test_a_message_is_not_given_up_because_the_machine_is_busy(
    reader: IsolatedParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit counts what the process computes, not the time in which others do."""
    monkeypatch.setattr(isolated, "PATIENCE", 1_000)
    first = number(reader)
    os.kill(first, signal.SIGSTOP)
    go_on = threading.Timer(0.4, os.kill, (first, signal.SIGCONT))
    go_on.start()
    assert reader.read(PLAIN, None, ()).lines == ("help",)
    assert number(reader) == first
    go_on.join()


@pytest.mark.slow
def test_the_process_ignores_sigterm_and_ctrl_c(reader: IsolatedParser) -> None:
    """Systemd sends SIGTERM to all processes of a unit, and the parser may be in the middle of a message."""
    first = number(reader)
    for one in (signal.SIGTERM, signal.SIGINT):
        os.kill(first, one)
    assert number(reader) == first
    assert os.getsid(first) == first


@pytest.mark.slow
def test_the_process_gets_no_secrets_from_the_environment(
    reader: IsolatedParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_SERVER__KEY__VALUE", "the key")
    environment = Path(f"/proc/{number(reader)}/environ").read_bytes()
    assert b"PYTHONPATH=" in environment
    assert b"PBEM" not in environment


@pytest.mark.slow
@allowed(LOOSELY, seconds=GENEROUS)
def test_closing_ends_the_process_even_during_a_message(reader: IsolatedParser) -> None:
    first = number(reader)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(reader.is_final, SLOW)
        until(
            lambda: reader._isolated._process is not None and reader._isolated._process.calls == 2,
            "the mail is in hand",
        )
        reader.close()
        with pytest.raises(Unavailable, match="the server is stopping"):
            asked.result()
    assert not is_running(first)


# Through the server


@pytest.fixture
def letters(tmp_path: Path, reader: IsolatedParser) -> Iterator[Correspondence]:
    """A server that reads messages in a process of their own."""
    with correspondence(tmp_path, parser=reader) as letters:
        yield letters


def test_a_match_is_played_with_a_parser_apart(letters: Correspondence) -> None:
    letters.match()
    letters.reply(letters.last("alice"), "1 a7b7 i3i2")
    letters.resign("bob")
    assert letters.execute("select state, winner from match") == [("over", 0)]


@pytest.mark.slow
@allowed(LOOSELY, megabytes=16)
def test_the_sender_of_a_message_that_takes_too_much_is_told_and_others_are_served(
    letters: Correspondence,
) -> None:
    letters.match()
    to = letters.last("alice")["Reply-To"].addresses[0].addr_spec.encode()
    (told,) = letters.deliver_unread(HUGE.replace(b"games@pbem.example", to))
    assert f"Your message wasn't read: {MEMORY}." in " ".join(text(told).split())
    assert letters.execute("select state, verdict, attempts from incoming order by id desc limit 1") == [
        ("done", f"unread: {MEMORY}", 1)
    ]
    assert len(letters.reply(letters.received["alice@mail.example"][-2], "1 a7b7 i3i2")) == 2


@pytest.mark.slow
def test_without_a_process_messages_wait_and_no_attempt_is_counted(
    letters: Correspondence, reader: IsolatedParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    letters.server.take((Arrival(b"From: ann@mail.example\nTo: games@pbem.example\n\nhelp\n", "test"),))
    for _ in range(5):
        with pytest.raises(Unavailable, match="No such file"):
            letters.server.handle_waiting()
    with transaction(letters.server.engine) as session:
        row = session.exec(select(Incoming)).one()
        assert (row.state, row.attempts) == ("new", 0)
    monkeypatch.undo()
    daemon.run_once(letters.server)
    assert letters.execute("select state, attempts from incoming") == [("done", 1)]


@pytest.mark.slow
def test_a_server_that_is_killed_leaves_no_process_behind() -> None:
    """Neither an idle one nor one in the middle of a message."""
    program = (
        "import sys\nfrom pbem.mail.reading.isolated_parser import IsolatedParser\n"
        "from tests.reading.test_isolated import LOOSELY, PLAIN, SLOW, number\n"
        "box = IsolatedParser(lambda: None, LOOSELY, seconds=900)\nprint(number(box), flush=True)\n"
        "sys.stdin.readline()\nbox.is_final(SLOW)\n"
    )
    for is_busy in (False, True):
        server = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert server.stdin is not None
        assert server.stdout is not None
        reads = int(server.stdout.readline())
        assert is_running(reads)
        if is_busy:
            server.stdin.write("\n")
            server.stdin.flush()
            until(lambda reads=reads: state(reads) == "R", "it reads the mail")
        server.kill()
        server.communicate()
        until(lambda reads=reads: not is_running(reads), "the process is gone")
