"""Add what daemons that share a database have found out of the order of messages."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; nothing is known of what waits."""
    op.add_column("incoming", sa.Column("ordering", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("incoming", "ordering")
