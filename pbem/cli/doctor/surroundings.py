"""Files that everyone on this machine can read and shouldn't, and the program that the service should and can't."""

import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from sqlalchemy import make_url

from pbem.config import Settings, secrets
from pbem.server import backups

UNIT = Path("/etc/systemd/system/pbem.service")
HOMES = [Path("/home"), Path("/root"), Path("/run/user")]
"""What `ProtectHome` closes to the service."""


def exposed(settings: Settings) -> Iterator[Path]:
    found = [secret for _, secret in secrets(settings)]
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
        if file is not None and file.exists() and _is_open_to_all(file):
            yield file


def closed_to_service(unit: Path = UNIT) -> Iterator[Path]:
    """Yield the program of the installed service, or its interpreter, if it is in a home or a closed folder."""
    with suppress(OSError):
        found = re.search(r"^ExecStart=(\S+)", unit.read_text(encoding="utf-8"), re.MULTILINE)
        program = Path(found[1]) if found else unit
        first = program.read_bytes().partition(b"\n")[0].decode("utf-8", "replace")
        for file in (program, Path(first.removeprefix("#!").split(" ")[0] if first.startswith("#!") else program)):
            homes = [home for home in HOMES if home in file.resolve().parents]
            if homes or not all(folder.stat().st_mode & stat.S_IXOTH for folder in file.resolve().parents):
                yield file.resolve()


def _is_open_to_all(file: Path) -> bool:
    reads = stat.S_IXOTH if file.is_dir() else stat.S_IROTH
    passes = all(folder.stat().st_mode & stat.S_IXOTH for folder in file.resolve().parents)
    return bool(file.stat().st_mode & reads) and passes
