"""How often a mail was tried, coming in or going out, also where the attempt ended the server."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Mails that wait now begin at none."""
    op.add_column("outgoing", sa.Column("begun", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("incoming", sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    """The counts are lost."""
    with op.batch_alter_table("outgoing") as outgoing:
        outgoing.drop_column("begun")
    with op.batch_alter_table("incoming") as incoming:
        incoming.drop_column("attempts")
