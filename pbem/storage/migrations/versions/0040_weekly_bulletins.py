"""Weekly bulletins: who wants them, and an index of what has ended."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

ENDED = sa.text("termination IS NOT NULL AND level IS NULL")


def upgrade() -> None:
    """Create the table, which is empty, and the index."""
    op.create_table(
        "bulletin",
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("told", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("player"),
    )
    op.create_index("ix_bulletin_due", "bulletin", ["due"])
    op.create_index("ix_match_ended", "match", ["ended", "id"], sqlite_where=ENDED, postgresql_where=ENDED)


def downgrade() -> None:
    """Remove them; nobody gets a bulletin."""
    op.drop_index("ix_match_ended", "match")
    op.drop_table("bulletin")
