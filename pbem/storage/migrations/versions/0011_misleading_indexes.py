"""Indexes that led SQLite to read most of a table.

Two hold only the few rows with a value now. That of seeks by game is gone: another has all of them in order.
"""

import sqlalchemy as sa
from alembic import op

revision = "1.0011"
down_revision = "1.0010"


def upgrade() -> None:
    """Make two indexes anew, and remove the other."""
    for table, column in (("match", "imported"), ("incoming", "proof")):
        name, few = f"ix_{table}_{column}", sa.text(f"{column} IS NOT NULL")
        op.drop_index(name, table)
        op.create_index(name, table, [column], unique=True, sqlite_where=few, postgresql_where=few)
    op.drop_index("ix_seek_game_expires", "seek")
