"""Matches that end when a result is proven, and the claims of their players."""

import sqlalchemy as sa
from alembic import op

revision = "1.0010"
down_revision = "1.0009"


def upgrade() -> None:
    """Add the column and the table; nobody has agreed on proofs so far."""
    op.add_column("match", sa.Column("proofs", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_table(
        "claim",
        sa.Column("leased_until", sa.DateTime(timezone=True)),
        sa.Column("holder", sa.String()),
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id"), nullable=False),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("is_draw", sa.Boolean(), nullable=False),
        sa.Column("asked", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("searched", sa.DateTime(timezone=True)),
        sa.Column("done", sa.DateTime(timezone=True)),
        sa.Column("is_void", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.UniqueConstraint("match", "player", "version"),
    )
    op.create_index("ix_claim_player_asked", "claim", ["player", "asked"])
    unfinished = sa.text("done IS NULL")
    op.create_index("ix_claim_due", "claim", ["due", "id"], sqlite_where=unfinished, postgresql_where=unfinished)
