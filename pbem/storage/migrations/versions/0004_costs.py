"""What a message cost to answer, for a limit by the hour."""

import sqlalchemy as sa
from alembic import op

revision = "1.0004"
down_revision = "1.0003"


def upgrade() -> None:
    op.add_column("incoming", sa.Column("cost", sa.Integer(), server_default="0", nullable=False))
