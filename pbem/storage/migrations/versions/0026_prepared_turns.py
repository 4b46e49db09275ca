"""What players have prepared for the opponent's next turn."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table; nobody could prepare anything before."""
    op.create_table(
        "prepared",
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id"), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("lines", sa.JSON(), nullable=False),
        sa.Column("incoming", sa.Integer(), sa.ForeignKey("incoming.id"), nullable=True),
        sa.PrimaryKeyConstraint("match", "seat"),
    )


def downgrade() -> None:
    """Remove it; what was prepared is forgotten."""
    op.drop_table("prepared")
