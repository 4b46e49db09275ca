"""Collections of real and invented messages: each is read or skipped, and no machine gets an answer."""

import importlib.util
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.mail.reading.limits import Unreadable
from pbem.mail.reading.message import Message, read
from pbem.mail.transports.protocols import Arrival
from pbem.storage.database import transaction
from pbem.storage.models import Player
from tests.corpora import CORPORA
from tests.correspondence import ADDRESS, Correspondence, correspondence
from tests.fuzz.targets import check_sender, read_failure, read_mail

CREATED = datetime(2026, 1, 1, tzinfo=UTC)
MACHINE = re.compile(
    rb"^(?:auto-submitted: *auto|precedence: *(?:bulk|junk|list)|list-[a-z]+:|return-path: *<> *$|x-autoreply:"
    rb"|content-type: *multipart/report|from:.*(?:mailer-daemon|postmaster|no-?reply)@)",
    re.MULTILINE | re.IGNORECASE,
)
"""What in a header says that a machine wrote the mail: told apart from how the server tells it."""


def torture() -> Iterator[Path]:
    """Return the messages that Python tests its own parser with, if its tests are installed."""
    spec = importlib.util.find_spec("test")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        yield from sorted((Path(folder) / "test_email" / "data").glob("msg_*.txt"))


def collected() -> Iterator[Path]:
    """Return the third-party messages beside the project."""
    if CORPORA.is_dir():
        yield from sorted(path for path in CORPORA.rglob("*") if path.suffix in (".eml", ".txt"))


SOURCES = {"Python's own tests": torture, "the collections beside the project": collected}


def mails(source: str) -> list[bytes]:
    """Return all messages of a collection; skip the test if there are none."""
    found = [path.read_bytes() for path in SOURCES[source]()]
    if not found:
        pytest.skip(f"{source} are not installed here")
    return found


@pytest.mark.parametrize("source", SOURCES)
def test_every_message_is_read_or_unreadable(source: str) -> None:
    for raw in mails(source):
        for target in (read_mail, read_failure, check_sender):
            target(raw)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_if_all_senders_were_players_every_person_and_no_machine_would_be_answered(source: str, tmp_path: Path) -> None:
    raws = mails(source)
    with correspondence(tmp_path, more="[limits]\nanswers_per_hour = 1000") as letters:
        known = {
            letter.sender for raw in raws if (letter := read_or_none(raw)) is not None and letter.sender is not None
        }
        for number, address in enumerate(sorted(known)):
            with transaction(letters.server.engine) as session:
                session.add(Player(name=f"p{number}", address=address, confirmed=CREATED, created=CREATED))
        take(letters, raws)

        assert letters.execute("select count(*) from incoming where state not in ('done', 'held')") == [(0,)]
        assert check_answered(letters), "some are persons' mails"


def check_answered(letters: Correspondence) -> int:
    """Assert that those who were answered are no machines, and got one answer each. Return how many."""
    answered = letters.execute(
        "select raw, address from outgoing join rawmessage on outgoing.incoming = rawmessage.incoming"
    )
    for raw, address in answered:
        assert isinstance(raw, bytes)
        assert MACHINE.search(raw.partition(b"\n\n")[0].replace(b"\r", b"")) is None, raw[:2_000]
        message = read_or_none(raw)
        assert message is not None
        assert message.sender == address
    assert len(answered) == len({raw for raw, _ in answered}), "no mail has two answers"
    return len(answered)


def read_or_none(raw: bytes) -> Message | None:
    try:
        return read(raw, None, ())
    except Unreadable:
        return None


def take(letters: Correspondence, raws: list[bytes]) -> None:
    """Let the server take all messages, and work until nothing waits."""
    letters.server.take(tuple(Arrival(raw, "test", recipients=(ADDRESS,)) for raw in raws))
    while letters.server.handle_waiting():
        pass
