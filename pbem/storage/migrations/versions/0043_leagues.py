"""Leagues: the size of their groups, and one season after another."""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what leagues need; no tournament so far is a season of one."""
    for name in ("group_size", "promoted", "previous"):
        op.add_column("tournament", sa.Column(name, sa.Integer(), nullable=True))
    op.add_column("tournament", sa.Column("season", sa.Integer(), server_default="1", nullable=False))
    op.create_index("ix_tournament_previous", "tournament", ["previous"], unique=True)


def downgrade() -> None:
    """Remove it; the tournaments stay."""
    op.drop_index("ix_tournament_previous", "tournament")
    for name in ("season", "previous", "promoted", "group_size"):
        op.drop_column("tournament", name)
