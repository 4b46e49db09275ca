"""Team matches are gone.

One that is over is a Swiss now, whose table has a column for each round, too. One that is open or running is over: its
running matches go on as ordinary ones, and those that hadn't begun don't begin. Results and ratings stay.
"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from pbem.storage.utc import Utc

revision = "1.0017"
down_revision = "1.0016"

KIND, INSTEAD = "team-match", "swiss"
REPORT = "tournament_over"
tournament = sa.table(
    "tournament", *map(sa.column, ("id", "kind", "told", "every", "reopens")), sa.column("ended", Utc())
)
pairing = sa.table("pairing", *map(sa.column, ("tournament", "match", "result")))
match = sa.table("match", *map(sa.column, ("id", "tournament", "round", "ended", "reported")))


def upgrade() -> None:
    """End team matches, let go of their running matches, and drop final reports of them that weren't sent."""
    bind = op.get_bind()
    numbers = sa.select(tournament.c.id).where(tournament.c.kind == KIND)
    of_them = match.c.tournament.in_(numbers)
    running = sa.select(match.c.id).where(match.c.ended.is_(None), of_them)
    never_begun = pairing.c.match.is_(None) & pairing.c.result.is_(None)
    bind.execute(
        sa.delete(pairing).where(pairing.c.tournament.in_(numbers), pairing.c.match.in_(running) | never_begun)
    )
    bind.execute(sa.update(match).where(match.c.ended.is_(None), of_them).values(tournament=None, round=None))
    bind.execute(sa.update(match).where(match.c.reported.is_(None), of_them).values(reported=match.c.ended))
    was_on = tournament.c.ended.is_(None)
    bind.execute(
        sa.update(tournament).where(tournament.c.kind == KIND, was_on).values(ended=datetime.now(UTC), told=None)
    )
    bind.execute(sa.update(tournament).where(tournament.c.kind == KIND).values(kind=INSTEAD, every=None, reopens=None))
    _drop_reports(bind)


def _drop_reports(bind: sa.Connection) -> None:
    outgoing = sa.table("outgoing", *map(sa.column, ("id", "template", "state", "troubled")))
    content = sa.table("outgoingcontent", sa.column("outgoing"), sa.column("payload", sa.JSON()))
    unsent = (outgoing.c.template == REPORT, outgoing.c.state.not_in(("sent", "dropped")))
    rows = sa.select(content).join(outgoing, outgoing.c.id == content.c.outgoing).where(*unsent)
    numbers = [number for number, payload in bind.execute(rows).all() if payload["line"]["kind"] == KIND]
    bind.execute(sa.update(outgoing).where(outgoing.c.id.in_(numbers)).values(state="dropped", troubled=None))
