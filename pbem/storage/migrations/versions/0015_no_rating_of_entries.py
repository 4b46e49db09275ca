"""The rating that a player had when their tournament began goes: only its report file needed it."""

from alembic import op

revision = "1.0015"
down_revision = "1.0014"


def upgrade() -> None:
    """Remove the column: seeds say in what order the players were, and the ratings of all weeks stay."""
    op.drop_column("entry", "rating")
