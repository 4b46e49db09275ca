"""Feeds are Atom as RFC 4287 has it, and their links lead to pages of the site."""

import re
from urllib.parse import unquote, urljoin
from xml.etree import ElementTree as Xml

from tests.publishing.site import URL, Archive

ATOM = "{http://www.w3.org/2005/Atom}"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)")
FEEDS = ("feed.xml", "players/alice.xml", "players/bob.xml", "tournaments/1.xml")


def one(element: Xml.Element, name: str) -> str:
    """Return the text of the only element of that name."""
    (found,) = element.findall(ATOM + name)
    assert found.text, name
    return found.text


def check(site: Archive, path: str) -> int:
    """Check a feed of a site. Return how many entries it has."""
    feed = Xml.fromstring(site.text(path))
    links = {link.get("rel"): urljoin(URL + path, link.attrib["href"]) for link in feed.findall(ATOM + "link")}
    assert links["self"] == URL + path
    entries = feed.findall(ATOM + "entry")
    ids = [one(each, "id") for each in (feed, *entries)]
    assert len(set(ids)) == len(ids)
    assert all(TIME.fullmatch(one(each, "updated")) for each in (feed, *entries))
    for each in entries:
        assert one(each, "title")
        (link,) = each.findall(ATOM + "link")
        place = urljoin(URL + path, link.attrib["href"])
        assert (site.folder / unquote(place.removeprefix(URL))).is_file()
    return len(entries)


def test_feeds_are_atom(shown: Archive) -> None:
    shown.letters.operate("tournament", "open", "ladder", "kvadratik", "time=3d/move", "called", "Spring")
    shown.end()
    shown.publish()
    assert [check(shown, path) for path in FEEDS] == [1, 1, 1, 0]
