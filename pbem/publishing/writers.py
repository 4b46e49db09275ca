"""The files of matches: what a match has, and a number of matches written at a time."""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from sqlalchemy import Engine

from pbem.publishing import contents, pages
from pbem.publishing.contents import MatchShown
from pbem.publishing.folder import Files
from pbem.publishing.pages import Site, match_path
from pbem.publishing.visibility import Listed, Shown
from pbem.rendering.boards import board_image
from pbem.rendering.files import attachments
from pbem.storage import database

ENDINGS = ("html", "txt", "json", "gif", "png")


@dataclass(frozen=True, slots=True)
class Batch:
    """Matches that are read in one transaction, with those of their players who have pages."""

    matches: tuple[Listed, ...]
    people: dict[int, Shown]


@dataclass(frozen=True, slots=True)
class Place:
    """Where matches are read and written."""

    engine: Engine
    site: Site
    files: Files


def files_of(site: Site, match: MatchShown) -> Iterator[tuple[str, bytes | str]]:
    """Yield paths and contents of all files of a match; the page, which has links to the others, comes last."""
    number, endings = match.line.number, []
    made = attachments.records(match.snapshot, site=site.name, generated=match.ended or match.started)
    moving = attachments.animations(match.snapshot, [each.diagram for each in match.boards])
    for each in chain(made, moving if match.line.is_over else ()):
        endings.append(each.name.rpartition(".")[2])
        yield match_path(number, endings[-1]), each.content
    yield match_path(number, "png"), board_image.png(match.boards[-1].diagram, scale=1.0)
    yield match_path(number), pages.match(site, match, (*endings, "png"))


def written(place: Place, batches: Iterable[Batch]) -> Generator[Batch, None, None]:
    """Write the files of matches, and yield each batch once they are there. Raise OSError or what the database does."""
    for batch in batches:
        with database.read_only(place.engine) as session:
            found = [contents.match(session, each, batch.people) for each in batch.matches]
        for match in found:
            for path, content in files_of(place.site, match):
                place.files.write(path, content)
        yield batch


def batch_of(matches: Sequence[Listed], people: Mapping[int, Shown]) -> Batch:
    """Return matches as a batch."""
    seats = {seat for each in matches for seat in each.seats if seat in people}
    return Batch(tuple(matches), {seat: people[seat] for seat in seats})
