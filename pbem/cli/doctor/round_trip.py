"""A message to ourselves, or to somebody who answers it, looked for among what a running server received.

The one to ourselves comes from our own address and says that a machine wrote it. For either reason alone the server
files it without an answer, so it is never taken for a player's.
"""

import re
import secrets
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import col, func, select

from pbem.cli.doctor.findings import Finding, finding
from pbem.cli.doctor.mail_servers import PATIENCE
from pbem.config import ServerSettings, Settings
from pbem.mail.transports import dkim_signing
from pbem.mail.transports.protocols import NotAccepted
from pbem.mail.transports.smtp import SmtpOutbox
from pbem.secret_setting import BadConfig
from pbem.server.configured_transports import tokens
from pbem.storage import database
from pbem.storage.models import Incoming
from pbem.storage.utc import now

LOOK_SECONDS = 1.0
TO_OURSELVES = "The server sent this to itself to see whether it arrives. Nobody needs to do anything.\n"
TO_OTHERS = "Please answer this message: whoever runs this server looks at how mail between us arrives.\n"
_RESULTS = re.compile(r"^[> \t]*Authentication-Results:\s*(.{1,500})", re.MULTILINE | re.IGNORECASE)


def check(settings: Settings, seconds: float, mail_to: str = "") -> Iterator[Finding]:
    """Send a message to ourselves or to that address, and wait for it or for its answer."""
    server, smtp, dkim = settings.server, settings.outbox.smtp, settings.outbox.dkim
    if smtp is None:
        yield finding("round_trip.folder")
        return
    recipient = mail_to or f"{server.local}{server.delimiter}doctor@{server.domain}"
    mark = f"pbem-doctor.{secrets.token_hex(16)}"
    try:
        with database.opened(server.database) as engine:
            database.require_current(engine)
            with database.read_only(engine) as session:
                newest = session.exec(select(func.max(Incoming.id))).one() or 0
            raw, begun = message(server, recipient, mark, now()), time.monotonic()
            with closing(SmtpOutbox(smtp, tokens(settings), PATIENCE)) as outbox:
                outbox.send(server.address, recipient, dkim_signing.signer(dkim, server.domain)(raw) if dkim else raw)
            while not (arrived := stored(engine, mark, newest)):
                if time.monotonic() - begun >= seconds:
                    row = "round_trip.unanswered" if mail_to else "round_trip.missing"
                    yield finding(row, recipient=recipient, seconds=seconds, delimiter=server.delimiter)
                    return
                time.sleep(min(LOOK_SECONDS, seconds))
        if not mail_to:
            yield finding("round_trip.fine", recipient=recipient, seconds=time.monotonic() - begun)
            return
        for result in results(arrived):
            yield finding("round_trip.answered", recipient=recipient, said=result)
        if not results(arrived):
            yield finding("round_trip.unchecked", recipient=recipient)
    except (NotAccepted, BadConfig) as error:
        yield finding("round_trip.not_sent", recipient=recipient, why=error)
    except (database.Unusable, DBAPIError):
        yield finding("round_trip.nowhere")


def message(server: ServerSettings, recipient: str, mark: str, now: datetime) -> bytes:
    made = EmailMessage(policy=SMTP)
    made["From"], made["To"] = server.address, recipient
    made["Subject"] = "pbem doctor: does this arrive?"
    made["Date"] = format_datetime(now)
    made["Message-ID"] = f"<{mark}@{server.domain}>"
    is_ours = recipient.endswith(f"@{server.domain}")
    if is_ours:
        made["Auto-Submitted"] = "auto-generated"
    made.set_content(TO_OURSELVES if is_ours else TO_OTHERS)
    return made.as_bytes()


def results(raw: bytes) -> list[str]:
    """Return all Authentication-Results in a message: those of our own border first, then those that it quotes."""
    text = re.sub(r"\r?\n[ \t]+", " ", raw.decode("utf-8", "replace"))
    return [" ".join(result.split()) for result in _RESULTS.findall(text)]


def stored(engine: Engine, mark: str, after: int) -> bytes | None:
    with database.read_only(engine) as session:
        rows = session.exec(select(Incoming).where(col(Incoming.id) > after))
        return next((row.raw for row in rows if mark.encode() in row.raw), None)
