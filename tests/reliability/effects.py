"""The content of the database, without what depends on chance, clocks or the way in."""

import re
from datetime import datetime
from typing import Any

from tests.operating.site import ADDRESS
from tests.reliability.scene import KEYS, Scene

MATCHES = ("match", "ply", "takenback", "prepared", "clockevent")
TABLES = (
    "player",
    "calendar",
    "vacation",
    *MATCHES,
    "seek",
    "tournament",
    "entry",
    "pairing",
    "incoming",
    "outgoing",
    "outgoingcontent",
)
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d.*")
ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(Z|\+00:00)")
BY_CHANCE = frozenset({"message_id", "in_reply_to", "references", "key", "raw", "size"})
BY_THE_WAY_IN = frozenset({"source", "sender", "recipients"})
BY_THE_DEATHS = frozenset({"begun", "attempts", "shown"})
DURATION = re.compile(r"\bP(?:\d+D)?T[\d.HMS]+")
BY_THE_DATABASE = dict.fromkeys(
    ("calendar", "clockevent", "pairing", "ply", "takenback", "vacation"), frozenset({"id"})
)
"""Ids that nothing refers to, and that PostgreSQL skips for rows that are rolled back."""


def effects(scene: Scene) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table, without what depends on chance, clocks, crashes or the way in."""
    kept = {table: scene.table(table) for table in TABLES}
    kept["clockevent"] = [row for row in kept["clockevent"] if row["kind"] != "outage"]  # restarting can take long
    kept["incoming"] = [row for row in kept["incoming"] if row["state"] != "new"]
    return {
        table: [
            {
                name: _shown(scene, value)
                for name, value in row.items()
                if name not in BY_CHANCE | BY_THE_WAY_IN | BY_THE_DEATHS | BY_THE_DATABASE.get(table, frozenset())
            }
            for row in rows
        ]
        for table, rows in kept.items()
    }


def _shown(scene: Scene, value: object) -> object:
    """Return the value with the server's address and times replaced."""
    if isinstance(value, datetime) or (isinstance(value, str) and TIME.fullmatch(value)):
        return "some time"
    return DURATION.sub("some time", ISO.sub("some time", str(value).replace(scene.door.address, ADDRESS)))


def forgive(scene: Scene) -> None:
    """Reset the counts of attempts, as an operator can, and let new rows reuse the ids of those rolled back."""
    scene.rows("update incoming set attempts = 0 where state = 'new'")
    scene.rows("update outgoing set holder = null, leased_until = null")
    if scene.database.startswith("postgresql"):
        for table in (table for table in TABLES if table not in KEYS):
            name = f"""pg_get_serial_sequence('"{table}"', 'id')"""
            scene.rows(f"""select setval({name}, (select coalesce(max(id), 0) from "{table}") + 1, false)""")
