"""What players watch, and what the spectators of a match have seen of it."""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

UNSEEN = sa.text("shown IS NOT NULL AND (shown <> plies + shift OR ended IS NOT NULL)")
UNNOTICED = sa.text("noticed IS NULL")


def upgrade() -> None:
    """Create the table, which is empty, and the column, which is empty for all matches: nobody watches any."""
    op.create_table(
        "watch",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player", sa.Integer(), nullable=False),
        sa.Column("match", sa.Integer(), nullable=True),
        sa.Column("whom", sa.Integer(), nullable=True),
        sa.Column("tournament", sa.Integer(), nullable=True),
        sa.Column("left_out", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("noticed", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["player"], ["player.id"]),
        sa.ForeignKeyConstraint(["match"], ["match.id"]),
        sa.ForeignKeyConstraint(["whom"], ["player.id"]),
        sa.ForeignKeyConstraint(["tournament"], ["tournament.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("player", "match"),
        sa.UniqueConstraint("player", "whom"),
        sa.UniqueConstraint("player", "tournament"),
    )
    for what in ("match", "whom", "tournament"):
        op.create_index(f"ix_watch_{what}", "watch", [what, "id"])
    op.create_index("ix_watch_unnoticed", "watch", ["noticed"], sqlite_where=UNNOTICED, postgresql_where=UNNOTICED)
    op.add_column("match", sa.Column("shown", sa.Integer(), nullable=True))
    op.create_index("ix_match_unseen", "match", ["shown"], sqlite_where=UNSEEN, postgresql_where=UNSEEN)


def downgrade() -> None:
    """Remove them; nobody watches anything."""
    op.drop_index("ix_match_unseen", "match")
    op.drop_column("match", "shown")
    op.drop_table("watch")
