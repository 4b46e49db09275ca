"""Ladders: who stands on which rung, and what has happened on them."""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

ON_IT = sa.text("rung IS NOT NULL")
GONE = sa.text("rung IS NOT NULL AND withdrawn IS NOT NULL")


def upgrade() -> None:
    """Add what ladders need; no tournament so far is one."""
    op.add_column("tournament", sa.Column("reach", sa.Integer(), nullable=True))
    op.add_column("entry", sa.Column("rung", sa.Integer(), nullable=True))
    op.create_index("ix_entry_rung", "entry", ["tournament", "rung"], sqlite_where=ON_IT, postgresql_where=ON_IT)
    op.create_index("ix_entry_gone", "entry", ["withdrawn"], sqlite_where=GONE, postgresql_where=GONE)
    op.create_table(
        "ladderstep",
        sa.Column("tournament", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("player", sa.Integer(), nullable=True),
        sa.Column("match", sa.Integer(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["tournament"], ["tournament.id"]),
        sa.ForeignKeyConstraint(["player"], ["player.id"]),
        sa.ForeignKeyConstraint(["match"], ["match.id"]),
        sa.PrimaryKeyConstraint("tournament", "number"),
        sa.UniqueConstraint("match"),
    )


def downgrade() -> None:
    """Remove it; the matches stay."""
    op.drop_table("ladderstep")
    op.drop_index("ix_entry_gone", "entry")
    op.drop_index("ix_entry_rung", "entry")
    op.drop_column("entry", "rung")
    op.drop_column("tournament", "reach")
