"""Checks of the server's surroundings: file permissions, templates, and the DKIM key in the DNS."""

import base64
import binascii
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import make_url

from pbem.config import DkimSettings, Settings, secrets
from pbem.messages.said.templates import templates_folder
from pbem.messages.templating import HTML, templates
from pbem.server.backups import rotation

DNS_SECONDS = 5.0


def faults(path: Path, settings: Settings) -> Iterator[str]:
    """Yield a sentence for each problem; `path` is the configuration file."""
    for file in exposed(path, settings):
        yield f'everyone on this machine can read {file}; fix it with "chmod o= {file}"'
    yield from broken_templates()
    if settings.outbox.dkim is not None:
        yield from dkim_faults(settings.outbox.dkim, settings.server.domain)


def notes(settings: Settings) -> Iterator[str]:
    """Yield what the operator should know, but may have intended."""
    for kind in ("lmtp", "smtp"):
        listener = getattr(settings.inbox, kind)
        if listener is not None:
            where = "reachable from other machines" if listener.exposed_on else "this machine only"
            yield f"{kind} listens on {listener.host}, port {listener.port}: {where}"


def exposed(path: Path, settings: Settings) -> Iterator[Path]:
    """Yield the files with secrets or mail that everyone on this machine can read."""
    found = [secret for _, secret in secrets(settings)]
    holds_secrets = any(secret.value is not None for secret in found)
    url = make_url(settings.server.database)
    files = [path] if holds_secrets or url.password else []
    files += [secret.file for secret in found if secret.file is not None]
    files += [settings.oauth2.token_file] if settings.oauth2 is not None else []
    if url.get_backend_name() == "sqlite" and url.database:
        files += [Path(f"{url.database}{ending}") for ending in ("", "-wal")]
    files += [box.path for box in (settings.inbox.maildir, settings.outbox.maildir) if box is not None]
    backups = settings.backup.folder
    if backups is not None and os.access(backups, os.R_OK | os.X_OK):
        files += [kept.file for kept in rotation.kept(backups, settings.server.address)]
    for file in dict.fromkeys(files):
        if file.exists() and _is_open_to_all(file):
            yield file


def _is_open_to_all(file: Path) -> bool:
    """Return whether others can read the file and enter every folder above it."""
    reads = stat.S_IXOTH if file.is_dir() else stat.S_IROTH
    passes = all(folder.stat().st_mode & stat.S_IXOTH for folder in file.resolve().parents)
    return bool(file.stat().st_mode & reads) and passes


def closed(site: Path) -> Path | None:
    """Return the first folder on the way to a site, or in it, that lets in its owner only; None if none does."""
    ways = (*reversed(site.resolve().parents), site, *site.glob("*/"), *site.glob("matches/*/"))
    return next((folder for folder in ways if not folder.stat().st_mode & (stat.S_IXGRP | stat.S_IXOTH)), None)


def broken_templates() -> Iterator[str]:
    """Yield a sentence for each template that can't be used."""
    from jinja2 import TemplateError  # a server looks only at files

    folder = templates_folder()
    if not any(folder.glob("*.j2")):
        yield f"there are no templates in {folder}"
    environment = templates(HTML)
    for name in environment.list_templates(filter_func=lambda name: name.endswith(".j2")):
        try:
            environment.get_template(name)
        except TemplateError as error:
            yield f"the template {name} can't be used: {error}"
        except UnicodeDecodeError:
            yield f"the template {name} can't be used: it isn't text in UTF-8"


def dkim_faults(settings: DkimSettings, own_domain: str) -> Iterator[str]:
    """Yield a sentence if the DKIM key in the DNS is missing or wrong."""
    from dkim.crypto import UnparsableKeyError, parse_pem_private_key, parse_public_key  # the extra is installed by now

    name = f"{settings.selector}._domainkey.{own_domain}"
    told = _dns_text(f"{name}.")
    if not told:
        yield f"the DNS has no key at {name}, or can't be reached: nobody can verify our signatures"
        return
    tags = dict(tag.strip().split("=", 1) for tag in told.split(";") if "=" in tag)
    try:
        published = parse_public_key(base64.b64decode(tags.get("p", "")))
    except (UnparsableKeyError, binascii.Error, ValueError):
        yield f"the DNS record at {name} is not an RSA key"
        return
    ours = parse_pem_private_key(settings.key.read_all().encode())
    if (published["modulus"], published["publicExponent"]) != (ours["modulus"], ours["publicExponent"]):
        yield f"the DNS key at {name} is not the one we sign with: all our signatures are invalid"


def _dns_text(name: str) -> str | None:
    """Return the TXT record of a name; None if there is none, or no answer in time."""
    import dns.exception  # part of the optional extra
    import dns.resolver

    try:
        answer = dns.resolver.resolve(name, "TXT", lifetime=DNS_SECONDS, search=False)
    except dns.exception.DNSException:
        return None
    return next((b"".join(record.strings).decode("latin-1") for record in answer), None)
