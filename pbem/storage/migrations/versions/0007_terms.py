"""Terms of matches: whether turns can be taken back without asking; and of tournaments: how often they come again."""

import sqlalchemy as sa
from alembic import op

revision = "1.0007"
down_revision = "1.0006"


def upgrade() -> None:
    """Add the columns; in all matches so far players ask, and all tournaments so far come once."""
    for table in ("match", "seek"):
        op.add_column(table, sa.Column("free_undo", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("tournament", sa.Column("every", sa.String(), nullable=True))
    op.add_column("tournament", sa.Column("entry_days", sa.Integer(), nullable=True))
    op.add_column("tournament", sa.Column("reopens", sa.DateTime(timezone=True), nullable=True))
    waiting = sa.text("reopens IS NOT NULL")
    op.create_index("ix_tournament_reopens", "tournament", ["reopens"], sqlite_where=waiting, postgresql_where=waiting)
