"""What a message shows of people and matches is stored with it; a retry no longer changes its date."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; a message queued before shows what holds when it is rendered, as it always did."""
    op.add_column("outgoing", sa.Column("facts", sa.JSON(), nullable=True))
    op.add_column("outgoing", sa.Column("retried", sa.DateTime(timezone=True), nullable=True))
    op.add_column("outgoing", sa.Column("settled", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Forget them."""
    op.drop_column("outgoing", "settled")
    op.drop_column("outgoing", "retried")
    op.drop_column("outgoing", "facts")
