"""Matches that begin at a position of another match."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add where a match began; until now all began as usual."""
    op.add_column("match", sa.Column("begun_from", sa.Integer(), nullable=True))
    op.add_column("match", sa.Column("begun_after", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    """Remove them; such matches have the turns of both, and can take all of them back."""
    op.drop_column("match", "begun_after")
    op.drop_column("match", "begun_from")
