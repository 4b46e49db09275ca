"""Checks of mail in and out: mailboxes, submission servers, our listeners, and folders."""

import errno
import imaplib
import re
import smtplib
import socket
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from imapclient.exceptions import CapabilityError, LoginError

from pbem.cli.doctor import ports
from pbem.cli.doctor.findings import Finding, note, ok, problem
from pbem.cli.doctor.ports import Door
from pbem.cli.setup.presets import PRESETS
from pbem.config import ImapSettings, ListenSettings, MetricsSettings, ServerSettings, SmtpSettings
from pbem.config.mail import is_loopback
from pbem.mail.oauth2.access import AccessTokens, LoginNeeded
from pbem.mail.transports import imap_connection, imap_idle
from pbem.mail.transports.imap_connection import CONNECTION_ERRORS
from pbem.mail.transports.protocols import NotAccepted
from pbem.mail.transports.smtp import SmtpOutbox
from pbem.secret import BadConfig, Secret

OURS = b" pbem"
"""The end of a line in the greeting of our listeners, and in what our metrics answer."""
PAGE = 4096
"""Bytes to write to a disk: an empty file can be made on a full one."""


def imap(settings: ImapSettings, tokens: AccessTokens | None = None) -> Iterator[Finding]:
    """Log in to the mailbox, and look at its folders and at what the server can do. Nothing is changed there."""
    door = Door("inbox.imap", settings, 993)
    if found := ports.trouble(door):
        yield found
        return
    try:
        client = imap_connection.connect(settings, tokens)
    except (*CONNECTION_ERRORS, BadConfig) as error:
        yield ports.explained(door, error) or _no_imap(door, error)
        return
    try:
        yield ok(f"{door.place}: logged in as {settings.username}{_secured(settings)}")
        if found := _in_clear(door):
            yield found
        if settings.security != "none" and (found := ports.ends_soon(door, client.socket())):
            yield found
        yield from _folders(client, settings)
        yield from _capabilities(client, settings)
    except CONNECTION_ERRORS as error:
        yield problem(f"{door.place}: {_veiled(error, settings.password)}", "look at that server's log")
    finally:
        imap_connection.disconnect(client)


def _no_imap(door: Door, error: BaseException) -> Finding:
    settings = door.account
    said = _veiled(error, settings.password)
    match error:
        case LoginNeeded():
            return problem(str(error), "run pbem login")
        case BadConfig() if settings.password is None:
            return problem(str(error), _oauth2_advice(error))
        case BadConfig():
            return problem(f"inbox.imap.password: {error}", "correct password in [inbox.imap]")
        case CapabilityError() if "STARTTLS" in str(error).upper():
            return problem(
                f"{door.place}, doesn't offer STARTTLS", 'write port = 993 and security = "tls" in [inbox.imap]'
            )
        case imaplib.IMAP4.error() if said.startswith("* BYE"):
            return problem(f"{door.place}, takes no connection now: {said}", "try later, or look at that server's log")
        case imaplib.IMAP4.abort():
            return problem(f"{door.place}: the connection ended: {said}", "look at that server's log")
        case LoginError() | imaplib.IMAP4.error():
            return problem(f"{door.place}, refuses the login of {settings.username}: {said}", _login_advice(door))
        case _:
            return problem(f"{door.place}: {said}", "look at that server's log")


def _oauth2_advice(error: BadConfig) -> str:
    return "run pbem login" if "pbem login" in str(error) else "correct [oauth2]"


def _login_advice(door: Door) -> str:
    """Return what to do about a refused login; large hosts take app passwords or tokens only."""
    if door.account.password is None:
        return "run pbem login as that account, and let the account use IMAP and SMTP there"
    for preset in PRESETS.values():
        if preset.tables.get(door.table, {}).get("host") == door.account.host and not is_loopback(door.account.host):
            return preset.todo[0]
    if door.account.security == "none":
        return f'write security = "starttls" in [{door.table}], or correct username and password'
    return f"correct username and password in [{door.table}]"


def _folders(client: Any, settings: ImapSettings) -> Iterator[Finding]:
    folder, processed = (imap_connection.full_name(client, name) for name in (settings.folder, settings.processed))
    if not client.folder_exists(folder):
        there_are = ", ".join(sorted(str(name) for *_, name in client.list_folders())[:10])
        yield problem(f"there is no folder {folder}", f"correct folder in [inbox.imap]; there are {there_are}")
    else:
        waiting = int(client.select_folder(folder, readonly=True)[b"EXISTS"])
        yield ok(f"the folder {folder} has {waiting} messages")
    if not client.folder_exists(processed):
        yield note(f"there is no folder {processed} yet", "the server creates it when it starts")


def _capabilities(client: Any, settings: ImapSettings) -> Iterator[Finding]:
    if not client.has_capability("IDLE"):
        yield note(f"no IDLE: the server looks for new mail every {imap_idle.POLL_SECONDS:g} seconds")
    if client.has_capability("MOVE"):
        return
    if client.has_capability("UIDPLUS"):
        yield note("no MOVE: messages are copied to the other folder, and then deleted")
    else:
        yield note(
            f"neither MOVE nor UIDPLUS: messages stay in {settings.folder}, marked with a keyword",
            "empty the folder of them now and then",
        )


