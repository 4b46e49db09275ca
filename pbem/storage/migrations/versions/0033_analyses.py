"""Analyses of finished matches by the house."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "analysis",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id"), nullable=False),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("asked", sa.DateTime(timezone=True), nullable=False),
        sa.Column("findings", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done", sa.DateTime(timezone=True), nullable=True),
        sa.Column("troubled", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("match", "player"),
    )
    op.create_index("ix_analysis_player_asked", "analysis", ["player", "asked"])
    waits, is_troubled = sa.text("done IS NULL"), sa.text("troubled IS NOT NULL")
    op.create_index("ix_analysis_due", "analysis", ["due", "id"], sqlite_where=waits, postgresql_where=waits)
    op.create_index(
        "ix_analysis_troubled", "analysis", ["troubled"], sqlite_where=is_troubled, postgresql_where=is_troubled
    )


def downgrade() -> None:
    """Remove it; what was asked for and not found yet is never told."""
    for index in ("ix_analysis_troubled", "ix_analysis_due", "ix_analysis_player_asked"):
        op.drop_index(index, "analysis")
    op.drop_table("analysis")
