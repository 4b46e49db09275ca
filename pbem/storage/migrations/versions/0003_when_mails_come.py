"""Players can have their mails stopped, and each owed mail says whether it is news or an answer."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Everybody gets mail; of the mails owed before it does not matter any more."""
    op.add_column("player", sa.Column("stopped", sa.DateTime(timezone=True), nullable=True))
    op.add_column("outgoing", sa.Column("is_notice", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Whoever wanted no mail gets it again, and what waited for company goes out by itself."""
    op.execute("UPDATE outgoing SET state = 'owed' WHERE state = 'collected'")
    op.execute("UPDATE outgoing SET state = 'sent' WHERE state = 'told'")
    with op.batch_alter_table("outgoing") as outgoing:
        outgoing.drop_column("is_notice")
    with op.batch_alter_table("player") as player:
        player.drop_column("stopped")
