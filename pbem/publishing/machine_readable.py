"""The same for programs: lists of matches and tournaments as JSON, and the schema that describes them."""

import json
from collections.abc import Sequence
from typing import Any

from pbem.publishing.contents import Line, TournamentShown
from pbem.publishing.pages import Site, match_path, player_path, tournament_path
from pbem.publishing.visibility import Shown

VERSION = 1
_PLAYER = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "page": {"type": "string"}},
    "required": ["name"],
    "additionalProperties": False,
}
_MATCH = {
    "type": "object",
    "properties": {
        "number": {"type": "integer"},
        "game": {"type": "string"},
        "players": {"type": "array", "items": _PLAYER, "minItems": 2, "maxItems": 2},
        "over": {"type": "boolean"},
        "result": {"type": "string"},
        "turns": {"type": "integer"},
        "day": {"type": "string", "format": "date"},
        "page": {"type": "string"},
        "record": {"type": "string"},
    },
    "required": ["number", "game", "players", "over", "result", "turns", "day", "page", "record"],
    "additionalProperties": False,
}
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Matches of a play-by-email server",
    "description": "index.json has the newest matches, and names the folders that have all. Paths start at the site.",
    "type": "object",
    "properties": {
        "version": {"const": VERSION},
        "site": {"type": "string"},
        "matches": {"type": "array", "items": _MATCH},
        "folders": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["version", "site", "matches"],
    "additionalProperties": False,
}


def schema() -> str:
    """Return the schema of the lists of matches."""
    return _written(SCHEMA)


def matches(site: Site, lines: Sequence[Line], folders: Sequence[str] | None = None) -> str:
    """Return matches as a list, with the paths of other lists."""
    told: dict[str, Any] = {"version": VERSION, "site": site.name, "matches": [_match(line) for line in lines]}
    return _written(told if folders is None else told | {"folders": folders})


def tournament(site: Site, shown: TournamentShown) -> str:
    """Return a tournament with its standings."""
    rows = [
        {
            "group": table.group,
            "number": row.number,
            "player": _player(shown.names[row.place.entrant.player]),
            "cells": row.cells,
            "points": float(row.points),
            "tie_breaks": dict(zip(table.breaks, map(float, row.breaks), strict=True)),
        }
        for table in shown.tables
        for row in table.rows
    ]
    told = {
        "version": VERSION,
        "site": site.name,
        "number": shown.number,
        "title": shown.title,
        "kind": shown.kind,
        "game": shown.game,
        "state": shown.state,
        "players": shown.entrants,
        "page": tournament_path(shown.number),
        "standings": rows,
        "rungs": [_player(each) for each in shown.rungs],
        "matches": [_match(line) for line in shown.matches],
    }
    return _written(told)


def _match(line: Line) -> dict[str, Any]:
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
