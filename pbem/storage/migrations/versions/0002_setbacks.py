"""Scheduled work that fails, and blocks that outlive an account."""

import sqlalchemy as sa
from alembic import op

revision = "1.0002"
down_revision = "1.0001"


def upgrade() -> None:
    op.create_table(
        "setback",
        sa.Column("doing", sa.String(), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "blockedaddress",
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("address", sa.String(), primary_key=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_blockedaddress_address", "blockedaddress", ["address"])
