"""Offers in a running match, pauses, and a log of the turns that were taken back."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0019"
branch_labels = None
depends_on = None

MATCH = ("shift", "offers", "paused", "muted0", "muted1", "rematch")


def upgrade() -> None:
    """Create the table and the columns; nothing was offered or taken back before."""
    op.create_table(
        "takenback",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("shift", sa.Integer(), nullable=False),
        sa.Column("incoming", sa.Integer(), sa.ForeignKey("incoming.id"), nullable=True),
        sa.Column("played", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken_back", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_takenback_match_shift", "takenback", ["match", "shift"])
    op.add_column("outgoing", sa.Column("shift", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("match", sa.Column("shift", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("match", sa.Column("offers", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("match", sa.Column("paused", sa.DateTime(timezone=True), nullable=True))
    op.add_column("match", sa.Column("muted0", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("match", sa.Column("muted1", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("match", sa.Column("rematch", sa.Integer(), nullable=True))


def downgrade() -> None:
    """Remove them; turns that were taken back are forgotten."""
    for column in reversed(MATCH):
        op.drop_column("match", column)
    op.drop_column("outgoing", "shift")
    op.drop_index("ix_takenback_match_shift", "takenback")
    op.drop_table("takenback")
