"""Store with each match whose turn it is and how many complete turns it has."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from alembic import op

from engines.core import BadOption
from notation.record import BadRecord, Record, replay

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_MATCH = sa.table(
    "match",
    sa.column("id", sa.Integer),
    sa.column("game", sa.String),
    sa.column("options", sa.JSON),
    sa.column("state", sa.String),
    sa.column("plies", sa.Integer),
    sa.column("to_move", sa.Integer),
)
_PLY = sa.table("ply", sa.column("match", sa.Integer), sa.column("number", sa.Integer), sa.column("text", sa.String))
AT_A_TIME = 500
"""Matches that are read and written together."""


def upgrade() -> None:
    """Count the turns of every match, and replay those that are being played; each match is read once."""
    op.add_column("match", sa.Column("to_move", sa.Integer(), nullable=True))
    op.add_column("match", sa.Column("plies", sa.Integer(), nullable=False, server_default="0"))
    op.execute("UPDATE match SET plies = (SELECT count(*) FROM ply WHERE ply.match = match.id)")
    connection = op.get_bind()
    whose_turn = sa.update(_MATCH).where(_MATCH.c.id == sa.bindparam("number")).values(to_move=sa.bindparam("seat"))
    after = 0
    while rows := _running(connection, after):
        after = rows[-1].id
        connection.execute(whose_turn, list(_turns(rows)))
    for seat in ("seat0", "seat1"):
        op.create_index(f"ix_match_{seat}_to_move", "match", [seat, "to_move"])
        op.drop_index(f"ix_match_{seat}", "match")


def downgrade() -> None:
    """Leave it to be computed again."""
    for seat in ("seat0", "seat1"):
        op.create_index(f"ix_match_{seat}", "match", [seat])
        op.drop_index(f"ix_match_{seat}_to_move", "match")
    op.drop_column("match", "plies")
    op.drop_column("match", "to_move")


def _running(connection: sa.Connection, after: int) -> list[Any]:
    """Return the turns of the next matches that are being played, in order; one row for a match without turns."""
    following = (
        sa.select(_MATCH.c.id)
        .where(_MATCH.c.id > after, _MATCH.c.state == "running")
        .order_by(_MATCH.c.id)
        .limit(AT_A_TIME)
    )
    numbers = list(connection.scalars(following))
    return list(
        connection.execute(
            sa.select(_MATCH.c.id, _MATCH.c.game, _MATCH.c.options, _PLY.c.text)
            .outerjoin_from(_MATCH, _PLY, _PLY.c.match == _MATCH.c.id)
            .where(_MATCH.c.id.in_(numbers))
            .order_by(_MATCH.c.id, _PLY.c.number)
        )
    )


def _turns(rows: list[Any]) -> Iterator[dict[str, int | None]]:
    """Yield whose turn it is in each match; nobody's where the turns don't replay, which `pbem check` reports."""
    for number, turns in groupby(rows, key=lambda row: row.id):
        played = list(turns)
        texts = tuple(row.text for row in played if row.text is not None)
        try:
            seat = replay(Record(played[0].game, played[0].options, ("", ""), texts))[-1].turn
        except (BadOption, BadRecord):
            seat = None
        yield {"number": number, "seat": seat}
