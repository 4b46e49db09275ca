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
