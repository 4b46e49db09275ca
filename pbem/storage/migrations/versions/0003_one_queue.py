"""One queue for messages in both directions: leases in the rows, and groups that take turns."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from pbem.storage.utc import Utc

revision = "1.0003"
down_revision = "1.0002"


def upgrade() -> None:
    """Add the columns of leases and turns, and drop those of locks."""
    for table in ("incoming", "outgoing", "search", "analysis", "backup"):
        op.add_column(table, sa.Column("leased_until", Utc(), nullable=True))
        op.add_column(table, sa.Column("holder", sa.String(), nullable=True))
    op.drop_index("ix_incoming_state_lane", table_name="incoming")
    op.drop_index("ix_incoming_author", table_name="incoming")
    op.alter_column("incoming", "author", new_column_name="group")
    op.add_column("incoming", sa.Column("round", sa.Integer(), server_default="0", nullable=False))
    op.drop_column("incoming", "ordering")
    op.drop_column("incoming", "last_attempt")
    op.add_column("outgoing", sa.Column("lane", sa.Integer(), server_default="0", nullable=False))
    op.add_column("outgoing", sa.Column("group", sa.String(), nullable=True))
    op.add_column("outgoing", sa.Column("round", sa.Integer(), server_default="0", nullable=False))
    op.drop_column("outgoing", "delivery_starts")
    for table, state in (("incoming", "new"), ("outgoing", "owed")):
        where: Any = {f"{dialect}_where": sa.text(f"state = '{state}'") for dialect in ("sqlite", "postgresql")}
        op.create_index(f"ix_{table}_waiting", table, ["lane", "round", "id"], **where)
        op.create_index(
            f"ix_{table}_group", table, ["group", "id", "lane"] if table == "incoming" else ["group"], **where
        )
