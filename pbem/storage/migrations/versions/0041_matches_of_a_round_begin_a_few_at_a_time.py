"""How far a tournament has begun the matches of a round, or told its players of the end."""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

UNTOLD = sa.text("told IS NOT NULL")


def upgrade() -> None:
    """Add the column: so far, everybody has been told of everything."""
    op.add_column("tournament", sa.Column("told", sa.Integer(), nullable=True))
    op.create_index("ix_tournament_told", "tournament", ["told"], sqlite_where=UNTOLD, postgresql_where=UNTOLD)


def downgrade() -> None:
    """Remove it; what hasn't begun by then never will."""
    op.drop_index("ix_tournament_told", "tournament")
    op.drop_column("tournament", "told")
