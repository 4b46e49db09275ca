"""Add what the queue of received messages goes by: who waits where, whose they are, and the last attempt."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and indexes; what waits already stays in the first queue, in its order."""
    op.add_column("incoming", sa.Column("last_attempt", sa.DateTime(timezone=True), nullable=True))
    op.add_column("incoming", sa.Column("lane", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("incoming", sa.Column("author", sa.String(), nullable=True))
    op.create_index("ix_incoming_state_lane", "incoming", ["state", "lane", "id"])
    where = sa.text("author IS NOT NULL")
    op.create_index("ix_incoming_author", "incoming", ["author", "lane"], sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    """Remove them."""
    op.drop_index("ix_incoming_author", "incoming")
    op.drop_index("ix_incoming_state_lane", "incoming")
    for column in ("last_attempt", "lane", "author"):
        op.drop_column("incoming", column)
