"""A match doesn't stop any more while its game isn't there, and no game is suspended.

A match that had stopped is paused without an end: a turn or "resume" lets it go on, and nobody loses time until then.
In the past of a clock, what was a stop is a pause.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

from pbem.storage.utc import Utc

revision = "1.0020"
down_revision = "1.0019"

MATCH = sa.table("match", sa.column("id"), sa.column("clock", sa.JSON), sa.column("paused"), sa.column("resumes"))
MISSING: sa.ColumnClause[Any] = sa.column("missing", Utc())
EVENT = sa.table(
    "clockevent", *map(sa.column, ("id", "match", "kind")), *(sa.column(at, Utc()) for at in ("at", "until"))
)
OUTGOING = sa.table("outgoing", *map(sa.column, ("id", "template", "state", "troubled")))
CONTENT = sa.table("outgoingcontent", sa.column("outgoing"), sa.column("payload", sa.JSON))
PAUSED, RESUMED, STOPPED, WENT_ON = "paused", "resumed", "stopped", "went on"


def upgrade() -> None:
    """Change the events and the matches, and drop news of stops that wasn't sent."""
    _rewrite_clocks()
    connection = op.get_bind()
    has_stopped = MISSING.is_not(None)
    for number, clock in connection.execute(sa.select(MATCH.c.id, MATCH.c.clock).where(has_stopped)).all():
        paused = None if clock is None else {**clock, "is_paused": True, "paused_until": None}
        changed = {"clock": paused or sa.null(), "paused": sa.func.coalesce(MATCH.c.paused, MISSING), "resumes": None}
        connection.execute(sa.update(MATCH).where(MATCH.c.id == number).values(changed))
    told = sa.cast(CONTENT.c.payload, sa.Text)
    of_stops = sa.select(CONTENT.c.outgoing).where(told.like('%"stopped": true%') | told.like('%"went_on": true%'))
    is_unsent = (
        OUTGOING.c.template == "turn",
        OUTGOING.c.state.not_in(("sent", "dropped")),
        OUTGOING.c.id.in_(of_stops),
    )
    op.execute(sa.update(OUTGOING).where(*is_unsent).values(state="dropped", troubled=None))
    op.execute("DELETE FROM setback WHERE doing LIKE 'game %'")
    op.drop_index("ix_match_missing", "match")
    op.drop_column("match", "missing")


def _rewrite_clocks() -> None:
    """Make each stop a pause, which ends when it ended; one that the players had agreed on before goes on then."""
    connection = op.get_bind()
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
