"""Count attempts for incoming and outgoing messages, including those that crashed the server."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the counters, starting at zero."""
    op.add_column("outgoing", sa.Column("begun", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("incoming", sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Drop the counters."""
    op.drop_column("outgoing", "begun")
    op.drop_column("incoming", "attempts")
