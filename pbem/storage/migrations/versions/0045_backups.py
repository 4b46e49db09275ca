"""When a server made its last backup by itself, and since when it can't."""

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table, which is empty: no backup is known."""
    op.create_table(
        "backup",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("made", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failed", sa.DateTime(timezone=True), nullable=True),
        sa.Column("troubled", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )


def downgrade() -> None:
    """Remove it; a server makes a backup at its next start."""
    op.drop_table("backup")
