"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create all tables."""
    op.create_table(
        "incoming",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("sender", sa.String(), nullable=True),
        sa.Column("recipients", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=True),
        sa.Column("trouble", sa.String(), nullable=True),
        sa.Column("received", sa.DateTime(timezone=True), nullable=False),
        sa.Column("handled", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
    )
    op.create_index("ix_incoming_state", "incoming", ["state"])

    op.create_table(
        "player",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=True),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("confirmed", sa.DateTime(timezone=True), nullable=True),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("address"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "match",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("seat0", sa.Integer(), nullable=False),
        sa.Column("seat1", sa.Integer(), nullable=False),
        sa.Column("challenger", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("part", sa.String(), nullable=True),
        sa.Column("winner", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["challenger"],
            ["player.id"],
        ),
        sa.ForeignKeyConstraint(
            ["seat0"],
            ["player.id"],
        ),
        sa.ForeignKeyConstraint(
            ["seat1"],
            ["player.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_match_seat0", "match", ["seat0"])
    op.create_index("ix_match_seat1", "match", ["seat1"])
    op.create_index("ix_match_state", "match", ["state"])

    op.create_table(
        "outgoing",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("template", sa.String(), nullable=False),
        sa.Column("words", sa.JSON(), nullable=False),
        sa.Column("match", sa.Integer(), nullable=True),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("player", sa.Integer(), nullable=True),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=True),
        sa.Column("subject", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("incoming", sa.Integer(), nullable=True),
        sa.Column("in_reply_to", sa.String(), nullable=True),
        sa.Column("references", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("trouble", sa.String(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sent", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["incoming"],
            ["incoming.id"],
        ),
        sa.ForeignKeyConstraint(
            ["match"],
            ["match.id"],
        ),
        sa.ForeignKeyConstraint(
            ["player"],
            ["player.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("message_id"),
    )
    op.create_index("ix_outgoing_address", "outgoing", ["address"])
    op.create_index("ix_outgoing_incoming", "outgoing", ["incoming"])
    op.create_index("ix_outgoing_match", "outgoing", ["match"])
    op.create_index("ix_outgoing_state", "outgoing", ["state"])

    op.create_table(
        "ply",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("incoming", sa.Integer(), nullable=True),
        sa.Column("played", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["incoming"],
            ["incoming.id"],
        ),
        sa.ForeignKeyConstraint(
            ["match"],
            ["match.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("match", "number"),
    )
    op.create_index("ix_ply_match", "ply", ["match"])


def downgrade() -> None:
    """Back to nothing."""
    op.drop_table("ply")

    op.drop_table("outgoing")

    op.drop_table("match")
    op.drop_table("player")

    op.drop_table("incoming")