def smtp(settings: SmtpSettings, server: ServerSettings, tokens: AccessTokens | None = None) -> Iterator[Finding]:
    """Log in where our mail is sent, and name our address as a sender, with a tag as each has. Nothing is sent."""
    door = Door("outbox.smtp", settings, 465)
    if found := ports.trouble(door):
        yield found
        return
    try:
        SmtpOutbox(settings, tokens).rehearse(f"{server.local}{server.delimiter}doctor@{server.domain}")
    except NotAccepted as error:
        cause = error.__cause__ or error
        yield ports.explained(door, cause) or _no_smtp(door, server, error, cause)
        return
    with suppress(OSError, smtplib.SMTPException):
        if settings.security != "none":
            with ports.secured(door) as connection:
                if found := ports.ends_soon(door, connection):
                    yield found
    as_whom = f": logged in as {settings.username}" if settings.username else ""
    yield ok(f"{door.place}, takes mail from {server.address}{as_whom}{_secured(settings)}")
    if settings.username and (found := _in_clear(door)):
        yield found


def _no_smtp(door: Door, server: ServerSettings, error: NotAccepted, cause: BaseException) -> Finding:
    account = door.account
    username = account.username
    said = _veiled(error, account.password).removeprefix(f"{account.host}:{account.port}: ")
    match cause:
        case LoginNeeded():
            return problem(str(cause), "run pbem login")
        case BadConfig() if account.password is None:
            return problem(str(cause), _oauth2_advice(cause))
        case BadConfig():
            return problem(f"outbox.smtp.password: {cause}", "correct password in [outbox.smtp]")
        case smtplib.SMTPAuthenticationError():
            return problem(f"{door.place}, refuses the login of {username}: {said}", _login_advice(door))
        case smtplib.SMTPNotSupportedError() if "STARTTLS" in str(cause):
            return problem(
                f"{door.place}, doesn't offer STARTTLS", 'write port = 465 and security = "tls" in [outbox.smtp]'
            )
        case smtplib.SMTPNotSupportedError() if "AUTH" in str(cause):
            return problem(
                f"{door.place}, offers no login{_secured(account)}",
                'write security = "starttls" or "tls" in [outbox.smtp]; or remove username and password',
            )
        case _ if re.search(r"(?:^|: )4\d\d ", said):
            return problem(f"{door.place}, takes no mail now: {said}", "try later, or look at that server's log")
        case _:
            return problem(
                f"{door.place}, doesn't take mail from {server.address}: {said}",
                "log in there, or let that server relay for this machine",
            )


def no_inbox() -> Iterator[Finding]:
    yield problem(
        "there is no [inbox.…] table, so the server receives no mail",
        "write [inbox.imap], [inbox.lmtp], [inbox.smtp] or [inbox.maildir]",
    )


def listener(table: str, settings: ListenSettings | MetricsSettings) -> Iterator[Finding]:
    """Look whether our listener's port is free, or ours."""
    place = f"{settings.host}, port {settings.port}"
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        with socket.socket(family) as ours:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            ours.bind((settings.host, settings.port))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            yield from _who_listens(table, settings, place)
        elif isinstance(error, PermissionError):
            yield problem(f"{place}: only root may listen there", f"write a port above 1023 in [{table}]")
        else:
            yield problem(f"{place}: {error.strerror}", f"write an address of this machine as exposed_on in [{table}]")
    else:
        yield ok(f"{place}, is free: the server isn't running")
    if settings.exposed_on:
        yield note(f"{place}: other machines can reach it, without TLS and login", "a firewall must protect it")


def _who_listens(table: str, settings: ListenSettings | MetricsSettings, place: str) -> Iterator[Finding]:
    greeting = b""
    with suppress(OSError), socket.create_connection((settings.host, settings.port), ports.GREETING_SECONDS) as there:
        if isinstance(settings, MetricsSettings):
            there.sendall(b"HEAD / HTTP/1.0\r\n\r\n")
        greeting = there.recv(500)
    if any(line.rstrip().endswith(OURS) for line in greeting.splitlines()):
        yield ok(f"{place}: the server is running and listens")
    else:
        yield problem(f"another program listens at {place}", f"stop it, or write another port in [{table}]")


def folder(table: str, path: Path) -> Iterator[Finding]:
    there = next(each for each in (path / "new", path, *path.parents) if each.exists())
    try:
        with tempfile.NamedTemporaryFile(dir=there, buffering=0) as file:
            file.write(bytes(PAGE))
    except OSError as error:
        advice = "make room" if error.errno == errno.ENOSPC else f"correct path in [{table}], or its rights"
        yield problem(f"no file can be made in {there}: {error.strerror}", advice)
    else:
        yield ok(f"the folder {path} {'can be written' if path.exists() else 'can be made'}")


def _secured(settings: ImapSettings | SmtpSettings) -> str:
    return {"tls": ", with TLS", "starttls": ", with STARTTLS", "none": ", without TLS"}[settings.security]


def _in_clear(door: Door) -> Finding | None:
    if door.account.security != "none" or is_loopback(door.account.host):
        return None
    return problem(f"the password goes to {door.account.host} without TLS", f'write security = "tls" in [{door.table}]')


def _veiled(error: BaseException, password: Secret | None) -> str:
    """Return an error as one line, without the password, should the server repeat it."""
    said = re.sub(r"\bb(['\"])(.*)\1", r"\2", " ".join(str(error).split()))  # imaplib tells bytes as Python writes them
    try:
        secret = password.read() if password is not None else ""
    except BadConfig:
        secret = ""
    return said.replace(secret, "***") if secret else said
