"""The same for programs: lists of matches and tournaments as JSON, and the schema that describes them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pbem.publishing.contents import PageLine, TournamentPage
from pbem.publishing.pages import Site, match_path, player_path, tournament_path
from pbem.publishing.visibility import Shown

VERSION = 1
_TEXT, _WHOLE, _NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}


def _object(optional: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    """Return the schema of an object that has these properties and no others."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _list(items: Any, **told: int) -> dict[str, Any]:
    return {"type": "array", "items": items} | told


def _defined(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


_DEFINITIONS = {
    "player": _object(("page",), name=_TEXT, page=_TEXT),
    "match": _object(
        number=_WHOLE,
        game=_TEXT,
        players=_list(_defined("player"), minItems=2, maxItems=2),
        over={"type": "boolean"},
        result=_TEXT,
        turns=_WHOLE,
        day=_TEXT | {"format": "date"},
        page=_TEXT,
        record=_TEXT,
    ),
    "matches": _object(
        ("folders",),
        version={"const": VERSION},
        site=_TEXT,
        matches=_list(_defined("match")),
        folders=_list(_TEXT),
    ),
    "standing": _object(
        group=_WHOLE,
        team=_TEXT,
        number=_WHOLE,
        player=_defined("player"),
        cells=_list(_TEXT),
        points=_NUMBER,
        tie_breaks={"type": "object", "additionalProperties": _NUMBER},
    ),
    "tournament": _object(
        version={"const": VERSION},
        site=_TEXT,
        number=_WHOLE,
        title=_TEXT,
        kind=_TEXT,
        game=_TEXT,
        state=_TEXT,
        players=_WHOLE,
        page=_TEXT,
        standings=_list(_defined("standing")),
        rungs=_list(_defined("player")),
        matches=_list(_defined("match")),
    ),
}
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Matches of a play-by-email server",
    "description": "index.json has the newest matches, and names the folders that have all. Paths start at the site.",
    "oneOf": [_defined("matches"), _defined("tournament")],
    "$defs": _DEFINITIONS,
}


def schema() -> str:
    """Return the schema of the lists of matches and of tournaments."""
    return _written(SCHEMA)


def matches(site: Site, lines: Sequence[PageLine], folders: Sequence[str] | None = None) -> str:
    """Return matches as a list, with the paths of other lists."""
    told: dict[str, Any] = {"version": VERSION, "site": site.name, "matches": [_match(line) for line in lines]}
    return _written(told if folders is None else told | {"folders": folders})


def tournament(site: Site, shown: TournamentPage) -> str:
    """Return a tournament with its standings."""
    rows = [
        {
            "group": table.group,
            "team": table.team,
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


def keys(known: Sequence[Mapping[str, str | None]]) -> str:
    """Return the public keys with which the signatures of records are checked."""
    return _written({"keys": list(known)})


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
