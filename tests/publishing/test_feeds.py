"""Feeds are Atom as RFC 4287 has it, and their links lead to pages of the site."""

import re
from urllib.parse import unquote, urljoin
from xml.etree import ElementTree as Xml

import pytest

from tests.publishing.site import URL, Archive

ATOM = "{http://www.w3.org/2005/Atom}"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)")
FEEDS = ("feed.xml", "players/alice.xml", "players/bob.xml", "tournaments/1.xml")


def one(element: Xml.Element, name: str) -> str:
    """Return the text of the only element of that name."""
    (found,) = element.findall(ATOM + name)
    assert found.text, name
    return found.text


def check(site: Archive, path: str, url: str) -> int:
    """Check a feed of a site that is at this URL. Return how many entries it has."""
    feed = Xml.fromstring(site.text(path))
    assert feed.tag == ATOM + "feed"
    links = {
        link.get("rel", "alternate"): urljoin(url + path, link.attrib["href"]) for link in feed.iter(ATOM + "link")
    }
    assert links["self"] == url + path
    entries = feed.findall(ATOM + "entry")
    ids = [one(each, "id") for each in (feed, *entries)]
    assert len(set(ids)) == len(ids)
    assert all(each.startswith("tag:") for each in ids)
    times = [one(each, "updated") for each in (feed, *entries)]
    assert all(map(TIME.fullmatch, times))
    assert times[1:] == sorted(times[1:], reverse=True)
    for each in (feed, *entries):
        assert one(each, "title")
        target = next(link for link in each.findall(ATOM + "link") if link.get("rel", "alternate") == "alternate")
        place = urljoin(url + path, target.attrib["href"])
        assert place.startswith(url)
        assert (site.folder / unquote(place.removeprefix(url))).is_file()
    for each in entries:
        (author,) = each.findall(ATOM + "author")
        assert one(author, "name")
    return len(entries)


@pytest.mark.parametrize("url", [URL, ""], ids=["with the URL", "without it"])
def test_feeds_are_atom(shown: Archive, url: str) -> None:
    shown.letters.operate("tournament", "open", "ladder", "kvadratik", "time=3d/move", "called", "Spring")
    shown.end()
    shown.publish(url)
    assert [check(shown, path, url or "https://elsewhere.example/") for path in FEEDS] == [1, 1, 1, 0]
