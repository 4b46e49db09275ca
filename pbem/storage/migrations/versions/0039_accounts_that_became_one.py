"""Accounts that became part of another one, and the players that the admin lists."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, which is empty for all, and the indexes."""
    op.add_column("player", sa.Column("merged_into", sa.Integer(), nullable=True))
    for name, column, where in (
        ("ix_player_merged_into", "merged_into", "merged_into IS NOT NULL"),
        ("ix_player_banned", "name", "banned IS NOT NULL"),
        ("ix_player_stopped", "name", "stopped IS NOT NULL"),
    ):
        op.create_index(name, "player", [column], sqlite_where=sa.text(where), postgresql_where=sa.text(where))
    op.create_index("ix_playerrating_game_week", "playerrating", ["game", "week"])


def downgrade() -> None:
    """Remove them; accounts that became part of another one are those of guests with a name."""
    op.drop_index("ix_playerrating_game_week", "playerrating")
    for name in ("ix_player_stopped", "ix_player_banned", "ix_player_merged_into"):
        op.drop_index(name, "player")
    op.drop_column("player", "merged_into")
