"""Atom feeds (RFC 4287) of the newest matches: of all, of a player, of a tournament."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from feedgenerator import Atom1Feed

from pbem.publishing.page_data import PageLine
from pbem.publishing.pages import Site, match_path

ENTRIES = 50
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)  # the date of a feed without entries: that of the names in all feeds


def matches(site: Site, title: str, path: str, page: str, lines: Iterable[PageLine]) -> str:
    """Return a feed that lies at that path and belongs to that page; one entry for each match that is over.

    Without the URL of the site, entries are known by the name of the server, and have links that start at the feed.
    """

    def place(at: str) -> str:
        return site.absolute(at) if site.url else "../" * path.count("/") + at

    over = sorted((line for line in lines if line.is_over), key=lambda line: (line.day, line.number), reverse=True)
    about = {"link": place(page), "feed_url": place(path), "feed_guid": _id(site, path), "author_name": site.name}
    feed: Any = Atom1Feed(title=title, description=None, **about)
    for line in over[:ENTRIES]:
        first, second = line.players
        feed.add_item(
            title=f"{line.title}: {first.name} - {second.name}: {line.result}",
            link=place(match_path(line.number)),
            description=f"Match #{line.number} ended after {line.plies} turns: {line.result}.",
            unique_id=_id(site, f"match/{line.number}"),
            author_name=site.name,
            pubdate=line.day,
            updateddate=line.day,
        )
    feed.latest_post_date = lambda: over[0].day if over else BEGINNING
    text = feed.writeString("utf-8")
    return text if isinstance(text, str) else str(text, "utf-8")


def _id(site: Site, what: str) -> str:
    """Return the name by which readers know something, wherever the site is moved to (RFC 4151)."""
    domain = site.address.rpartition("@")[2]
    return f"tag:{domain},{BEGINNING.year}:{what}"
