"""Columns and states of messages get the names that they have elsewhere: errors, batched, merged, suspended."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

COLUMNS = (
    ("incoming", "trouble", "error"),
    ("outgoing", "trouble", "error"),
    ("outgoing", "told_in", "merged_into"),
    ("outgoing", "begun", "delivery_starts"),
)
STATES = (("collected", "batched"), ("told", "merged"), ("withheld", "suspended"))


def upgrade() -> None:
    """Rename."""
    for table, old, new in COLUMNS:
        op.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    for old, new in STATES:
        _restate(old, new)


def downgrade() -> None:
    """Rename back."""
    for old, new in STATES:
        _restate(new, old)
    for table, old, new in COLUMNS:
        op.execute(f"ALTER TABLE {table} RENAME COLUMN {new} TO {old}")


def _restate(old: str, new: str) -> None:
    outgoing = sa.table("outgoing", sa.column("state"))
    op.execute(outgoing.update().where(outgoing.c.state == old).values(state=new))
