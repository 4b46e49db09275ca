"""Freezes the site into a folder, for a plain web server: all that can be reached from its first page, as files.

A page is rendered as `pbem serve` does it. All that has changed is written beside the site first and then put in place,
so a visitor hardly ever meets pages of two publications, and what is no longer linked is removed. A match that is as it
was the last time isn't rendered again: a list in the folder has the ETag of each file and the links in it. Nothing else
depends on the list, and without it, everything is made again.

Everybody can read all of it, whatever the umask.
"""

import heapq
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from pbem.publishing.cached_pages import Pages
from pbem.publishing.routes import MATCH, UNLINKED
from pbem.storage import atomic_files

LIST, DRAFTS = ".published.json", ".unfinished"
FORMER_LIST = ".published.sqlite"
"""The list of an earlier version: its folder is a site, and everything in it is made again."""
LINK = re.compile(rb'(?:href|src)="([^"]*)"')
Progress = Callable[[int, int], None]
"""Called with the number of pages that were looked at, and of those that are known."""


class NotASite(Exception):
    """The folder has files in it, and no list of what was published there."""


@dataclass(frozen=True, slots=True)
class Published:
    matches: int
    written: int
    removed: int


def publish(pages: Pages, folder: Path, progress: Progress = lambda _done, _all: None) -> Published:
    """Bring the site in the folder up to date; raise NotASite or OSError. Others who publish there wait."""
    _claim(folder)
    with atomic_files.locked(folder):
        shutil.rmtree(folder / DRAFTS, ignore_errors=True)
        (folder / DRAFTS).mkdir()
        try:
            earlier: dict[str, list[str]] = json.loads((folder / LIST).read_bytes())
        except ValueError:  # it wasn't written whole
            earlier = {}
        listed: dict[str, list[str]] = {}
        drafts: dict[str, Path] = {}
        for path, etag, links, content in _crawl(pages, folder, earlier, progress):
            listed[path] = [etag, *links]
            target = folder / path
            if content is not None and not (target.is_file() and target.read_bytes() == content):
                drafts[path] = _draft(folder, content)
        _list(folder, {path: entry for path, entry in earlier.items() if path not in drafts})
        for path, draft in drafts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            draft.replace(folder / path)
        removed = _remove(folder, {LIST, *listed})
        _list(folder, listed)
        shutil.rmtree(folder / DRAFTS)
    matches = sum(path.endswith(".html") and MATCH.fullmatch(path) is not None for path in listed)
    return Published(matches, len(drafts), removed)


def _crawl(
    pages: Pages, folder: Path, earlier: dict[str, list[str]], progress: Progress
) -> Iterator[tuple[str, str, list[str], bytes | None]]:
    """Yield each path that can be reached, with its ETag, its links and its content, unless that is as it was."""
    waiting, seen = sorted(UNLINKED), set(UNLINKED)
    while waiting:
        path = heapq.heappop(waiting)  # in their order, the files of a match follow one another
        etag, *links = earlier.get(path, [""])
        answer = pages.answer(path, etag if (folder / path).is_file() else "")
        progress(len(seen) - len(waiting), len(seen))
        if answer is None:
            continue
        is_known = answer.etag == etag and not answer.content
        if not is_known:
            links = sorted(set(_links(path, answer.content, answer.kind)))
        yield path, answer.etag, links, None if is_known else answer.content
        for link in {*links} - seen:
            seen.add(link)
            heapq.heappush(waiting, link)


def _links(path: str, content: bytes, kind: str) -> Iterator[str]:
    """Yield the paths within the site to which a page links."""
    for link in LINK.findall(content) if kind.startswith("text/html") else ():
        parts = urlsplit(urljoin(f"//site/{path}", unescape(link.decode())))
        if not parts.scheme and parts.netloc == "site":
            target = unquote(parts.path).removeprefix("/")
            yield f"{target}index.html" if not target or target.endswith("/") else target


def _claim(path: Path) -> None:
    """Make the folder that of a site, unless it is one; raise NotASite if it has other files in it, or OSError."""
    if path.exists() and not path.is_dir():
        raise NotASite(f"{path} is a file: name a folder, which is made if it isn't there")
    path.mkdir(parents=True, exist_ok=True)
    if not (path / LIST).exists():
        if any(path.iterdir()) and not (path / FORMER_LIST).exists():
            raise NotASite(f"{path} isn't empty, and nothing was published there: choose another folder")
        (path / LIST).touch()


def _list(folder: Path, entries: dict[str, list[str]]) -> None:
    _draft(folder, json.dumps(entries, separators=(",", ":")).encode()).replace(folder / LIST)


def _draft(folder: Path, content: bytes) -> Path:
    with tempfile.NamedTemporaryFile(dir=folder / DRAFTS, delete=False) as draft:
        draft.write(content)
        os.fchmod(draft.fileno(), 0o644)
    return Path(draft.name)


def _remove(folder: Path, listed: set[str]) -> int:
    """Remove the files that the site no longer has, and the folders that are empty then. Return how many files."""
    removed = 0
    for path in sorted(folder.rglob("*"), reverse=True):  # what is in a folder comes before it
        if path.is_dir() and not path.is_symlink():
            if path.name != DRAFTS and not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(folder).as_posix() not in listed:
            path.unlink()
            removed += 1
    return removed
