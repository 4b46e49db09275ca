"""Game records for other servers: the fields of the schema gamerecord/1-0-0, and the turns in order."""

import json
from typing import Any

import pytest

from notation.gamerecord import Result, Site, dumps, rounds
from notation.record import Record, replay
from tests.diagrams import NAMES, played

SITE = Site("pbem.example", "42", ("7", "11"), "2026-11-20T08:00:00Z", "2026-11-21T09:30:00Z", "2026-11-21T09:30:01Z")


def words(moves: list[list[Any]]) -> list[tuple[int, str]]:
    """Return the turns in order: round by round, seat by seat."""
    return [
        (seat, move["move"] if isinstance(move, dict) else move)
        for each in moves
        for seat, move in enumerate(each)
        if move is not None
    ]


@pytest.mark.parametrize("name", NAMES)
def test_reading_the_rounds_gives_the_turns_as_they_were_played_and_by_whom(name: str) -> None:
    record = played(name)
    seats = [position.turn for position in replay(record)[:-1]]

    assert words(rounds(record)) == list(zip(seats, record.moves, strict=True))
    assert all(any(move is not None for move in each) for each in rounds(record))


def test_a_match_is_told_in_the_fields_of_the_schema_round_by_round() -> None:
    """The second seat begins, so its opponent's place in the first round is empty."""
    record = Record("quadraphages", {"first": "o"}, ("Jx", "Bo"), ("1 c1b1 g9h9", "a7b7 i3i2 3 b7b4 i2f2"))

    assert json.loads(dumps(record, SITE, Result(0, "resigned"))) == {
        "header": {
            "game": {"name": "Quadraphages", "variants": ["first=o"]},
            "site": {"name": "pbem.example", "gameid": "42"},
            "date-start": "2026-11-20T08:00:00Z",
            "date-end": "2026-11-21T09:30:00Z",
            "date-generated": "2026-11-21T09:30:01Z",
            "unrated": True,
            "players": [
                {"name": "Jx", "userid": "7", "is_ai": False, "result": 1, "side": "X"},
                {"name": "Bo", "userid": "11", "is_ai": False, "result": 0, "side": "O"},
            ],
        },
        "moves": [[None, "1 c1b1 g9h9"], [{"move": "a7b7 i3i2 3 b7b4 i2f2", "result": "resigned"}, None]],
    }
    drawn = json.loads(dumps(record, SITE, Result(None, "agreed")))
    assert [player["result"] for player in drawn["header"]["players"]] == [0, 0]
