"""Ratings, and the matches that count for them."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

COUNTED = sa.text("counted IS NOT NULL")
LATEST = sa.text("superseded IS NULL")


def upgrade() -> None:
    """Create the tables and columns; no match before was rated."""
    op.add_column("match", sa.Column("rated", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("match", sa.Column("counted", sa.DateTime(timezone=True), nullable=True))
    op.create_index("ix_match_counted", "match", ["game", "counted"], sqlite_where=COUNTED, postgresql_where=COUNTED)
    op.create_table(
        "playerrating",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("week", sa.Date(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("volatility", sa.Float(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("superseded", sa.Date(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("player", "game", "week"),
    )
    op.create_index(
        "ix_playerrating_standings",
        "playerrating",
        ["game", sa.text("rating DESC"), "player"],
        sqlite_where=LATEST,
        postgresql_where=LATEST,
    )
    op.create_table(
        "ratedweek",
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("week", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("game", "week"),
    )


def downgrade() -> None:
    """Remove them; ratings can be made again from the matches only as long as these say which were rated."""
    op.drop_table("ratedweek")
    op.drop_index("ix_playerrating_standings", "playerrating")
    op.drop_table("playerrating")
    op.drop_index("ix_match_counted", "match")
    op.drop_column("match", "counted")
    op.drop_column("match", "rated")
