"""The clock isn't watched for leaps any more: a server compares it with the last heartbeat when it starts."""

from alembic import op

revision = "1.0019"
down_revision = "1.0018"


def upgrade() -> None:
    """Remove what was seen of the clock."""
    op.drop_column("clock", "seen")
    op.drop_column("clock", "steady_since")
