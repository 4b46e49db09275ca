"""A message to ourselves: sent as any other, to a sub-address of the server's, and looked for where it must arrive.

It comes from our own address and says that a machine wrote it. For either reason alone the server files it without an
answer, so it is never taken for a player's, whether a server runs meanwhile or starts later.
"""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import col, func, select

from pbem.cli.doctor.findings import Finding, note, ok, problem
from pbem.config import ImapSettings, ServerSettings, Settings
from pbem.mail.oauth2.access import AccessTokens
from pbem.mail.transports import dkim_signing, imap_connection
from pbem.mail.transports.imap_connection import CONNECTION_ERRORS
from pbem.mail.transports.protocols import NotAccepted
from pbem.mail.transports.smtp import SmtpOutbox
from pbem.secret import BadConfig
from pbem.storage import database
from pbem.storage.models import Incoming

LOOK_SECONDS = 1.0
Look = Callable[[], bool]
"""Returns whether the message is there."""


def check(settings: Settings, seconds: float, now: Callable[[], datetime]) -> Iterator[Finding]:
    server, smtp = settings.server, settings.outbox.smtp
    if smtp is None:
        yield note("no message is sent: mail goes to a folder")
        return
    recipient = f"{server.local}{server.delimiter}doctor@{server.domain}"
    mark = f"pbem-doctor.{secrets.token_hex(16)}"
    with ExitStack() as opened:
        looks = list(_looks(settings, mark, opened))
        outbox = SmtpOutbox(smtp, _tokens(settings))
        begun = time.monotonic()
        try:
            dkim = settings.outbox.dkim
            raw = message(server, recipient, mark, now())
            outbox.send(server.address, recipient, dkim_signing.signer(dkim, server.domain)(raw) if dkim else raw)
        except (NotAccepted, BadConfig) as error:
            yield problem(f"a message to {recipient} was not sent: {error}", "see what is said about outbox.smtp")
            return
        finally:
            outbox.close()
        while not any(look() for look in looks):
            if time.monotonic() - begun >= seconds:
                yield _missing(settings, recipient, seconds)
                return
            time.sleep(min(LOOK_SECONDS, seconds))
        yield ok(f"a message to {recipient} arrived after {time.monotonic() - begun:.1f} seconds")


def message(server: ServerSettings, recipient: str, mark: str, now: datetime) -> bytes:
    made = EmailMessage(policy=SMTP)
    made["From"], made["To"] = server.address, recipient
    made["Subject"] = "pbem doctor: does this arrive?"
    made["Date"] = format_datetime(now)
    made["Message-ID"] = f"<{mark}@{server.domain}>"
    made["Auto-Submitted"] = "auto-generated"
    made.set_content("The server sent this to itself to see whether it arrives. Nobody needs to do anything.\n")
    return made.as_bytes()


def _tokens(settings: Settings) -> AccessTokens | None:
    return AccessTokens(settings.oauth2) if settings.oauth2 is not None else None


def _missing(settings: Settings, recipient: str, seconds: float) -> Finding:
    inbox = settings.inbox
    needs_server = inbox.imap is None and inbox.maildir is None
    also = "start the server, which listens for it; " if needs_server else "look for it in the spam folder; "
    return problem(
        f"a message to {recipient} was sent, and hasn't arrived in {seconds:g} seconds",
        f"{also}see the log of the mail server that took it, and whether it delivers sub-addresses "
        f'("{settings.server.delimiter}" is delimiter in [server])',
    )


def _looks(settings: Settings, mark: str, opened: ExitStack) -> Iterator[Look]:
    """Yield ways to look for the message: in the database of a server that runs, in the mailbox, in the folder."""
    if look := _in_database(settings.server, mark, opened):
        yield look
    if look := _in_mailbox(settings, mark, opened):
        yield look
    if settings.inbox.maildir is not None:
        folder = settings.inbox.maildir.path / "new"
        yield lambda: _in_folder(folder, mark)


def _in_database(server: ServerSettings, mark: str, opened: ExitStack) -> Look | None:
    try:
        engine = database.connect(server.database)
        opened.callback(engine.dispose)
        database.require_current(engine)
        newest = _newest(engine)
    except (database.Unusable, DBAPIError):
        return None
    return lambda: is_stored(engine, mark, newest)


def _newest(engine: Engine) -> int:
    with database.read_only(engine) as session:
        return session.exec(select(func.max(Incoming.id))).one() or 0


def is_stored(engine: Engine, mark: str, after: int) -> bool:
    with database.read_only(engine) as session:
        rows = session.exec(select(Incoming).where(col(Incoming.id) > after))
        return any(mark.encode() in row.raw for row in rows)


def _in_mailbox(settings: Settings, mark: str, opened: ExitStack) -> Look | None:
    imap = settings.inbox.imap
    if imap is None:
        return None
    try:
        client = imap_connection.connect(imap, _tokens(settings))
    except (*CONNECTION_ERRORS, BadConfig):
        return None
    opened.callback(imap_connection.disconnect, client)
    return lambda: _is_in_mailbox(client, imap, mark)


def _is_in_mailbox(client: Any, settings: ImapSettings, mark: str) -> bool:
    try:
        for folder in (settings.folder, settings.processed):
            name = imap_connection.full_name(client, folder)
            if client.folder_exists(name):
                client.select_folder(name, readonly=True)
                if client.search(["HEADER", "Message-ID", mark]):
                    return True
    except CONNECTION_ERRORS:
        return False
    return False


def _in_folder(folder: Path, mark: str) -> bool:
    try:
        return any(mark.encode() in path.read_bytes() for path in folder.iterdir() if path.is_file())
    except OSError:  # a server that runs has just moved one
        return False
