"""Players who have complained to their mail provider about our messages."""

import sqlalchemy as sa
from alembic import op

revision = "1.0013"
down_revision = "1.0012"


def upgrade() -> None:
    """Add the column; nobody has complained so far."""
    op.add_column("player", sa.Column("complained", sa.DateTime(timezone=True)))
    few = sa.text("complained IS NOT NULL")
    op.create_index("ix_player_complained", "player", ["complained"], sqlite_where=few, postgresql_where=few)
