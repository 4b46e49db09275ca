"""Keep what was received in rows of its own: SQLite writes a row whole, and what became of a message changes often."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table and move the messages that are still kept there."""
    op.create_table(
        "rawmessage",
        sa.Column("incoming", sa.Integer(), sa.ForeignKey("incoming.id"), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("incoming"),
    )
    op.execute("INSERT INTO rawmessage (incoming, raw) SELECT id, raw FROM incoming WHERE length(raw) > 0")
    op.drop_column("incoming", "raw")


def downgrade() -> None:
    """Move them back."""
    op.add_column("incoming", sa.Column("raw", sa.LargeBinary(), nullable=False, server_default=sa.text("''")))
    op.execute(
        "UPDATE incoming SET raw = (SELECT raw FROM rawmessage WHERE incoming = id)"
        " WHERE id IN (SELECT incoming FROM rawmessage)"
    )
    op.drop_table("rawmessage")
