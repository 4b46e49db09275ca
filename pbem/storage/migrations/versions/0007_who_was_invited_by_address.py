"""Add whether a challenge named an address, whose owner stays anonymous until they accept."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; players who had no name yet were invited by address."""
    op.add_column("match", sa.Column("by_address", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute(
        'update "match" set by_address = true where exists (select 1 from player where player.id in (seat0, seat1)'
        ' and (player.confirmed is null or player.confirmed > "match".created))'
    )


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("match", "by_address")
