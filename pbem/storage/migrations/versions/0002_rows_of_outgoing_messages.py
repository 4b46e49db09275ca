"""Indexes by which rows of outgoing messages are deleted, and what was merged into them is found."""

from alembic import op

revision = "3.0002"
down_revision = "3.0001"


def upgrade() -> None:
    for name in ("merged_into", "removed"):
        op.execute(f"CREATE INDEX IF NOT EXISTS ix_outgoing_{name} ON outgoing ({name}) WHERE {name} IS NOT NULL")
