"""Making a backup: a copy of the database, the configuration, the secrets and the certificates, in one file."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from sqlalchemy import Engine

from pbem import failpoints
from pbem.config import Settings, certificates, secrets
from pbem.config.veiled import lines, veils
from pbem.failpoints import Step
from pbem.server.backups import archive, copies, drafts
from pbem.server.backups.manifest import CERTIFICATES, CONFIG, DATABASES, SECRETS, TOKENS, DatabaseKind, Manifest
from pbem.storage.database import Progress


class Exists(Exception):
    """There is a file of that name already."""


@dataclass(frozen=True, slots=True)
class Made:
    file: Path
    size: int
    manifest: Manifest


def make(
    engine: Engine, settings: Settings, file: Path, now: datetime, progress: Progress, *, with_secrets: bool
) -> Made:
    """Make a backup in a new file, which only we can read.

    Raises Exists, NotCopied, OSError, BadConfig, database errors, and what `progress` raises; then nothing is left.
    """
    if file.exists():
        raise Exists(f"{file} exists, and nothing is overwritten; choose another name")
    with _named(file), ExitStack() as opened:
        folder = opened.enter_context(drafts.folder(file.parent))
        kind: DatabaseKind = "sqlite" if engine.dialect.name == "sqlite" else "postgresql"
        copy = folder / DATABASES[kind]
        copied = copies.take(engine, copy, progress)
        parts = {**_settings(settings, folder, with_secrets=with_secrets), copy.name: copy}
        about = Manifest(
            made=now,
            version=version("pbem"),
            address=settings.server.address,
            kind=kind,
            revision=copied.revision,
            schema=copied.schema,
            has_secrets=with_secrets,
            files=(),
        )
        draft = folder / "backup"
        manifest = archive.write(draft, about, parts, progress)
        draft.chmod(0o600)
        failpoints.reach(Step.SAVING)
        try:
            drafts.publish(draft, file)
        except FileExistsError as error:
            raise Exists(f"{file} exists by now, and nothing is overwritten") from error
        return Made(file, file.stat().st_size, manifest)


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """Have NotCopied tell which backup isn't made, and where: drafts have names of their own, and are gone by then."""
    try:
        yield
    except copies.NotCopied as error:
        raise copies.NotCopied(f"{file.absolute()} is not made: {error}") from error
    except OSError as error:
        if error.filename is not None and not Path(os.fsdecode(error.filename)).is_relative_to(file.parent):
            raise
        why = f"nothing can be written in {file.parent.absolute()}: {error.strerror or error}"
        raise copies.NotCopied(f"{file.absolute()} is not made: {why}") from error


def _settings(settings: Settings, folder: Path, *, with_secrets: bool) -> Mapping[str, Path]:
    """Write the configuration, and what it takes from other files, into the folder; return them by their names.

    Without secrets, the configuration is the one in force, in which secrets stand in files of their own; if it has some
    itself, it is left out. A secret that a command tells isn't ours to keep.
    """
    contents: dict[str, bytes] = {}
    if with_secrets and settings.source is not None:
        contents[CONFIG] = settings.source.read_bytes()
    elif not with_secrets and not veils(settings):
        contents[CONFIG] = _portable(lines(settings), settings.source).encode()
    if with_secrets:
        contents |= {
            f"{SECRETS}{path}": secret.read_all().encode()
            for path, secret in secrets(settings)
            if secret.command is None
        }
        if settings.oauth2 is not None and settings.oauth2.token_file.exists():
            contents[TOKENS] = settings.oauth2.token_file.read_bytes()
    contents |= {f"{CERTIFICATES}{path}": file.read_bytes() for path, file in certificates(settings)}
    parts: dict[str, Path] = {}
    for number, (name, content) in enumerate(contents.items()):
        parts[name] = folder / f"part{number}"
        parts[name].write_bytes(content)
    return parts


def _portable(written: Iterable[str], source: Path | None) -> str:
    """Return the lines of a configuration, with paths in its folder relative to that, as they may have been."""
    text = "\n".join(written)
    folder = source.parent if source is not None else Path.cwd()
    return text.replace(f'"{folder}/', '"').replace(f'"sqlite:///{folder}/', '"sqlite:///')
