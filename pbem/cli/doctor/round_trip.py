"""A message to ourselves: sent as any other, to a sub-address of the server's, and looked for where it must arrive.

It comes from our own address and says that a machine wrote it. For either reason alone the server files it without an
answer, so it is never taken for a player's, whether a server runs meanwhile or starts later.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import col, func, select

from pbem.cli.doctor.findings import Finding, note, ok, problem
from pbem.cli.doctor.mail_servers import PATIENCE, tokens
from pbem.config import ImapSettings, ServerSettings, Settings
from pbem.mail.transports import dkim_signing, imap_connection
from pbem.mail.transports.imap_connection import CONNECTION_ERRORS
from pbem.mail.transports.protocols import NotAccepted
from pbem.mail.transports.smtp import SmtpOutbox
from pbem.secret import BadConfig
from pbem.storage import database
from pbem.storage.models import Incoming
from pbem.storage.utc import now

LOOK_SECONDS = 1.0


def check(settings: Settings, seconds: float) -> Iterator[Finding]:
    server, smtp, dkim = settings.server, settings.outbox.smtp, settings.outbox.dkim
    if smtp is None:
        yield note("no message is sent: mail goes to a folder")
        return
    recipient = f"{server.local}{server.delimiter}doctor@{server.domain}"
    mark, engine = f"pbem-doctor.{secrets.token_hex(16)}", database.connect(server.database)
    newest, begun = _newest(engine), time.monotonic()
    try:
        raw = message(server, recipient, mark, now())
        with closing(SmtpOutbox(smtp, tokens(settings), PATIENCE)) as outbox, _mailbox(settings) as mailbox:
            outbox.send(server.address, recipient, dkim_signing.signer(dkim, server.domain)(raw) if dkim else raw)
            while not (
                (newest is not None and is_stored(engine, mark, newest))
                or _is_in_folder(settings, mark)
                or _is_in_mailbox(settings.inbox.imap, mailbox, mark)
            ):
                if time.monotonic() - begun >= seconds:
                    yield _missing(settings, recipient, seconds)
                    return
                time.sleep(min(LOOK_SECONDS, seconds))
        yield ok(f"a message to {recipient} arrived after {time.monotonic() - begun:.1f} seconds")
    except (NotAccepted, BadConfig) as error:
        yield problem(f"a message to {recipient} was not sent: {error}", "see what is said about outbox.smtp")
    finally:
        engine.dispose()


def message(server: ServerSettings, recipient: str, mark: str, now: datetime) -> bytes:
    made = EmailMessage(policy=SMTP)
    made["From"], made["To"] = server.address, recipient
    made["Subject"] = "pbem doctor: does this arrive?"
    made["Date"] = format_datetime(now)
    made["Message-ID"] = f"<{mark}@{server.domain}>"
    made["Auto-Submitted"] = "auto-generated"
    made.set_content("The server sent this to itself to see whether it arrives. Nobody needs to do anything.\n")
    return made.as_bytes()


def _missing(settings: Settings, recipient: str, seconds: float) -> Finding:
    inbox = settings.inbox
    needs_server = inbox.imap is None and inbox.maildir is None
    also = "start the server, which listens for it; " if needs_server else "look for it in the spam folder; "
    return problem(
        f"a message to {recipient} was sent, and hasn't arrived in {seconds:g} seconds",
        f"{also}see the log of the mail server that took it, and whether it delivers sub-addresses "
        f'("{settings.server.delimiter}" is delimiter in [server])',
    )


def _newest(engine: Engine) -> int | None:
    """Return the number of the newest message that was received; None if the database can't be used."""
    with suppress(DBAPIError, database.Unusable):
        database.require_current(engine)
        with database.read_only(engine) as session:
            return session.exec(select(func.max(Incoming.id))).one() or 0
    return None


def is_stored(engine: Engine, mark: str, after: int) -> bool:
    with suppress(DBAPIError), database.read_only(engine) as session:
        rows = session.exec(select(Incoming).where(col(Incoming.id) > after))
        return any(mark.encode() in row.raw for row in rows)
    return False


def _is_in_folder(settings: Settings, mark: str) -> bool:
    box = settings.inbox.maildir
    with suppress(OSError):  # a server that runs has just moved one
        return box is not None and any(mark.encode() in file.read_bytes() for file in (box.path / "new").glob("*"))
    return False


@contextmanager
def _mailbox(settings: Settings) -> Iterator[Any]:
    """Provide a connection to the mailbox; None if there is none, of which the check of the mailbox says why."""
    client = None
    with suppress(*CONNECTION_ERRORS, BadConfig):
        if settings.inbox.imap is not None:
            client = imap_connection.connect(settings.inbox.imap, tokens(settings), PATIENCE)
    try:
        yield client
    finally:
        if client is not None:
            imap_connection.disconnect(client)


def _is_in_mailbox(account: ImapSettings | None, client: Any, mark: str) -> bool:
    if account is None or client is None:
        return False
    with suppress(*CONNECTION_ERRORS):
        for folder in (account.folder, account.processed):
            name = imap_connection.full_name(client, folder)
            if client.folder_exists(name):
                client.select_folder(name, readonly=True)
                if client.search(["HEADER", "Message-ID", mark]):
                    return True
    return False
