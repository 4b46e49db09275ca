"""The same for programs: lists of matches and tournaments as JSON, which templates/site/schema.json describes.

The archive is searched by a browser in short lists, one for each folder of matches, which name players and games once.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from notation.ending import WITHOUT_RESULT
from notation.games import GAMES
from pbem.publishing.contents import PageLine, Span, TournamentPage
from pbem.publishing.pages import Site, index_path, match_path, player_path, tournament_path
from pbem.publishing.visibility import Listed, Shown

VERSION = 1


def matches(site: Site, lines: Sequence[PageLine], folders: Sequence[str] | None = None) -> str:
    told: dict[str, Any] = {"version": VERSION, "site": site.name, "matches": [_match(line) for line in lines]}
    return _written(told if folders is None else told | {"folders": folders})


def index(matches: Sequence[Listed], people: Mapping[int, Shown]) -> str:
    """Return matches as a short list to be searched, as the schema has it: one in a line."""
    players: dict[str, int] = {}
    games: dict[str, int] = {}
    rows = []
    for each in matches:
        seats = [people[seat].name if seat in people and people[seat].has_page else None for seat in each.seats]
        named = (None if name is None else players.setdefault(name, len(players)) for name in seats)
        game = games.setdefault(GAMES.title(each.game), len(games))
        rows.append([each.number, game, *named, _score(each), each.plies, f"{each.day:%Y-%m-%d}"])
    told = {"version": VERSION, "players": [*players], "games": [*games]}
    head = json.dumps(told, ensure_ascii=False).removesuffix("}")
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    return f'{head}, "matches": [\n{lines}\n]}}\n'


def _score(listed: Listed) -> str:
    if not listed.is_over:
        return "*"
    if listed.termination in WITHOUT_RESULT:
        return "-"
    return "=" if listed.winner is None else ("1-0", "0-1")[listed.winner]


def archive(site: Site, spans: Sequence[Span]) -> str:
    folders = [
        {"index": index_path(each.folder), "matches": each.matches, "first": each.first, "last": each.last}
        for each in spans
    ]
    return _written({"version": VERSION, "site": site.name, "folders": folders})


def tournament(site: Site, shown: TournamentPage) -> str:
    table = shown.table
    rows = (
        []
        if table is None
        else [
            {
                "number": row.number,
                "player": _player(shown.names[row.entrant.player]),
                "cells": row.cells,
                "points": float(row.points),
                "tie_breaks": dict(zip(table.breaks, map(float, row.breaks), strict=True)),
            }
            for row in table.rows
        ]
    )
    told = {
        "version": VERSION,
        "site": site.name,
        "number": shown.line.number,
        "title": shown.line.title,
        "kind": shown.line.kind,
        "game": shown.line.game,
        "state": shown.line.state,
        "players": shown.line.entrants,
        "page": tournament_path(shown.line.number),
        "standings": rows,
        "rungs": [_player(each) for each in shown.rungs],
        "matches": [_match(line) for line in shown.matches],
    }
    return _written(told)


def _match(line: PageLine) -> dict[str, Any]:
    return {
        "number": line.number,
        "game": line.title,
        "players": [_player(each) for each in line.players],
        "over": line.is_over,
        "result": line.result,
        "turns": line.plies,
        "day": f"{line.day:%Y-%m-%d}",
        "page": match_path(line.number),
        "record": match_path(line.number, "txt"),
    }


def _player(shown: Shown) -> dict[str, str]:
    return {"name": shown.name} | ({"page": player_path(shown.name)} if shown.has_page else {})


def _written(told: dict[str, Any]) -> str:
    return json.dumps(told, ensure_ascii=False, indent=1) + "\n"
