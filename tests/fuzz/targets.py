"""The targets of the fuzzers: each takes any bytes, and raises an exception if a promise is broken.

Only documented exceptions are caught here; any other one is a failure.
"""

import atexit
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from engines.core import BadOption, IllegalMove, Seat
from notation import record
from notation.core import BadNotation
from notation.games import GAMES
from notation.record import BadRecord
from pbem.config import ChecksSettings
from pbem.conversation import handle_message
from pbem.conversation.command import Request
from pbem.conversation.syntax.mail import MOST_COMMANDS, Reader
from pbem.errors import Refused, Silence, Unanswerable
from pbem.features.all import FEATURES
from pbem.mail.reading import authentication, bounce_report
from pbem.mail.reading.authentication import DomainCheck
from pbem.mail.reading.limits import LARGEST_HEADER_BLOCK, Unreadable
from pbem.mail.reading.message import is_address, read
from pbem.mail.reading.text import html_text, reply_text
from pbem.mail.reading.text.kept_and_cut_lines import MOST_LINES
from pbem.matches import condition_parsing
from pbem.matches.condition_parsing import Conditions
from pbem.players import sender_identity
from pbem.server.intake import key
from pbem.storage.database import transaction
from pbem.storage.models import Incoming
from tests.correspondence import Correspondence, correspondence
from tests.scenes import two_turns

NOW = datetime(2026, 3, 2, tzinfo=UTC)
CHECKS = ChecksSettings(authserv_id="mx.example", headers=3, proof="token or domain")
SQUEEZED = 100
"""A longer turn without blanks may become too long once it is formatted with them; no legal turn does."""
UNPROVEN = ("alice@mail.example", "zoe@far.example", "admin@pbem.example")
"""A player, a stranger, and the admin, in whose names anybody can write."""
AUTOMATIC = b"Auto-Submitted: auto-replied\n"


def read_mail(raw: bytes) -> None:
    """A message is read within bounds, or unreadable, and what was read can be stored and written."""
    key(raw, ())
    try:
        message = read(raw, None, ("games@pbem.example",))
    except Unreadable:
        return
    assert len(message.lines) <= 2 * MOST_LINES + 1
    assert sum(map(len, message.lines)) <= 4 * len(raw) + 1_000
    said = (message.subject, *message.lines, *message.recipients, *message.answers, message.message_id or "")
    for text in said:
        text.encode()
        assert not set(text) & set("\0\r\n\x1b"), text
    assert message.sender is None or is_address(message.sender)


def tell_machines(raw: bytes) -> None:
    """An automatic message is recognised with any content, so it can't get a reply."""
    if len(raw) > LARGEST_HEADER_BLOCK // 2:
        return
    try:
        message = read(AUTOMATIC + raw, None, ())
    except Unreadable:
        return
    assert message.automatic is not None


def read_html(raw: bytes) -> None:
    """A page can be read as text."""
    html_text.text(raw.decode("utf-8", "replace"))


def read_words(raw: bytes) -> None:
    """What a person wrote is found, and is never longer than the message."""
    text = raw.decode("utf-8", "replace")
    found = reply_text.read(text, author="alice@mail.example").lines
    assert sum(map(len, found)) <= 2 * len(text)


def read_failure(raw: bytes) -> None:
    """A message reports a permanent failure, or doesn't."""
    assert bounce_report.is_final(raw) in (True, False)


def check_sender(raw: bytes) -> None:
    """The checks return a result."""
    assert isinstance(authentication.check(raw, "games@pbem.example", CHECKS, NOW), DomainCheck)
    authentication.results(raw.decode("utf-8", "surrogateescape").split("\n"), "mx.example", 3)


def read_commands(raw: bytes) -> None:
    """Lines are commands and prose."""
    subject, *lines = raw.decode("utf-8", "replace").split("\n")
    for about, game in ((1, "quadraphages"), (None, None), (1, "quadrature")):
        pack = GAMES[game] if game else None
        reader = Reader(FEATURES.commands, lambda number, pack=pack: pack, about, "alice")  # type: ignore[misc]
        reading = reader.read(subject, lines)
        assert len(reading.commands) <= MOST_COMMANDS  # a line can name several matches: "show 42 43"


