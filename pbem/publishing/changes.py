"""What the next publication has to write and remove: what the database shows now, compared with what is listed.

Matches are compared by folders of a thousand: only in one whose stamp differs is each match compared. So all matches
are read, in one statement, but of what is listed hardly anything.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby

from pbem.publishing.folder import SiteFolder
from pbem.publishing.pages import THOUSAND
from pbem.publishing.visibility import Listed, Shown


@dataclass(slots=True)
class Changes:
    """The folders, and the numbers of the matches, that differ from what is listed."""

    folders: dict[int, str] = field(default_factory=dict)
    """Those whose lists are to be written, with their stamps."""
    vanished: list[int] = field(default_factory=list)
    """Those that have no match any more."""
    matches: dict[int, str] = field(default_factory=dict)
    """Those that are to be written, with their stamps."""
    gone: list[int] = field(default_factory=list)
    """Those that are listed and no longer shown."""


def kind_of_matches(folder: int) -> str:
    """Return the kind as which the matches of a folder are listed."""
    return f"match/{folder}"


def by_folder(shown: Iterable[Listed]) -> dict[int, list[Listed]]:
    """Return the matches of each folder; they are in the order of their numbers."""
    return {each: list(found) for each, found in groupby(shown, lambda listed: listed.number // THOUSAND)}


def neighbours(folders: Mapping[int, object]) -> dict[int, list[int]]:
    """Return the folders before and after each, to which its page has links.

    >>> neighbours({0: [], 1: [], 7: []})
    {0: [1], 1: [0, 7], 7: [1]}
    """
    numbers = list(folders)
    return {each: numbers[max(0, at - 1) : at] + numbers[at + 1 : at + 2] for at, each in enumerate(numbers)}


def compared(site: SiteFolder, look: str, folders: Mapping[int, list[Listed]], people: Mapping[int, Shown]) -> Changes:
    """Return how these matches differ from those that are listed; `look` changes whenever all pages do."""
    names = {each.player: f"{each.name},{each.has_page}" for each in people.values()}
    told = _telling(names)
    known, beside = site.stamps("folder"), neighbours(folders)
    found = Changes(vanished=[int(each) for each in known if int(each) not in folders])
    for each, listed in folders.items():
        stamp = digest([look, beside[each], list(map(told, listed))])
        if known.get(str(each)) != stamp:
            found.folders[each] = stamp
    for each in (*found.folders, *found.vanished):
        stamps = site.stamps(kind_of_matches(each))
        wanted = {str(listed.number): digest([look, told(listed)]) for listed in folders.get(each, [])}
        found.matches.update({int(number): stamp for number, stamp in wanted.items() if stamps.get(number) != stamp})
        found.gone += [int(number) for number in stamps if number not in wanted]
    return found


def _telling(names: Mapping[int, str]) -> Callable[[Listed], tuple[object, ...]]:
    """Return the function that gives everything by which the page of a match can change."""
    return lambda listed: (*listed[:-1], names[listed.seats[0]], names[listed.seats[1]])


def digest(told: object) -> str:
    """Return a short text that differs if what can be written as JSON does."""
    return blake2b(json.dumps(told).encode(), digest_size=12).hexdigest()
