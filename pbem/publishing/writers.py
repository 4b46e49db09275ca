"""The files of matches, written by this process, or by several if that pays.

Other processes end by themselves when this one does, even if it is killed: until then they share a lock on the drafts,
for which the next publication waits. If one of them is killed, this publication ends; the next one mends what is left.
"""

import multiprocessing
import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from threading import Thread
from typing import Any

from sqlalchemy import Engine

from notation import guarded
from notation.games import GAMES
from pbem.mail import sandboxing
from pbem.messages import attachments
from pbem.messages.boards import board_image
from pbem.publishing import match_pages, pages
from pbem.publishing.folder import Files
from pbem.publishing.match_pages import MatchPage
from pbem.publishing.pages import Site, match_path
from pbem.publishing.visibility import Listed, Shown
from pbem.storage import database, folder_locks

KILLED = "a process that wrote pages was killed; the next publication writes what is missing"
ENDINGS = ("html", "txt", "json", "gif", "png")


class Killed(Exception):
    """A process that wrote pages was killed."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Matches that are read in one transaction, with those of their players who have pages."""

    matches: tuple[Listed, ...]
    people: dict[int, Shown]


@dataclass(frozen=True, slots=True)
class FolderPlace:
    """Where matches are read and written."""

    engine: Engine
    site: Site
    files: Files


def files_of(site: Site, match: MatchPage) -> Iterator[tuple[str, bytes | str]]:
    """Yield paths and contents of all files of a match; the page, which has links to the others, comes last.

    One whose game isn't there has no boards: its page shows the record, and the files that it had stay.
    """
    number, endings = match.line.number, []
    generated = match.ended or match.started
    made = attachments.records(match.snapshot, origin=site.name, generated=generated, times=lambda: match.times)
    moving = attachments.animations(match.snapshot, [each.diagram for each in match.boards])
    for each in chain(made, moving if match.line.is_over else ()):
        endings.append(each.name.rpartition(".")[2])
        yield match_path(number, endings[-1]), each.content
    if match.boards:
        endings.append("png")
        yield match_path(number, "png"), board_image.png(match.boards[-1].diagram, scale=1.0)
    yield match_path(number), pages.match(site, match, endings)


def written(place: FolderPlace, batches: Iterable[Batch], processes: int) -> Generator[Batch, None, None]:
    """Write the files of matches. Yield each batch once they are there; take the next when a process is free for it.

    Raise Killed if another process is killed, OSError or what the database raises.
    """
    if processes > 1:
        yield from _written_by(processes, place, iter(batches))
        return
    for batch in batches:
        _write(place, batch)
        yield batch


def _write(place: FolderPlace, batch: Batch, is_over: Any = None) -> None:
    """Write the files of some matches; where a game of others fails, what was published before stays."""
    with database.read_only(place.engine) as session:
        found = [guarded.attempt(partial(match_pages.match, session, each, batch.people)) for each in batch.matches]
    for match in filter(None, found):
        if is_over is not None and is_over.value:
            return
        files: list[tuple[str, bytes | str]] = guarded.attempt(partial(list, files_of(place.site, match))) or []
        for path, content in files:
            place.files.write(path, content)


def _written_by(processes: int, place: FolderPlace, batches: Iterator[Batch]) -> Iterator[Batch]:
    """Do it in processes of their own, each of which always has a batch waiting."""
    spawning = multiprocessing.get_context("spawn")
    is_over = spawning.RawValue("b", 0)
    url = place.engine.url.render_as_string(hide_password=False)
    told = (url, place.site, place.files.path, is_over, GAMES.told())
    waiting: dict[Future[int], Batch] = {}
    with ProcessPoolExecutor(processes, spawning, _begin, told) as pool:
        try:
            with sandboxing.without_interrupts():
                for batch in islice(batches, 2 * processes):
                    waiting[pool.submit(_write_there, batch)] = batch
            while waiting:
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    place.files.written += future.result()
                    yield waiting.pop(future)
                    for batch in islice(batches, 1):
                        waiting[pool.submit(_write_there, batch)] = batch
        except BrokenProcessPool as error:
            raise Killed(KILLED) from error
        finally:
            is_over.value = 1
            pool.shutdown(cancel_futures=True)


@dataclass(slots=True)
class _There:
    """What another process works with."""

    place: FolderPlace
    is_over: Any
    lock: int


HERE: list[_There] = []
"""What this process works with, if it is one of several."""


def _begin(url: str, site: Site, path: Path, is_over: Any, games: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
    """Begin to be a process that writes, and that ends when the first one does."""
    GAMES.adopt(*games)
    files = Files(path)
    lock = folder_locks.share(files.drafts)
    parent = multiprocessing.parent_process()
    assert parent is not None  # noqa: S101 - this isn't the first process
    if not parent.is_alive():  # by now, the next publication may hold the folder
        os._exit(1)
    Thread(target=_end_with, args=(parent,), daemon=True).start()
    HERE.append(_There(FolderPlace(database.connect(url), site, files), is_over, lock))


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def _write_there(batch: Batch) -> int:
    """Write the files of some matches in another process. Return how many have changed."""
    (there,) = HERE
    before = there.place.files.written
    _write(there.place, batch, there.is_over)
    return there.place.files.written - before


def batch_of(matches: Sequence[Listed], people: Mapping[int, Shown]) -> Batch:
    """Return matches as a batch."""
    seats = {seat for each in matches for seat in each.seats if seat in people}
    return Batch(tuple(matches), {seat: people[seat] for seat in seats})
