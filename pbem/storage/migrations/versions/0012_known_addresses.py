"""Other addresses from which players write."""

import sqlalchemy as sa
from alembic import op

from pbem.storage.utc import Utc

revision = "1.0012"
down_revision = "1.0011"


def upgrade() -> None:
    op.create_table(
        "knownaddress",
        sa.Column("player", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("since", Utc(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["player.id"]),
        sa.PrimaryKeyConstraint("player", "address"),
    )
