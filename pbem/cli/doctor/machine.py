"""Checks of this machine: secrets, rights of files, the site, templates, and the process that parses messages."""

import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from jinja2 import TemplateError

from pbem import config
from pbem.cli.doctor import surroundings
from pbem.cli.doctor.findings import Finding, note, ok, problem
from pbem.config import Settings
from pbem.isolated import Unavailable
from pbem.mail.reading.limits import Unreadable
from pbem.mail.reading.parsers import MEGABYTES, IsolatedParser
from pbem.messages import templating
from pbem.messages.said.templates import templates_folder
from pbem.secret import BadConfig, Secret

SAMPLE = b"From: doctor@pbem.example\nTo: games@pbem.example\nSubject: hello\n\nhelp\n"


def secrets(settings: Settings) -> Iterator[Finding]:
    read = 0
    for path, secret in config.secrets(settings):
        try:
            value = secret.read()
            read += 1
            if value != value.strip():
                yield note(f"{path}: the secret begins or ends with a space", "remove it, unless it belongs there")
        except BadConfig as error:
            yield problem(f"{path}: {error}", _advice(path, secret, error.__cause__))
    with suppress(BadConfig):
        settings.server.key.read()
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


def rights(path: Path, settings: Settings) -> Iterator[Finding]:
    """Look for secrets and mail that everyone on this machine can read."""
    found = list(surroundings.exposed(path, settings))
    for file in found:
        yield problem(f"everyone on this machine can read {file}", f"chmod o= {file}")
    if not found:
        yield ok("nobody else on this machine can read secrets or mail")


def site(folder: Path) -> Iterator[Finding]:
    """Look whether a web server, which is another user, can read the site in that folder."""
    try:
        is_there = (folder / "index.html").exists()
        is_a_site = is_there or not folder.exists() or not any(folder.iterdir())
        closed = _closed(folder) if is_there else None
    except OSError as error:
        yield problem(f"{folder} can't be read: {error.strerror}", "correct folder in [publish], or its rights")
        return
    if not is_a_site:
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


def templates() -> Iterator[Finding]:
    found = list(_broken_templates())
    for sentence in found:
        yield problem(sentence, "install pbem again, or undo the change")
    if not found:
        yield ok("all templates can be used")


def _broken_templates() -> Iterator[str]:
    folder = templates_folder()
    if not any(folder.glob("*.j2")):
        yield f"there are no templates in {folder}"
    environment = templating.templates(templating.HTML)
    for name in environment.list_templates(filter_func=lambda name: name.endswith(".j2")):
        try:
            environment.get_template(name)
        except TemplateError as error:
            yield f"the template {name} can't be used: {error}"
        except UnicodeDecodeError:
            yield f"the template {name} can't be used: it isn't text in UTF-8"


def parser(megabytes: int = MEGABYTES) -> Iterator[Finding]:
    box = IsolatedParser(megabytes=megabytes)
    begun = time.monotonic()
    try:
        message = box.read(SAMPLE, None, ())
    except (Unavailable, Unreadable) as error:
        yield problem(
            f"messages can't be read: {error}", "raise this machine's limits on processes, open files and memory"
        )
    else:
        took = time.monotonic() - begun
        if message.sender == "doctor@pbem.example" and message.lines == ("help",):
            yield ok(f"a parser process started and read a message in {took:.1f} seconds")
        else:
            yield problem("the parser process read something else than was written", "install pbem again")
    finally:
        box.close()
