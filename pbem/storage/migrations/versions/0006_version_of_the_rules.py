"""The version of the rules that a match is played by, and since when the game of a running match isn't there."""

import sqlalchemy as sa
from alembic import op

from pbem.storage.utc import Utc

revision = "1.0006"
down_revision = "1.0005"


def upgrade() -> None:
    """Add the columns; all matches so far are played by the first version."""
    op.add_column("match", sa.Column("rules", sa.Integer(), server_default="1", nullable=False))
    op.add_column("match", sa.Column("missing", Utc(), nullable=True))
    few = sa.text("missing IS NOT NULL")
    op.create_index("ix_match_missing", "match", ["missing", "game", "rules"], sqlite_where=few, postgresql_where=few)
