"""The version of the rules that a match is played by."""

import sqlalchemy as sa
from alembic import op

revision = "1.0006"
down_revision = "1.0005"


def upgrade() -> None:
    """Add the column; all matches so far are played by the first version."""
    op.add_column("match", sa.Column("rules", sa.Integer(), server_default="1", nullable=False))
