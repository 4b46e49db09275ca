"""Tournaments, and the players who may open some."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0035"
branch_labels = None
depends_on = None

UNREPORTED = sa.text("tournament IS NOT NULL AND ended IS NOT NULL AND reported IS NULL")
IS_OPEN = sa.text("started IS NULL AND ended IS NULL")


def upgrade() -> None:
    """Add the tables; no match so far belongs to a tournament, and no player may open one."""
    op.create_table(
        "tournament",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("time", sa.String(), nullable=False),
        sa.Column("rated", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("places", sa.Integer(), nullable=False),
        sa.Column("wanted_rounds", sa.Integer(), nullable=True),
        sa.Column("rounds", sa.Integer(), nullable=True),
        sa.Column("at_once", sa.Integer(), nullable=True),
        sa.Column("host", sa.Integer(), nullable=True),
        sa.Column("closes", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["host"], ["player.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_tournament_closes", "tournament", ["closes"], sqlite_where=IS_OPEN, postgresql_where=IS_OPEN)
    op.create_index("ix_tournament_host", "tournament", ["host"])
    op.create_table(
        "entry",
        sa.Column("tournament", sa.Integer(), nullable=False),
        sa.Column("player", sa.Integer(), nullable=False),
        sa.Column("entered", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seed", sa.Integer(), nullable=True),
        sa.Column("rating", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["tournament"], ["tournament.id"]),
        sa.ForeignKeyConstraint(["player"], ["player.id"]),
        sa.PrimaryKeyConstraint("tournament", "player"),
    )
    op.create_index("ix_entry_player", "entry", ["player"])
    op.create_table(
        "pairing",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("board", sa.Integer(), nullable=False),
        sa.Column("game", sa.Integer(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("second", sa.Integer(), nullable=True),
        sa.Column("match", sa.Integer(), nullable=True),
        sa.Column("result", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["tournament"], ["tournament.id"]),
        sa.ForeignKeyConstraint(["first"], ["player.id"]),
        sa.ForeignKeyConstraint(["second"], ["player.id"]),
        sa.ForeignKeyConstraint(["match"], ["match.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("match"),
        sa.UniqueConstraint("tournament", "round", "game", "first"),
        sa.UniqueConstraint("tournament", "round", "game", "second"),
        sa.UniqueConstraint("tournament", "round", "game", "board"),
    )
    op.add_column("match", sa.Column("tournament", sa.Integer(), nullable=True))
    op.add_column("match", sa.Column("round", sa.Integer(), nullable=True))
    op.add_column("match", sa.Column("reported", sa.DateTime(timezone=True), nullable=True))
    op.create_index(
        "ix_match_unreported", "match", ["tournament"], sqlite_where=UNREPORTED, postgresql_where=UNREPORTED
    )
    op.add_column("player", sa.Column("trusted", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Remove them; the matches stay."""
    op.drop_column("player", "trusted")
    op.drop_index("ix_match_unreported", "match")
    for column in ("reported", "round", "tournament"):
        op.drop_column("match", column)
    op.drop_table("pairing")
    op.drop_index("ix_entry_player", "entry")
    op.drop_table("entry")
    op.drop_index("ix_tournament_host", "tournament")
    op.drop_index("ix_tournament_closes", "tournament")
    op.drop_table("tournament")
