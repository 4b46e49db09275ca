"""What players choose, what `yes` stands for, and which mail told a piece of news that waited for company."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nobody has chosen anything yet."""
    op.add_column("player", sa.Column("settings", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("outgoing", sa.Column("proposal", sa.String(), nullable=True))
    # In SQL, since Alembic would make the whole table anew on SQLite, for the sake of the reference.
    op.execute("ALTER TABLE outgoing ADD COLUMN told_in INTEGER REFERENCES outgoing (id)")


def downgrade() -> None:
    """Choices and proposals are lost; mails that waited for company stay owed."""
    with op.batch_alter_table("outgoing") as outgoing:
        outgoing.drop_column("told_in")
        outgoing.drop_column("proposal")
    with op.batch_alter_table("player") as player:
        player.drop_column("settings")
