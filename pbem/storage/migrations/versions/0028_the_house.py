"""Matches against the house, and what it thinks about; earlier matches are all between people."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column and the table."""
    op.add_column("match", sa.Column("level", sa.Integer(), nullable=True))
    op.create_table(
        "search",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id"), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("asked", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done", sa.DateTime(timezone=True), nullable=True),
        sa.Column("value", sa.Float(), nullable=True),
        sa.Column("troubled", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("match", "kind", "version"),
    )
    op.create_index("ix_search_player_kind_asked", "search", ["player", "kind", "asked"])
    is_troubled = sa.text("troubled IS NOT NULL")
    op.create_index(
        "ix_search_troubled", "search", ["troubled"], sqlite_where=is_troubled, postgresql_where=is_troubled
    )


def downgrade() -> None:
    """Remove them; the house forgets how well it played, and its matches go on as those of a player who is silent."""
    op.drop_index("ix_search_troubled", "search")
    op.drop_index("ix_search_player_kind_asked", "search")
    op.drop_table("search")
    op.drop_column("match", "level")
