"""The files of matches: for each a page, and its record and boards as other programs read them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from sqlalchemy import Engine

from pbem.messages import attachments
from pbem.messages.boards import board_image
from pbem.publishing import match_pages, pages
from pbem.publishing.folder import Files
from pbem.publishing.match_pages import MatchPage
from pbem.publishing.pages import Site, match_path
from pbem.publishing.visibility import Listed, Shown
from pbem.storage import database

ENDINGS = ("html", "txt", "json", "gif", "png")


def write(engine: Engine, site: Site, files: Files, matches: Sequence[Listed], people: Mapping[int, Shown]) -> None:
    """Write the files of some matches."""
    with database.read_only(engine) as session:
        found = [match_pages.match(session, each, people) for each in matches]
    for match in found:
        for path, content in files_of(site, match):
            files.write(path, content)


def files_of(site: Site, match: MatchPage) -> Iterator[tuple[str, bytes | str]]:
    """Yield paths and contents of all files of a match; the page, which has links to the others, comes last.

    One whose game isn't there has no boards on its page, and the files that it had stay.
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
