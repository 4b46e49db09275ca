"""Add when players stopped their mail, and whether an outgoing message is news or a reply."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; everyone gets mail, and for older messages it no longer matters."""
    op.add_column("player", sa.Column("stopped", sa.DateTime(timezone=True), nullable=True))
    op.add_column("outgoing", sa.Column("is_notice", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Drop the columns; everyone gets mail again, and collected news is sent one by one."""
    op.execute("UPDATE outgoing SET state = 'owed' WHERE state = 'collected'")
    op.execute("UPDATE outgoing SET state = 'sent' WHERE state = 'told'")
    op.drop_column("outgoing", "is_notice")
    op.drop_column("player", "stopped")
