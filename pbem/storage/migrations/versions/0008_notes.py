"""Notes of one's own: what players write down for themselves about a match."""

import sqlalchemy as sa
from alembic import op

revision = "1.0008"
down_revision = "1.0006"


def upgrade() -> None:
    """Add the table, and the columns that say where there is a note."""
    op.create_table(
        "note",
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["match.id"]),
        sa.PrimaryKeyConstraint("match", "seat"),
    )
    for seat in (0, 1):
        op.add_column("match", sa.Column(f"noted{seat}", sa.Boolean(), server_default=sa.false(), nullable=False))
