"""The fingerprint of the server's key."""

import sqlalchemy as sa
from alembic import op

revision = "1.0005"
down_revision = "1.0004"


def upgrade() -> None:
    op.create_table(
        "serverkey",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
