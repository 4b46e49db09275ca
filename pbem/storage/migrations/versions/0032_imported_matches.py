"""Matches that were imported from records."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what an imported match is known by; none was until now."""
    op.add_column("match", sa.Column("imported", sa.String(), nullable=True))
    op.create_index("ix_match_imported", "match", ["imported"], unique=True)


def downgrade() -> None:
    """Remove it; imported matches stay, and could be imported again."""
    op.drop_index("ix_match_imported", "match")
    op.drop_column("match", "imported")
