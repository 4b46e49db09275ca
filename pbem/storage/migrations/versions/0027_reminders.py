"""Reminders of turns, and losses on time of players whom our messages didn't reach."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

MATCH = ("remind", "unreached")


def upgrade() -> None:
    """Add the columns. In matches that are being played, reminders begin with the next turn."""
    for column in MATCH:
        op.add_column("match", sa.Column(column, sa.DateTime(timezone=True), nullable=True))
        is_set = sa.text(f"{column} IS NOT NULL")
        op.create_index(f"ix_match_{column}", "match", [column], sqlite_where=is_set, postgresql_where=is_set)
    op.add_column("clockevent", sa.Column("taken", sa.Integer(), nullable=True))


def downgrade() -> None:
    """Remove them; nobody is reminded any more. What the clock says of reminders would be no event then."""
    op.execute("DELETE FROM clockevent WHERE kind = 'reminded'")
    op.drop_column("clockevent", "taken")
    for column in reversed(MATCH):
        op.drop_index(f"ix_match_{column}", "match")
        op.drop_column("match", column)
