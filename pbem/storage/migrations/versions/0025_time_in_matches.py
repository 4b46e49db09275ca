"""Matches have a time control; those of before have none."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("match", sa.Column("time", sa.String(), nullable=True))


def downgrade() -> None:
    """Remove it; matches go on without a limit."""
    op.drop_column("match", "time")
