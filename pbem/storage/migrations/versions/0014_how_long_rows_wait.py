"""Mark what is removed and what needs the operator, and tell news that a player has paused from news for a digest."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

INDEXES = (
    ("ix_incoming_state_handled", "incoming", ("state", "handled"), "removed IS NULL"),
    ("ix_outgoing_state_due", "outgoing", ("state", "due"), "removed IS NULL"),
    ("ix_outgoing_troubled", "outgoing", ("troubled",), "troubled IS NOT NULL"),
)
COLUMNS = (("incoming", "removed"), ("outgoing", "removed"), ("outgoing", "troubled"))


def upgrade() -> None:
    """Add the columns, fill them from what the rows hold, and index the rows that are still of interest."""
    for table, column in COLUMNS:
        op.add_column(table, sa.Column(column, sa.DateTime(timezone=True), nullable=True))
    op.execute("UPDATE incoming SET removed = coalesce(handled, received) WHERE length(raw) = 0")
    op.execute("UPDATE outgoing SET removed = due WHERE CAST(payload AS TEXT) LIKE '%\"removed\": true%'")
    op.execute(
        "UPDATE outgoing SET troubled = due WHERE template <> 'alert'"
        " AND (state = 'failed' OR (state = 'owed' AND error LIKE 'Traceback%'))"
    )
    op.execute(
        "UPDATE outgoing SET state = 'paused' WHERE state = 'batched'"
        " AND player IN (SELECT id FROM player WHERE stopped IS NOT NULL)"
    )
    for name, table, columns, where in INDEXES:
        op.create_index(name, table, list(columns), sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def downgrade() -> None:
    """Remove them."""
    for name, table, _, _ in INDEXES:
        op.drop_index(name, table)
    op.execute("UPDATE outgoing SET state = 'batched' WHERE state = 'paused'")
    for table, column in COLUMNS:
        op.drop_column(table, column)
