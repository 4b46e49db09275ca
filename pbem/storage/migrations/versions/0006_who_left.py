"""Add when a player left."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; nobody has left yet."""
    op.add_column("player", sa.Column("deleted", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Count dropped messages as sent; players who left stay nameless."""
    op.execute("UPDATE outgoing SET state = 'sent' WHERE state = 'dropped'")
    op.drop_column("player", "deleted")
