"""Seeks, blocked players, who is listed, and indexes for the history of players."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

HISTORY = {
    "ix_match_seat0_ended": ["seat0", "ended", "id", "game", "winner", "termination"],
    "ix_match_seat1_ended": ["seat1", "ended", "id", "game", "winner", "termination"],
    "ix_match_pair_ended": ["seat0", "seat1", "ended", "id", "winner", "termination"],
}


def upgrade() -> None:
    """Create the tables and the indexes; nobody is listed before they say so."""
    op.create_table(
        "seek",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("time", sa.String(), nullable=True),
        sa.Column("begin", sa.String(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_seek_player_created", "seek", ["player", "created"])
    _partial("ix_seek_expires", "seek", ["expires", "id"], "closed IS NULL")
    _partial("ix_seek_game_expires", "seek", ["game", "expires", "id"], "closed IS NULL")
    _partial("ix_seek_player", "seek", ["player"], "closed IS NULL")
    op.create_table(
        "block",
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("blocked", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("player", "blocked"),
    )
    op.create_index("ix_block_blocked", "block", ["blocked"])
    op.create_table(
        "presence",
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("seen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("listed", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("player"),
    )
    _partial("ix_presence_seen", "presence", ["seen", "player"], "listed IS NOT NULL")
    for name, columns in HISTORY.items():
        _partial(name, "match", columns, "termination IS NOT NULL")


def _partial(name: str, table: str, columns: list[str], where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def downgrade() -> None:
    """Remove them; open seeks and blocks are forgotten."""
    for name in HISTORY:
        op.drop_index(name, "match")
    for table in ("presence", "block", "seek"):
        op.drop_table(table)
