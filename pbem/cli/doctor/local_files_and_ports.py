"""Checks of this machine: secrets, rights of files, templates, parsing, our ports, and folders with mail."""

import errno
import re
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from operator import attrgetter
from pathlib import Path

from jinja2 import TemplateError
from sqlalchemy import make_url

from pbem import config
from pbem.cli.doctor.findings import Finding, finding, unwritable
from pbem.config import MaildirSettings, MetricsSettings, Settings
from pbem.config.mail import Listening
from pbem.isolated import Unavailable
from pbem.mail.reading.isolated_parser import IsolatedParser
from pbem.mail.reading.limits import Unreadable
from pbem.messages import templating
from pbem.secret_setting import BadConfig, Secret
from pbem.server import backups

SAMPLE = b"From: doctor@pbem.example\nTo: games@pbem.example\nSubject: hello\n\nhelp\n"
GREETING_SECONDS = 5.0
OURS = b" pbem"  # the end of a line in the greeting of our listeners, and in what our metrics answer
UNIT = Path("/etc/systemd/system/pbem.service")
HOMES = [Path("/home"), Path("/root"), Path("/run/user")]  # what `ProtectHome` closes to the service


def secrets(settings: Settings) -> Iterator[Finding]:
    read = 0
    for path, secret in config.secrets(settings):
        try:
            value = secret.read()
        except BadConfig as error:
            yield finding(_unread(path, secret, error.__cause__), path=path, why=error, name=path.rpartition(".")[2])
            continue
        read += 1
        if value != value.strip():
            yield finding("secrets.spaced", path=path)
        if path == "server.key":
            try:
                settings.server.keyring()
            except BadConfig as error:
                yield finding("secrets.short_key", why=error)
    if read:
        yield finding("secrets.fine", number=read)


def _unread(path: str, secret: Secret, why: BaseException | None) -> str:
    if secret.command is not None:
        return "secrets.command"
    if isinstance(why, IsADirectoryError):
        return "secrets.folder"
    if isinstance(why, PermissionError):
        return "secrets.closed"
    own = {"server.key": "secrets.no_server_key", "outbox.dkim.key": "secrets.no_dkim_key"}
    return own.get(path, "secrets.missing")


def rights(settings: Settings) -> Iterator[Finding]:
    """Look for secrets and mail that everyone on this machine can read, and for a program that its service can't."""
    found = [finding("rights.open", file=file) for file in exposed(settings)]
    yield from found or [finding("rights.fine")]
    yield from (finding("rights.closed_program", file=file) for file in closed_to_service())


def exposed(settings: Settings) -> Iterator[Path]:
    found = [secret for _, secret in config.secrets(settings)]
    holds_secrets = any(secret.value is not None for secret in found)
    url = make_url(settings.server.database)
    files = [settings.source] if holds_secrets or url.password else []
    files += [secret.file for secret in found]
    files += [settings.oauth2.token_file] if settings.oauth2 is not None else []
    if url.get_backend_name() == "sqlite" and url.database:
        files += [Path(f"{url.database}{ending}") for ending in ("", "-wal")]
    files += [box.path for box in (settings.inbox.maildir, settings.outbox.maildir) if box is not None]
    files += backups.kept(settings)
    for file in dict.fromkeys(files):
        if file is not None and file.exists():
            reads = stat.S_IXOTH if file.is_dir() else stat.S_IROTH
            if file.stat().st_mode & reads and all(map(_is_passed_by_all, file.resolve().parents)):
                yield file


def closed_to_service(unit: Path = UNIT) -> Iterator[Path]:
    """Yield the program of the installed service, or its interpreter, if it is in a home or a closed folder."""
    with suppress(OSError):
        found = re.search(r"^ExecStart=(\S+)", unit.read_text(encoding="utf-8"), re.MULTILINE)
        program = Path(found[1]) if found else unit
        first = program.read_bytes().partition(b"\n")[0].decode("utf-8", "replace")
        for file in (program, Path(first.removeprefix("#!").split(" ")[0] if first.startswith("#!") else program)):
            homes = [home for home in HOMES if home in file.resolve().parents]
            if homes or not all(map(_is_passed_by_all, file.resolve().parents)):
                yield file.resolve()


def _is_passed_by_all(folder: Path) -> bool:
    return bool(folder.stat().st_mode & stat.S_IXOTH)


def templates(_: Settings) -> Iterator[Finding]:
    environment, found = templating.templates(templating.HTML), []
    for name in environment.list_templates(extensions=["j2"]):
        try:
            environment.get_template(name)
        except (TemplateError, UnicodeDecodeError) as error:
            why = error if isinstance(error, TemplateError) else "it isn't text in UTF-8"
            found.append(finding("templates.broken", name=name, why=why))
    yield from found or [finding("templates.fine")]


def parser(_: Settings) -> Iterator[Finding]:
    box, begun = IsolatedParser(), time.monotonic()
    try:
        box.read(SAMPLE, None, ())
        yield finding("reading.fine", seconds=time.monotonic() - begun)
    except (Unavailable, Unreadable) as error:
        yield finding("reading.broken", why=error)
    finally:
        box.close()


def listener(table: str, settings: Settings) -> Iterator[Finding]:
    ours: Listening | None = attrgetter(table)(settings)
    if ours is None or ours.port is None:
        return
    place, family = f"{ours.host}, port {ours.port}", socket.AF_INET6 if ":" in ours.host else socket.AF_INET
    try:
        with socket.socket(family) as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind((ours.host, ours.port))
        yield finding("listener.free", place=place)
    except PermissionError:
        yield finding("listener.low", place=place, table=table)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            yield finding("listener.elsewhere", place=place, table=table, why=error.strerror)
        elif any(line.rstrip().endswith(OURS) for line in _greeting(ours).splitlines()):
            yield finding("listener.ours", place=place)
        else:
            yield finding("listener.taken", place=place, table=table)
    if ours.exposed_on:
        yield finding("listener.exposed", place=place)


def _greeting(ours: Listening) -> bytes:
    with suppress(OSError), socket.create_connection((ours.host, ours.port), GREETING_SECONDS) as there:
        if isinstance(ours, MetricsSettings):
            there.sendall(b"HEAD / HTTP/1.0\r\n\r\n")
        return there.recv(500)
    return b""


def maildir(table: str, settings: Settings) -> Iterator[Finding]:
    box: MaildirSettings | None = attrgetter(table)(settings)
    if box is not None:
        found = list(unwritable(box.path / "new", f"path in [{table}]"))
        yield from found or [finding("maildir.fine", folder=box.path)]
