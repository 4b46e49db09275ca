"""A backup as a file: a compressed tar with the manifest first, in which each file has a checksum."""

import gzip
import hashlib
import io
import lzma
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO

from pbem.server.backups.manifest import CONFIG, File, Manifest, NotABackup, from_json
from pbem.storage.database import Progress

MANIFEST = "manifest.json"
LONGEST_MANIFEST = 1 << 20
LONGEST_CONFIG = 10 << 20
PIECE = 1 << 20
COMPRESSION = 6
_DAMAGE = (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, UnicodeError)


def write(archive: Path, manifest: Manifest, parts: Mapping[str, Path], progress: Progress) -> Manifest:
    total = sum(path.stat().st_size for path in parts.values())
    done = 0

    def read(size: int) -> None:
        nonlocal done
        done += size
        progress("writing the backup", done // 2, total)  # each file is read twice

    whole = replace(manifest, files=tuple(_described(name, path, read) for name, path in parts.items()))
    with tarfile.open(archive, "x:gz", compresslevel=COMPRESSION, format=tarfile.PAX_FORMAT) as tar:
        content = whole.to_json()
        tar.addfile(_header(MANIFEST, len(content), whole), io.BytesIO(content))
        for file in whole.files:
            with parts[file.name].open("rb") as opened:
                tar.addfile(_header(file.name, file.size, whole), _Watched(opened, read))
    return whole


def read_manifest(archive: Path) -> tuple[Manifest, bytes | None]:
    """Return the manifest, and the configuration if there is one; raises NotABackup and OSError."""
    with _opened(archive) as tar:
        manifest = _manifest(tar)
        header = tar.next() if manifest.has(CONFIG) else None
        if header is None:
            return manifest, None
        if header.name != CONFIG or not header.isreg() or header.size > LONGEST_CONFIG:
            raise NotABackup("its second file isn't the configuration")
        return manifest, b"".join(_pieces(tar, header))


def unpack(archive: Path, folder: Path, progress: Progress) -> Manifest:
    """Put all files into an empty folder, named as in the manifest; raises NotABackup and OSError.

    Nothing but regular files that the manifest names is accepted, and each must be as the manifest says. So no name in
    an archive leads out of the folder.
    """
    done = 0
    with _opened(archive) as tar:
        manifest = _manifest(tar)
        missing = {file.name: file for file in manifest.files}
        total = sum(file.size for file in manifest.files)
        for header in tar:
            if header.name == MANIFEST:
                continue
            wanted = missing.pop(header.name, None)
            if wanted is None or not header.isreg():
                raise NotABackup(f"it has {header.name[:100]!r}, which isn't in its manifest")
            if hasattr(tarfile, "data_filter"):  # in Python since 3.11.4
                tarfile.data_filter(header, str(folder))
            path = folder / wanted.name
            path.parent.mkdir(exist_ok=True)
            digest = hashlib.sha256()
            with path.open("xb") as file:
                os.fchmod(file.fileno(), 0o600)
                for piece in _pieces(tar, header):
                    digest.update(piece)
                    file.write(piece)
                    done += len(piece)
                    progress("reading the backup", done, total)
            if (header.size, digest.hexdigest()) != (wanted.size, wanted.sha256):
                raise NotABackup(f"{wanted.name} in it isn't as it was when the backup was made")
        if missing:
            raise NotABackup(f"{', '.join(sorted(missing))} is missing in it")
    return manifest


@contextmanager
def _opened(archive: Path) -> Iterator[tarfile.TarFile]:
    """Provide the archive, compressed or not; damage raises NotABackup."""
    try:
        with tarfile.open(archive, "r:*") as tar:
            yield tar
    except _DAMAGE as error:
        why = (str(error) or type(error).__name__).partition("\n")[0].rstrip(":")
        raise NotABackup(f"it is damaged, or was never one ({why})") from error


def _manifest(tar: tarfile.TarFile) -> Manifest:
    header = tar.next()
    if header is None or header.name != MANIFEST or not header.isreg() or header.size > LONGEST_MANIFEST:
        raise NotABackup("it doesn't begin with a manifest")
    return from_json(b"".join(_pieces(tar, header)))


def _pieces(tar: tarfile.TarFile, header: tarfile.TarInfo) -> Iterator[bytes]:
    file = tar.extractfile(header)
    assert file is not None  # noqa: S101 - it is a regular file
    while piece := file.read(PIECE):
        yield piece


def _header(name: str, size: int, manifest: Manifest) -> tarfile.TarInfo:
    header = tarfile.TarInfo(name)
    header.size, header.mode, header.mtime = size, 0o600, int(manifest.made.timestamp())
    return header


def _described(name: str, path: Path, read: Callable[[int], None]) -> File:
    digest = hashlib.sha256()
    with path.open("rb") as opened:
        file = _Watched(opened, read)
        while piece := file.read(PIECE):
            digest.update(piece)
    return File(name, path.stat().st_size, digest.hexdigest())


class _Watched(io.RawIOBase):
    def __init__(self, file: IO[bytes], read: Callable[[int], None]) -> None:
        super().__init__()
        self._file = file
        self._read = read

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        self._read(len(piece))
        return piece
