"""The same for programs: each page as JSON, which templates/site/schema.json describes, and Atom feeds (RFC 4287)."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from feedgenerator import Atom1Feed

from notation.games import GAMES
from pbem.matches.ratings.standings import RatingPlace
from pbem.publishing import match_page_data
from pbem.publishing.html_pages import Site, game_path, match_path, player_path, tournament_path
from pbem.publishing.match_page_data import MatchPage
from pbem.publishing.page_data import PageLine, PagePlace, TournamentPage
from pbem.publishing.visibility import PublicPlayer, Span

VERSION = 2


def matches(site: Site, lines: Sequence[PageLine], spans: Sequence[Span] | None = None) -> str:
    content: dict[str, Any] = {"matches": list(map(_match, lines))}
    if spans is not None:
        content["folders"] = [
            {"path": f"matches/{folder}/index.json", "matches": number, "first": first, "last": last}
            for folder, number, first, last in spans
        ]
    return _written(site, content)


def match(site: Site, page: MatchPage) -> str:
    """Return a match with its turns, and once it is over with AbstractPlay's record of it."""
    played = [
        {
            "number": each.number,
            "player": each.seat,
            "turn": each.turn,
            "received": f"{each.when.received:%Y-%m-%dT%H:%M:%SZ}" if each.when else None,
        }
        for each in page.boards[1:]
    ]
    content = _match(page.line) | {
        "options": page.options,
        "time": page.time,
        "rated": page.rated,
        "tournament": page.tournament,
        "played": played,
    }
    if page.line.is_over:
        content["gamerecord"] = json.loads(match_page_data.file(page, "json", site.name))
    return _written(site, content)


def player(site: Site, player: PublicPlayer, lines: Sequence[PageLine], ratings: Sequence[RatingPlace]) -> str:
    places = [{"game": GAMES.title(place.game), **_standing(place)} for place in ratings]
    return _written(site, {"player": _player(player), "ratings": places, "matches": list(map(_match, lines))})


def game(site: Site, key: str, places: Sequence[PagePlace], lines: Sequence[PageLine]) -> str:
    table = [{"number": each.number, "player": _player(each.player), **_standing(each.standing)} for each in places]
    about = {"game": GAMES.title(key), "page": game_path(key), "places": table}
    return _written(site, about | {"matches": list(map(_match, lines))})


def _standing(place: RatingPlace) -> dict[str, Any]:
    return {"won": place.wins, "drawn": place.draws, "lost": place.losses, "rating": place.shown}


def tournament(site: Site, page: TournamentPage) -> str:
    line = page.line
    breaks, rows = (page.table.breaks, page.table.rows) if page.table is not None else ((), ())
    standings = [
        {
            "number": row.number,
            "player": _player(page.entrants[row.entrant.player]),
            "cells": row.cells,
            "points": float(row.points),
            "tie_breaks": dict(zip(breaks, map(float, row.breaks), strict=True)),
        }
        for row in rows
    ]
    content = {
        "number": line.number,
        "title": line.title,
        "kind": line.kind,
        "game": line.game,
        "state": line.state,
        "players": line.entrants,
        "page": tournament_path(line.number),
        "standings": standings,
        "rungs": [_player(each) for each in page.rungs],
        "matches": list(map(_match, page.matches)),
    }
    return _written(site, content)


def _match(line: PageLine) -> dict[str, Any]:
    return {
        "number": line.number,
        "game": line.title,
        "players": [_player(each) for each in line.players],
        "over": line.is_over,
        "result": line.result,
        "score": line.score,
        "turns": line.plies,
        "day": f"{line.day:%Y-%m-%d}",
        "page": match_path(line.number),
        "record": match_path(line.number, "txt"),
    }


def _player(player: PublicPlayer) -> dict[str, str]:
    return {"name": player.name} | ({"page": player_path(player.name)} if player.has_page else {})


def _written(site: Site, content: dict[str, Any]) -> str:
    return json.dumps({"version": VERSION, "site": site.name, **content}, ensure_ascii=False, indent=1) + "\n"


ENTRIES = 50
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)  # the date of a feed without entries: that of the names in all feeds


def feed(site: Site, title: str, path: str, page: str, lines: Iterable[PageLine]) -> str:
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
