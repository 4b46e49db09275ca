"""Lists among many: in a crowd, each stays within 72 columns, and names the page that follows, up to the last one."""

import re
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import insert

from notation.ending import Termination
from notation.games import GAMES
from pbem.matches.ratings.weekly_rating import WEEK, week_of
from pbem.storage.models import Match, MatchState, Player, PlayerRating, Presence, Seek, Tournament
from tests.correspondence import MORNING, Correspondence, text
from tests.scenes import after

CROWD = 120
WIDTH = 72
NEXT = re.compile(r'\* (?:More|Older ones): reply "((?:[a-z]+)(?: [a-z0-9_-]+)* \d+)"')


def crowd(letters: Correspondence) -> None:
    """Let alice be one of many, with names as long as names can be, and have much of everything."""
    letters.join("alice")
    (alice,) = letters.rows("select id from player")
    with letters.server.engine.begin() as connection:
        for table, rows in (
            (Player, (_player(number) for number in range(CROWD))),
            (Presence, ({"player": 1100 + number, "seen": MORNING, "listed": MORNING} for number in range(CROWD))),
            (Seek, (_seek(number) for number in range(CROWD))),
            (Match, (_match(number, alice) for number in range(2 * CROWD))),
            (PlayerRating, (_rating(number, game) for number in range(CROWD) for game in GAMES)),
            (Tournament, (_tournament(number) for number in range(CROWD))),
        ):
            connection.execute(insert(table), list(rows))


pytestmark = after(crowd)


def _player(number: int) -> dict[str, Any]:
    row = {"id": 1100 + number, "name": f"somebody-with-{number:06}", "address": f"p{number}@mail.example"}
    return {**row, "confirmed": MORNING, "created": MORNING, "settings": {}}


def _seek(number: int) -> dict[str, Any]:
    """Return an open seek of somebody whom alice hasn't blocked, with terms that take room."""
    return {
        "id": 1000 + number, "player": 1200 + number % 20, "game": "quadrupel", "time": "140d+10d,1d/move,auto",
        "options": {"variant": "maximum-points", "zone2": "ban"}, "begin": "me", "repeat": 5, "rated": True,
        "created": MORNING, "expires": MORNING + timedelta(days=28),
    }  # fmt: skip


def _match(number: int, alice: int) -> dict[str, Any]:
    """Return a match of alice: half of them are over."""
    is_over, ended = number < CROWD, MORNING - timedelta(days=400, minutes=number)
    row: dict[str, Any] = {
        "id": 1001 + number, "game": list(GAMES)[number % 5], "options": {}, "plies": 0,
        "seat0": alice, "seat1": 1100 + number % CROWD, "challenger": alice,
        "created": ended, "started": ended, "to_move": None if is_over else 0,
        "state": (MatchState.OVER if is_over else MatchState.RUNNING).value, "time": None if is_over else "3d/move",
        "ended": ended if is_over else None, "winner": 0 if is_over else None,
        "termination": list(Termination)[number % len(Termination)].value if is_over else None,
        "termination_seat": 1 if is_over else None,
    }  # fmt: skip
    return row


def _rating(number: int, game: str) -> dict[str, Any]:
    held = {"rating": 3000 - number, "deviation": 150, "volatility": 0.06, "wins": 1000, "draws": 1000, "losses": 1000}
    return {"player": 1100 + number, "game": game, "week": week_of(MORNING) - WEEK, **held}


def _tournament(number: int) -> dict[str, Any]:
    return {
        "id": number + 1, "title": f"{number:040}", "kind": "swiss", "game": "quadrupel", "places": 64,
        "options": {"variant": "maximum-points"}, "time": "140d+10d,1d/move,auto", "rated": True,
        "closes": MORNING, "created": MORNING, "started": MORNING, "ended": MORNING, "rounds": 15, "at_once": 1,
    }  # fmt: skip


def pages(letters: Correspondence, command: str) -> list[str]:
    """Return the text of all pages, from the one that the command shows to the last."""
    found = []
    while command:
        found.append(page(letters, command))
        following = NEXT.search(" ".join(found[-1].split()))
        command = following[1] if following else ""
    return found


def page(letters: Correspondence, command: str) -> str:
    """Return what a command is answered with, which has no line that is too long."""
    letters.clock.advance(hours=1)  # there is a limit to what is answered in one
    (answer,) = letters.say("alice", command)
    told = "\n".join(text(answer).splitlines())
    assert max(map(len, told.splitlines())) <= WIDTH
    return told


@pytest.mark.parametrize(
    ("command", "row", "number"),
    [
        ("seeks", r" .*reply \"take (1\d{3})\"", CROWD),
        ("who", r"\* somebody-with-(\d+) ", CROWD),
        ("history", r"\* #(1\d{3}) ", CROWD),
        ("games", r"\* #(1\d{3}) ", 2 * CROWD),
        ("standings kvadratik", r"\* somebody-with-\d+ +number (\d+),", CROWD),
        ("tournaments", r"\* Tournament (\d+) ", CROWD),
    ],
)
def test_each_page_names_the_next_until_all_is_listed(
    letters: Correspondence, command: str, row: str, number: int
) -> None:
    told = pages(letters, command)

    found = [match[1] for page in told for match in re.finditer(rf"^{row}", page, re.MULTILINE)]
    assert len(found) == len({*found}) == number
    assert len(told) > 1
    for each in told:
        listed = next(part for part in each.split("\n\n") if part.startswith("* "))
        assert all(re.match(r"\* |    \S", line) for line in listed.splitlines())
