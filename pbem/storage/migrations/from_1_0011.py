"""What carries a database of revision 1.0011 to the tables of 1.0020, the last before they started again at 0001."""

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from pbem.storage import migrations
from pbem.storage.utc import Utc

MATCH = sa.table("match", *map(sa.column, ("id", "paused", "resumes")), sa.column("clock", sa.JSON))
MISSING: sa.ColumnClause[Any] = sa.column("missing", Utc())
EVENT = sa.table(
    "clockevent", *map(sa.column, ("id", "match", "kind")), *(sa.column(at, Utc()) for at in ("at", "until"))
)
CONTENT = sa.table("outgoingcontent", sa.column("outgoing"), sa.column("payload", sa.JSON))
PAUSED, RESUMED, STOPPED, WENT_ON = "paused", "resumed", "stopped", "went on"
NO_CLAIMS = {
    "template": "refused",
    "sentence": "This server doesn't look at claims that you win by force, or that neither of you does, any more.",
    "fits": "The match goes on.",
}


def upgrade(connection: sa.Connection) -> None:
    """Keep all matches, players and ratings; what has gone since then has become what comes nearest to it."""
    _pause_stopped_clocks(connection)
    _pause_stopped_matches(connection)
    migrations.run(connection, Path(__file__).with_suffix(".sql"))
    _mend_answers(connection)


def _pause_stopped_matches(connection: sa.Connection) -> None:
    """Pause matches whose game wasn't there without an end: a turn or "resume" lets them go on."""
    for number, clock in connection.execute(sa.select(MATCH.c.id, MATCH.c.clock).where(MISSING.is_not(None))).all():
        paused = None if clock is None else {**clock, "is_paused": True, "paused_until": None}
        changed = {"clock": paused or sa.null(), "paused": sa.func.coalesce(MATCH.c.paused, MISSING), "resumes": None}
        connection.execute(sa.update(MATCH).where(MATCH.c.id == number).values(changed))


def _pause_stopped_clocks(connection: sa.Connection) -> None:
    """Make each stop a pause, which ends when it ended; one that the players had agreed on before goes on then."""
    have_stopped = sa.select(EVENT.c.match).where(EVENT.c.kind == STOPPED)
    events = sa.select(EVENT).where(EVENT.c.match.in_(have_stopped)).order_by(EVENT.c.match, EVENT.c.id)
    match, is_stopped, is_paused, until = None, False, False, None
    for row in connection.execute(events).all():
        if row.match != match:
            match, is_stopped, is_paused, until = row.match, False, False, None
        if row.kind in (STOPPED, WENT_ON):
            is_stopped = row.kind == STOPPED
        elif row.kind in (PAUSED, RESUMED, "received", "taken back", "ended"):
            is_paused, until = row.kind == PAUSED, row.until
            is_stopped = is_stopped and row.kind != "ended"
        if row.kind in (STOPPED, WENT_ON) or (is_stopped and row.kind in (PAUSED, RESUMED)):
            goes_on = is_paused and (until is None or until > row.at)
            kind = PAUSED if is_stopped or goes_on else RESUMED
            changed = {"kind": kind, "until": until if kind == PAUSED and not is_stopped else None}
            connection.execute(sa.update(EVENT).where(EVENT.c.id == row.id).values(changed))


def _mend_answers(connection: sa.Connection) -> None:
    """Take out of answers what no template tells any more: that a claim is looked at, or that accounts were merged."""
    payload_text = sa.cast(CONTENT.c.payload, sa.Text)
    rows = sa.select(CONTENT).where(payload_text.like('%"claimed"%') | payload_text.like('%{"act": "merge"%'))
    for number, payload in connection.execute(rows).all():
        sections: list[dict[str, Any]] = payload.get("sections", [])
        mended = [
            NO_CLAIMS if section.get("template") == "claimed" else section
            for section in sections
            if section.get("act", {}).get("act") != "merge"
        ]
        if mended != sections:
            changed = {"payload": {**payload, "sections": mended}}
            connection.execute(sa.update(CONTENT).where(CONTENT.c.outgoing == number).values(changed))
