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
    with op.batch_alter_table("outgoing") as outgoing:
        outgoing.drop_column("settled")
        outgoing.drop_column("retried")
        outgoing.drop_column("facts")
