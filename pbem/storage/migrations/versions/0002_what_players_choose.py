"""Add settings of players, what `yes` stands for, and which message a piece of collected news was merged into."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; nobody has chosen anything yet."""
    op.add_column("player", sa.Column("settings", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("outgoing", sa.Column("proposal", sa.String(), nullable=True))
    # In SQL, since Alembic would recreate the whole table on SQLite because of the reference.
    op.execute("ALTER TABLE outgoing ADD COLUMN told_in INTEGER REFERENCES outgoing (id)")


def downgrade() -> None:
    """Drop settings and suggestions; collected news stays queued."""
    op.drop_column("outgoing", "told_in")
    op.drop_column("outgoing", "proposal")
    op.drop_column("player", "settings")
