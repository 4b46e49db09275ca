"""Matches have a time control and a clock, and outages of the server are known; earlier matches have no limit."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

MATCH = ("time", "clock", "due")


def upgrade() -> None:
    """Add the columns and the tables."""
    op.add_column("match", sa.Column("time", sa.String(), nullable=True))
    op.add_column("match", sa.Column("clock", sa.JSON(), nullable=True))
    op.add_column("match", sa.Column("due", sa.DateTime(timezone=True), nullable=True))
    is_due = sa.text("due IS NOT NULL")
    op.create_index("ix_match_due", "match", ["due"], sqlite_where=is_due, postgresql_where=is_due)
    op.create_table(
        "clockevent",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id"), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("days", sa.JSON(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_clockevent_match", "clockevent", ["match"])
    op.create_table(
        "outage",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_outage_until", "outage", ["until"])
    op.add_column("clock", sa.Column("beat", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Remove them; matches go on without a limit."""
    op.drop_column("clock", "beat")
    op.drop_index("ix_outage_until", "outage")
    op.drop_table("outage")
    op.drop_index("ix_clockevent_match", "clockevent")
    op.drop_table("clockevent")
    op.drop_index("ix_match_due", "match")
    for column in reversed(MATCH):
        op.drop_column("match", column)
