"""The ratings for which seeks are."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; the seeks that are open are for everybody."""
    op.add_column("seek", sa.Column("lowest", sa.Integer(), server_default="0", nullable=False))
    op.add_column("seek", sa.Column("highest", sa.Integer(), server_default="4000", nullable=False))


def downgrade() -> None:
    """Remove them; all seeks are for everybody."""
    op.drop_column("seek", "highest")
    op.drop_column("seek", "lowest")
