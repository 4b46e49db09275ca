"""What players note for themselves about a match, and how they finished theirs."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "1.0008"
down_revision = "1.0007"


def upgrade() -> None:
    """Add the table of notes, what says where there is one, the indexes of finished matches, and reliable seeks."""
    op.create_table(
        "note",
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["match.id"]),
        sa.PrimaryKeyConstraint("match", "seat"),
    )
    is_counted = sa.text("termination IS NOT NULL AND level IS NULL AND imported IS NULL")
    where: Any = {f"{dialect}_where": is_counted for dialect in ("sqlite", "postgresql")}
    for seat in (0, 1):
        op.add_column("match", sa.Column(f"noted{seat}", sa.Boolean(), server_default=sa.false(), nullable=False))
        columns = [f"seat{seat}", "ended", "id", "termination", "termination_seat", "level", "imported"]
        op.create_index(f"ix_match_seat{seat}_finished", "match", columns, **where)
    op.add_column("seek", sa.Column("reliable", sa.Boolean(), server_default=sa.false(), nullable=False))
