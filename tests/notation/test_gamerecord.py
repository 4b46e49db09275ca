"""Game records for other servers: the fields of the schema gamerecord/1-0-0, and the turns in order."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from notation.gamerecord import Result, Site, dumps, rounds
from notation.record import Record, replay
from tests.diagrams import NAMES, PLAYTHROUGHS

SITE = Site("pbem.example", "42", ("7", "11"), "2026-11-20T08:00:00Z", "2026-11-21T09:30:00Z", "2026-11-21T09:30:01Z")
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)")

# The schema in Python: each object's fields with their types, which are required, and whether others can be added.
HEADER: Mapping[str, Any] = {
    "game": dict,
    "event": str,
    "round": str,
    "site": dict,
    "date-start": DATE,
    "date-end": DATE,
    "date-generated": DATE,
    "unrated": bool,
    "players": list,
    "startingPosition": str,
}
GAME: Mapping[str, Any] = {"name": str, "variants": list}
PLACE: Mapping[str, Any] = {"name": str, "gameid": (str, int)}
PLAYER: Mapping[str, Any] = {"name": str, "userid": str, "score": (int, float), "is_ai": bool, "result": int}
MOVE: Mapping[str, Any] = {"sequence": int, "move": str, "result": (str, list)}


def check(found: Any, fields: Mapping[str, Any], required: set[str], *, more: bool = False) -> None:
    assert isinstance(found, dict)
    assert required <= found.keys()
    assert more or found.keys() <= fields.keys()
    for name, value in found.items():
        wanted = fields.get(name, object)
        if isinstance(wanted, re.Pattern):
            assert wanted.fullmatch(value), name
        else:
            assert isinstance(value, wanted), name
            assert wanted in (bool, object) or not isinstance(value, bool), name


def check_document(document: Any) -> None:
    check(document, {"header": dict, "moves": list}, {"header", "moves"})
    header = document["header"]
    check(header, HEADER, {"game", "site", "date-start", "date-end", "date-generated", "players"}, more=True)
    assert ("event" in header) == ("round" in header)
    check(header["game"], GAME, {"name"})
    variants = header["game"]["variants"]
    assert len(set(variants)) == len(variants)
    assert all(isinstance(variant, str) for variant in variants)
    check(header["site"], PLACE, {"name"})
    assert len(header["players"]) >= 1
    for player in header["players"]:
        check(player, PLAYER, {"name", "result"}, more=True)
    for each in document["moves"]:
        assert len(each) == len(header["players"])
        for move in each:
            if isinstance(move, dict):
                check(move, MOVE, {"move"})
            else:
                assert move is None or isinstance(move, str)


def played(name: str) -> Record:
    """Return the match of a playthrough."""
    lines = next(path for path in PLAYTHROUGHS if path.stem == name).read_text(encoding="utf-8").splitlines()
    options = dict(line.removeprefix("chosen: ").split("=") for line in lines if line.startswith("chosen: "))
    moves = tuple(line.removeprefix("played: ") for line in lines if line.startswith("played: "))
    return Record(lines[0].removeprefix("game: "), options, ("alice", "bob"), moves)


def words(moves: list[list[Any]]) -> list[tuple[int, str]]:
    """Return the turns in order: round by round, seat by seat."""
    return [
        (seat, move["move"] if isinstance(move, dict) else move)
        for each in moves
        for seat, move in enumerate(each)
        if move is not None
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_fields_are_those_of_the_schema(name: str) -> None:
    record = played(name)
    outcome = replay(record)[-1].outcome
    assert outcome is not None

    document = json.loads(dumps(record, SITE, Result(outcome.winner, outcome.reason)))

    check_document(document)
    assert document["header"]["game"]["variants"] == [f"{key}={record.options[key]}" for key in chosen(name)]
    results = [player["result"] for player in document["header"]["players"]]
    assert results == [0, 0] if outcome.winner is None else results[outcome.winner] > results[1 - outcome.winner]
    assert outcome.reason in json.dumps(document["moves"][-1])


def chosen(name: str) -> list[str]:
    """Return the options in the name of a playthrough."""
    return [key for key in ("variant", "zone2", "announce", "setup", "flip") if f"-{key}-" in f"-{name}-"]


@pytest.mark.parametrize("name", NAMES)
def test_reading_the_rounds_gives_the_turns_as_they_were_played_and_by_whom(name: str) -> None:
    record = played(name)
    seats = [position.turn for position in replay(record)[:-1]]

    assert words(rounds(record)) == list(zip(seats, record.moves, strict=True))
    assert all(any(move is not None for move in each) for each in rounds(record))


def test_where_the_second_seat_begins_its_opponent_s_place_is_empty_in_the_first_round() -> None:
    record = Record("quadraphages", {"first": "o"}, ("Jx", "Bo"), ("1 c1b1 g9h9", "a7b7 i3i2 3 b7b4 i2f2"))

    assert rounds(record) == [[None, "1 c1b1 g9h9"], ["a7b7 i3i2 3 b7b4 i2f2", None]]
    assert rounds(record, "resigned")[-1] == [{"move": "a7b7 i3i2 3 b7b4 i2f2", "result": "resigned"}, None]
