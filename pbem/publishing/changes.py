"""What the next publication has to write and remove: what the database shows now, compared with what is listed.

The database makes a fingerprint of each hundred matches, in one statement. Only where one differs, and where somebody
has matches who chose something else meanwhile, are matches read and compared. What follows from that is listed at once,
all or nothing: from then on, whatever shows one of these matches is unfinished until it has been written.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from itertools import chain

from sqlalchemy import Engine
from sqlmodel import Session, col, select

from pbem.features.house import analyses
from pbem.messages import attachments
from pbem.messages.boards import board_image
from pbem.publishing import contents, match_pages, pages, visibility
from pbem.publishing.folder import UNFINISHED, Files, SiteFolder
from pbem.publishing.listing import THOUSAND
from pbem.publishing.match_pages import MatchPage
from pbem.publishing.pages import Site, match_path
from pbem.publishing.visibility import Listed, Shown
from pbem.storage import database
from pbem.storage.models import Entry

AT_A_TIME = 10
"""How many blocks are read in one statement, if they follow one another."""
FEW = 200
"""For up to this many people who chose something else, their matches are looked for; for more, all are compared."""

ANALYSES = "analysis"
"""The kind of the number up to which analyses are on the pages of their matches."""
NAMELESS = Shown(0)


@dataclass(slots=True)
class Changes:
    blocks: dict[str, str] = field(default_factory=dict)
    """All blocks with their fingerprints that differ, to be listed once everything is done."""
    vanished: list[str] = field(default_factory=list)
    """The blocks that have no match any more."""
    people: dict[str, str] = field(default_factory=dict)
    """Who chose something else, and what is shown of them now; to be listed once everything is done."""
    left: list[str] = field(default_factory=list)
    """Who is no longer shown."""
    matches: dict[int, tuple[Listed, str]] = field(default_factory=dict)
    """The matches that are to be written, with their stamps, in the order of their numbers."""
    folders: set[int] = field(default_factory=set)
    """The folders of a thousand with matches that differ."""
    players: set[int] = field(default_factory=set)
    """The players of those matches, as they are now and as they were listed, and those who chose something else."""
    tournaments: set[int] = field(default_factory=set)
    """The tournaments of those matches, and those of people who chose something else."""
    analysed: set[int] = field(default_factory=set)
    """Matches that have an analysis since the last publication."""
    analyses: str = ""
    """Up to which analysis that has been looked at; to be listed once everything is done."""
    games: set[str] = field(default_factory=set)
    """The games of those matches."""


def neighbours(folders: Iterable[int]) -> dict[int, list[int]]:
    """Return the folders before and after each, to which its page has links.

    >>> neighbours([0, 1, 7])
    {0: [1], 1: [0, 7], 7: [1]}
    """
    numbers = list(folders)
    return {each: numbers[max(0, at - 1) : at] + numbers[at + 1 : at + 2] for at, each in enumerate(numbers)}


def list_changes(session: Session, site: SiteFolder, look: str, people: Mapping[int, Shown], now: datetime) -> Changes:
    """Return what differs, and list it; `look` changes whenever all pages do. Once a day, all matches are compared."""
    prints, known = visibility.blocks(session), site.stamps("block")
    general = digest([look, f"{now:%Y-%m-%d}"])
    stamps = {str(each): f"{general},{told}" for each, told in prints.items()}
    found = Changes(
        {each: stamp for each, stamp in stamps.items() if known.get(each) != stamp},
        [each for each in known if each not in stamps],
    )
    _compare_people(session, site, people, found)
    found.analysed, known_to = analyses.told_since(session, int(site.stamps(ANALYSES).get("told", "0")))
    found.analyses = str(known_to)
    wanted = {int(each) for each in (*found.blocks, *found.vanished)}
    wanted |= {number // visibility.BLOCK for number in found.analysed}
    chosen = {int(each) for each in (*found.people, *found.left)}
    if len(chosen) > FEW:
        wanted |= prints.keys()
    elif chosen:
        wanted |= visibility.blocks_of(session, chosen)
    with site.transaction():
        _compare(session, site, look, people, wanted, found)
        names = {each.name for each in map(people.get, found.players) if each is not None and each.has_page}
        site.note("player", dict.fromkeys(names, UNFINISHED))
        site.note("folder", dict.fromkeys(map(str, found.folders), UNFINISHED))
        site.note("tournament", dict.fromkeys(map(str, found.tournaments), UNFINISHED))
        site.note("game", dict.fromkeys(found.games, UNFINISHED))
    return found


def _compare_people(session: Session, site: SiteFolder, people: Mapping[int, Shown], found: Changes) -> None:
    known = site.stamps("person")
    told = {str(each.player): _told(each) for each in people.values()}
    if known == told:
        return
    found.people = {number: stamp for number, stamp in told.items() if known.get(number) != stamp}
    found.left = [number for number in known if number not in told]
    found.players = {int(each) for each in (*found.people, *found.left)}
    everybody = sorted(found.players)
    for start in range(0, len(everybody), FEW):
        theirs = col(Entry.player).in_(everybody[start : start + FEW])
        found.tournaments |= set(session.exec(select(Entry.tournament).where(theirs).distinct()))


def _told(shown: Shown) -> str:
    """Return what is shown of somebody. Who has no page isn't named, as they aren't anywhere else."""
    return shown.name if shown.has_page else ""


def _compare(
    session: Session, site: SiteFolder, look: str, people: Mapping[int, Shown], wanted: set[int], found: Changes
) -> None:
    """Compare the matches of these blocks, and list them as they are now.

    Where a match appears or vanishes, so may those that began at one of its positions: they all have later numbers.
    """
    derived, block = visibility.begun_from(session) if wanted else {}, visibility.BLOCK
    while wanted:
        first = min(wanted)
        last = first + 1
        while last in wanted and last < first + AT_A_TIME:
            last += 1
        wanted -= set(range(first, last))
        among = range(first * block, last * block)
        known = site.matches.between(among)
        now = {each.number: each for each in visibility.matches(session, people, among, site.matches.has)}
        gone = [number for number in known if number not in now]
        changed = [each for number, each in now.items() if number not in known or known[number][0] != each]
        site.matches.show(changed)
        site.matches.hide(gone)
        for listed in (*changed, *(known[each.number][0] for each in changed if each.number in known)):
            _touch(found, listed)
        for number in gone:
            _touch(found, known[number][0])
        written = []
        for number, listed in now.items():
            stamp = digest([look, *listed[:-1], *(_told(people.get(seat, NAMELESS)) for seat in listed.seats)])
            if number not in known or known[number][1] != stamp or number in found.analysed:
                found.matches[number] = listed, stamp
                written.append(listed)
                _touch(found, listed)
        numbers = (*gone, *(each.number for each in written))
        site.results.replace(numbers, contents.results(session, written) if written else ())
        flipped = (*gone, *(number for number in now if number not in known))
        wanted |= {each // block for number in flipped for each in derived.get(number, ()) if each // block >= last}


def _touch(found: Changes, listed: Listed) -> None:
    found.folders.add(listed.number // THOUSAND)
    found.players |= set(listed.seats)
    found.games.add(listed.game)
    if listed.tournament is not None:
        found.tournaments.add(listed.tournament)


def digest(told: object) -> str:
    """Return a short text that differs if what can be written as JSON does."""
    return blake2b(json.dumps(told).encode(), digest_size=12).hexdigest()


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
