"""Checks of this machine: secrets, rights of files, templates, parsing, the site, our ports, and folders with mail."""

import errno
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from operator import attrgetter
from pathlib import Path

from jinja2 import TemplateError

from pbem import config
from pbem.cli.doctor import surroundings
from pbem.cli.doctor.findings import Finding, note, ok, problem, unwritable
from pbem.config import ListenSettings, MetricsSettings, Settings
from pbem.isolated import Unavailable
from pbem.mail.reading.limits import Unreadable
from pbem.mail.reading.parsers import IsolatedParser
from pbem.messages import templating
from pbem.secret import BadConfig, Secret

SAMPLE = b"From: doctor@pbem.example\nTo: games@pbem.example\nSubject: hello\n\nhelp\n"
GREETING_SECONDS = 5.0
OURS = b" pbem"
"""The end of a line in the greeting of our listeners, and in what our metrics answer."""


def secrets(settings: Settings) -> Iterator[Finding]:
    read = 0
    for path, secret in config.secrets(settings):
        try:
            value = secret.read()
        except BadConfig as error:
            yield problem(f"{path}: {error}", _advice(path, secret, error.__cause__))
            continue
        read += 1
        if value != value.strip():
            yield note(f"{path}: the secret begins or ends with a space", "remove it, unless it belongs there")
        if path == "server.key":
            try:
                settings.server.keyring()
            except BadConfig as error:
                yield problem(str(error), "until then the server doesn't start")
    if read:
        yield ok(f"{read} {'secret' if read == 1 else 'secrets'} can be read")


def _advice(path: str, secret: Secret, why: BaseException | None) -> str:
    if secret.command is not None:
        return f"run the command as the user that runs pbem; or correct {path}"
    if isinstance(why, IsADirectoryError):
        return f"name a file in {path}"
    if isinstance(why, PermissionError):
        return "let the user that runs pbem read it, and enter the folders above; or run pbem as that user"
    if path == "server.key":
        return "restore it from a backup; for a new server, run pbem init, which makes it"
    if path == "outbox.dkim.key":
        return "write the key there as in deploy/dkim.md, or correct [outbox.dkim]"
    return f"write the {path.rpartition('.')[2]} there, or correct {path}"


def rights(settings: Settings) -> Iterator[Finding]:
    """Look for secrets and mail that everyone on this machine can read."""
    found = list(surroundings.exposed(settings))
    for file in found:
        yield problem(f"everyone on this machine can read {file}", f"chmod o= {file}")
    if not found:
        yield ok("nobody else on this machine can read secrets or mail")


def templates(_: Settings) -> Iterator[Finding]:
    environment, is_fine = templating.templates(templating.HTML), True
    for name in environment.list_templates(extensions=["j2"]):
        try:
            environment.get_template(name)
        except (TemplateError, UnicodeDecodeError) as error:
            is_fine = False
            why = "it isn't text in UTF-8" if isinstance(error, UnicodeDecodeError) else error
            yield problem(f"the template {name} can't be used: {why}", "install pbem again, or undo the change")
    if is_fine:
        yield ok("all templates can be used")


def parser(_: Settings) -> Iterator[Finding]:
    box, begun = IsolatedParser(), time.monotonic()
    try:
        box.read(SAMPLE, None, ())
        yield ok(f"a parser process started and read a message in {time.monotonic() - begun:.1f} seconds")
    except (Unavailable, Unreadable) as error:
        advice = "raise this machine's limits on processes, open files and memory"
        yield problem(f"messages can't be read: {error}", advice)
    finally:
        box.close()


def site(settings: Settings) -> Iterator[Finding]:
    """Look whether a web server, which is another user, can read the site."""
    folder = settings.publish.folder
    if folder is None:
        return
    try:
        is_there = (folder / "index.html").exists()
        is_another = not is_there and folder.exists() and any(folder.iterdir())
        closed = _closed(folder) if is_there else None
    except OSError as error:
        yield problem(f"{folder} can't be read: {error.strerror}", "correct folder in [publish], or its rights")
        return
    if is_another:
        yield problem(f"{folder} isn't empty, and nothing was published there", "write another folder in [publish]")
    elif closed is not None:
        yield problem(
            f"{closed} lets in its owner only, so a web server can't read the site in {folder}",
            f"write a folder elsewhere in [publish], such as /var/www/pbem; or chmod o+rx {closed}",
        )
    elif is_there:
        yield ok(f"a web server can read the site in {folder}")
    else:
        yield note(
            f"there is no site in {folder} yet",
            'a running server publishes it within ten minutes, or its log says "publishing failed"',
        )


def _closed(site: Path) -> Path | None:
    """Return the first folder on the way to a site, or in it, that lets in its owner only; None if none does."""
    ways = (*reversed(site.resolve().parents), site, *site.glob("*/"), *site.glob("matches/*/"))
    return next((folder for folder in ways if not folder.stat().st_mode & (stat.S_IXGRP | stat.S_IXOTH)), None)


def any_inbox(settings: Settings) -> Iterator[Finding]:
    if not any(vars(settings.inbox).values()):
        yield problem(
            "there is no [inbox.…] table, so the server receives no mail",
            "write [inbox.imap], [inbox.lmtp], [inbox.smtp] or [inbox.maildir]",
        )


def listener(table: str, settings: Settings) -> Iterator[Finding]:
    """Look whether our listener's port is free, or ours."""
    ours: ListenSettings | MetricsSettings | None = attrgetter(table)(settings)
    if ours is None or ours.port is None:
        return
    place, family = f"{ours.host}, port {ours.port}", socket.AF_INET6 if ":" in ours.host else socket.AF_INET
    try:
        with socket.socket(family) as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind((ours.host, ours.port))
        yield ok(f"{place}, is free: the server isn't running")
    except PermissionError:
        yield problem(f"{place}: only root may listen there", f"write a port above 1023 in [{table}]")
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            yield problem(f"{place}: {error.strerror}", f"write an address of this machine as exposed_on in [{table}]")
        elif any(line.rstrip().endswith(OURS) for line in _greeting(ours).splitlines()):
            yield ok(f"{place}: the server is running and listens")
        else:
            yield problem(f"another program listens at {place}", f"stop it, or write another port in [{table}]")
    if ours.exposed_on:
        yield note(f"{place}: other machines can reach it, without TLS and login", "a firewall must protect it")


def _greeting(ours: ListenSettings | MetricsSettings) -> bytes:
    with suppress(OSError), socket.create_connection((ours.host, ours.port), GREETING_SECONDS) as there:
        if isinstance(ours, MetricsSettings):
            there.sendall(b"HEAD / HTTP/1.0\r\n\r\n")
        return there.recv(500)
    return b""


def maildir(table: str, settings: Settings) -> Iterator[Finding]:
    box = attrgetter(table)(settings)
    if box is None:
        return
    found = list(unwritable(box.path / "new", f"path in [{table}]"))
    yield from found or [ok(f"the folder {box.path} {'can be written' if box.path.exists() else 'can be made'}")]
