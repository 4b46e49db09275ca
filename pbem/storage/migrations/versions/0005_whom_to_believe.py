"""Add bounces of players, whose message each one proved to be, and what proved it without a token."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; nothing has bounced yet."""
    op.add_column("player", sa.Column("bounces", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("player", sa.Column("bounced", sa.DateTime(timezone=True), nullable=True))
    op.add_column("player", sa.Column("unreachable", sa.DateTime(timezone=True), nullable=True))
    # In SQL, since Alembic would recreate the whole table on SQLite because of the reference.
    op.execute("ALTER TABLE incoming ADD COLUMN player INTEGER REFERENCES player (id)")
    op.create_index("ix_incoming_player", "incoming", ["player"])
    op.add_column("incoming", sa.Column("proof", sa.String(), nullable=True))
    op.create_index("ix_incoming_proof", "incoming", ["proof"], unique=True)


def downgrade() -> None:
    """Send what was withheld, and try again to reach unreachable players."""
    op.execute("UPDATE outgoing SET state = 'owed' WHERE state = 'withheld'")
    op.drop_index("ix_incoming_proof", "incoming")
    op.drop_index("ix_incoming_player", "incoming")
    op.drop_column("incoming", "proof")
    op.drop_column("incoming", "player")
    op.drop_column("player", "unreachable")
    op.drop_column("player", "bounced")
    op.drop_column("player", "bounces")
