"""Matches that were imported from records, and matches that begin at a position of another one."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what an imported match is known by and where matches began; until now all were played here from the start."""
    op.add_column("match", sa.Column("imported", sa.String(), nullable=True))
    op.create_index("ix_match_imported", "match", ["imported"], unique=True)
    op.add_column("match", sa.Column("begun_from", sa.Integer(), nullable=True))
    op.add_column("match", sa.Column("begun_after", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    """Remove them; imported matches stay, and could be imported again."""
    op.drop_column("match", "begun_after")
    op.drop_column("match", "begun_from")
    op.drop_index("ix_match_imported", "match")
    op.drop_column("match", "imported")