def read_notation(raw: bytes) -> None:
    """Every game reads the text as a turn or refuses it; a turn is played or refused."""
    text = raw.decode("utf-8", "replace")
    for game, pack in GAMES.items():
        notation = pack.notation
        try:
            move = notation.parse(text)
        except BadNotation:
            continue
        start = GAMES[game].game.position({})
        told = notation.format(move, start)
        assert len(text) > SQUEEZED or notation.parse(told) == move
        try:
            start.play(move)
        except IllegalMove as error:
            str(error)


def read_record(raw: bytes) -> None:
    """A record is replayed, strictly and tolerantly, or refused."""
    text = raw.decode("utf-8", "replace")
    for game in (None, *GAMES):
        try:
            loaded = record.loads(text, game)
        except (BadRecord, BadOption):
            continue
        for replay in (record.replay, record.replay_tolerantly):
            try:
                replay(loaded)
            except (BadRecord, BadOption) as error:
                str(error)


def read_conditions(raw: bytes) -> None:
    """Conditional moves stay within their bounds and are read again as they were kept, or they are refused."""
    text = raw.decode("utf-8", "replace")
    for game in ("quadrature", "quadraphages"):
        notation, start = GAMES[game].notation, GAMES[game].game.position({})
        author: Seat = 1 if start.turn == 0 else 0
        try:
            found = condition_parsing.read(notation, start, author, text, Conditions())
        except Refused as error:
            str(error)
            continue
        assert len(found.lines) <= condition_parsing.MOST_LINES
        assert sum(map(len, found.lines)) <= condition_parsing.MOST_TURNS
        assert condition_parsing.read(notation, start, author, "", found).lines == found.lines


@cache
def stage() -> Correspondence:
    """Return a server with a match of alice and bob, on which nothing happens any more."""
    stack = ExitStack()
    atexit.register(stack.close)
    folder = stack.enter_context(TemporaryDirectory())
    place = {"database": f"sqlite:///{folder}/pbem.sqlite", "server": f'admin = "{UNPROVEN[2]}"'}
    letters = stack.enter_context(correspondence(Path(folder), **place))
    letters.play(two_turns)
    return letters


def try_unproven(raw: bytes) -> None:
    """What a message would do that proves nothing meets no bug: it is done, tried and asked about, or refused."""
    server, now = stage().server, stage().clock()
    services = server.services
    subject, *lines = raw.decode("utf-8", "replace").split("\n")
    for author in UNPROVEN:
        message = read(f"From: {author}\nTo: games@pbem.example\nMessage-ID: <1@x>\n\n".encode(), None, ())
        message = replace(message, subject=subject[:200], lines=tuple(lines[:MOST_LINES]))
        with transaction(server.engine) as session:
            row = Incoming(key="fuzz", size=len(raw), source="fuzz", recipients=[], received=now)
            session.add(row)
            session.flush()
            sender = sender_identity.identify(session, message, services.server, services.keyring, now)
            request = Request(
                *(session, services.server, services.keyring, now, row, message, sender),
                FEATURES,
                limits=services.limits,
                house=services.house,
                stored_bytes=len(raw),
            )
            silence = None
            try:
                handle_message.converse(request)
            except Unanswerable as error:
                silence = error.silence
            assert silence is not Silence.BUG
            session.rollback()


TARGETS: dict[str, Callable[[bytes], None]] = {
    "mail": read_mail,
    "machine": tell_machines,
    "html": read_html,
    "words": read_words,
    "failure": read_failure,
    "sender": check_sender,
    "command": read_commands,
    "notation": read_notation,
    "record": read_record,
    "conditions": read_conditions,
    "unproven": try_unproven,
}
