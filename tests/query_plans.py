"""The query plans of a database for recorded statements."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, event
from sqlmodel import SQLModel

from pbem.storage import database
from pbem.storage.models import IncomingState, OutgoingState
from pbem.storage.retention import INCOMING, OUTGOING, Rule

FEW = {"announcement", "backup", "blockedaddress", "clock", "daemon", "outage", "ratedweek", "serverkey", "setback"}
"""The tables that get a few rows a year."""
GROWING = {table.name for table in SQLModel.metadata.sorted_tables} - FEW
MAY_BE_MANY = {*OutgoingState, *IncomingState} - {
    *(state for rules in (INCOMING, OUTGOING) for state, rule in rules.items() if rule is Rule.IN_WORK)
}
"""States of years of messages, for which an index on the state alone is as bad as none."""
BY_STATE = re.compile(r"USING (?:COVERING )?INDEX ix_(?:incoming|outgoing)_state(?:_lane)? \(state=\?\)")
WAITING = {
    "ix_analysis_due",
    "ix_analysis_troubled",
    "ix_claim_due",
    "ix_entry_gone",
    "ix_incoming_group",
    "ix_incoming_waiting",
    "ix_match_unreached",
    "ix_match_unreported",
    "ix_match_unseen",
    "ix_outgoing_group",
    "ix_outgoing_troubled",
    "ix_outgoing_waiting",
    "ix_player_complained",
    "ix_player_unreachable",
    "ix_search_troubled",
    "ix_tournament_closes",
    "ix_tournament_told",
}
"""Indexes that hold only what waits, or hardly ever happens: all of one may be read."""

Statements = dict[str, Any]
"""Each statement with the parameters of one execution."""


@contextmanager
def listened(engine: Engine | type[Engine]) -> Iterator[Statements]:
    """Record every statement that reads, on an engine or on all of them."""
    found: Statements = {}

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> None:
        if statement.split(None, 1)[0].lower() in ("select", "update", "delete", "with") and not many:
            found.setdefault(statement, parameters)

    event.listen(engine, "before_cursor_execute", note)
    yield found
    event.remove(engine, "before_cursor_execute", note)


AT_A_START = 'SELECT DISTINCT "match".game, "match".rules'
"""Whether all games of running matches are there: asked once, and again when a game has come or gone."""


def scans(engine: Engine, statements: Statements) -> dict[str, list[str]]:
    """Return the statements for which SQLite reads a growing table from one end to the other, and where.

    PostgreSQL has the same indexes, and chooses among them by the size of tables.
    """
    if engine.dialect.name != "sqlite":
        return {}
    statements = {each: found for each, found in statements.items() if not each.startswith(AT_A_START)}
    found: dict[str, list[str]] = {}
    with database.read_only(engine) as session:
        for statement, parameters in list(statements.items()):
            plan = session.connection().exec_driver_sql(f"explain query plan {statement}", parameters)
            steps = [str(row[3]) for row in plan]
            scans = [step for step in steps if _is_whole(step)]
            if MAY_BE_MANY.intersection(each for each in parameters if isinstance(each, str)):
                scans += [step for step in steps if BY_STATE.search(step)]
            if scans:
                found[statement] = scans
    return found


def _is_whole(step: str) -> bool:
    """Return whether this step of SQLite's reads a growing table or its index from one end to the other."""
    kind, table, *rest = [*step.split(), ""]
    return kind == "SCAN" and table in GROWING and WAITING.isdisjoint(rest)
