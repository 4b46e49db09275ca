"""Premises: whether what surrounds the server is as it should be: who can read files, templates, DKIM in the DNS."""

import base64
import binascii
import stat
from collections.abc import Iterator
from pathlib import Path

from jinja2 import TemplateError
from pydantic import BaseModel
from sqlalchemy import make_url

from pbem.config import DkimSettings, Secret, Settings
from pbem.reading.dkim_verify import ask_dns
from pbem.rendering.templating import templates, templates_folder

DNS_SECONDS = 5.0


def faults(path: Path, settings: Settings) -> Iterator[str]:
    """What is wrong around the server, a sentence each; `path` is the configuration's."""
    for file in exposed(path, settings):
        yield f'{file} can be read by everybody on this machine; "chmod o= {file}" ends that'
    yield from _broken_templates()
    if settings.outbox.dkim is not None:
        yield from _unpublished(settings.outbox.dkim, settings.server.domain)


def notes(settings: Settings) -> Iterator[str]:
    """What the operator should know, and may want so."""
    for kind in ("lmtp", "smtp"):
        listener = getattr(settings.inbox, kind)
        if listener is not None:
            where = "other machines can reach it" if listener.is_exposed else "for this machine"
            yield f"{kind} listens on {listener.host}, port {listener.port}: {where}"


def exposed(path: Path, settings: Settings) -> Iterator[Path]:
    """The files with secrets, or with people's mail, that everybody on this machine can read."""
    secrets = list(_secrets(settings))
    holds_secrets = any(secret.value is not None for secret in secrets)
    url = make_url(settings.server.database)
    files = [path] if holds_secrets or url.password else []
    files += [secret.file for secret in secrets if secret.file is not None]
    if url.get_backend_name() == "sqlite" and url.database:
        files += [Path(f"{url.database}{ending}") for ending in ("", "-wal")]
    files += [box.path for box in (settings.inbox.maildir, settings.outbox.maildir) if box is not None]
    for file in dict.fromkeys(files):
        if file.exists() and _is_open_to_all(file):
            yield file


def _is_open_to_all(file: Path) -> bool:
    """Whether others may read it, and may pass through every folder above it."""
    reads = stat.S_IXOTH if file.is_dir() else stat.S_IROTH
    passes = all(folder.stat().st_mode & stat.S_IXOTH for folder in file.resolve().parents)
    return bool(file.stat().st_mode & reads) and passes


def _secrets(model: BaseModel) -> Iterator[Secret]:
    """Every secret of the settings."""
    for name in type(model).model_fields:
        value = getattr(model, name)
        if isinstance(value, Secret):
            yield value
        elif isinstance(value, BaseModel):
            yield from _secrets(value)


def _broken_templates() -> Iterator[str]:
    folder = templates_folder()
    if not any(folder.glob("*.txt.j2")):
        yield f"there are no templates in {folder}"
    environment = templates()
    for name in environment.list_templates(filter_func=lambda name: name.endswith(".j2")):
        try:
            environment.get_template(name)
        except TemplateError as error:
            yield f"the template {name} can't be used: {error}"


def _unpublished(settings: DkimSettings, own_domain: str) -> Iterator[str]:
    """What is wrong with the key that the DNS tells for our signature."""
    from dkim.crypto import UnparsableKeyError, parse_pem_private_key, parse_public_key  # the extra is there by now

    name = f"{settings.selector}._domainkey.{settings.domain or own_domain}"
    told = ask_dns(f"{name}.".encode(), DNS_SECONDS)
    if not told:
        yield f"the DNS tells no key at {name}, or can't be asked: nobody can verify our signatures"
        return
    tags = dict(tag.strip().split("=", 1) for tag in told.decode("latin-1").split(";") if "=" in tag)
    try:
        published = parse_public_key(base64.b64decode(tags.get("p", "")))
    except (UnparsableKeyError, binascii.Error, ValueError):
        yield f"what the DNS tells at {name} is no RSA key"
        return
    ours = parse_pem_private_key(settings.key.read_all().encode())
    if (published["modulus"], published["publicExponent"]) != (ours["modulus"], ours["publicExponent"]):
        yield f"the DNS tells another key at {name} than the one we sign with: every signature of ours fails"
