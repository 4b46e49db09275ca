"""Indexes of columns in which few rows have a value: only of those, or SQLite reads all the others by them."""

import sqlalchemy as sa
from alembic import op

revision = "1.0011"
down_revision = "1.0010"


def upgrade() -> None:
    """Make both indexes anew."""
    for table, column in (("match", "imported"), ("incoming", "proof")):
        name, few = f"ix_{table}_{column}", sa.text(f"{column} IS NOT NULL")
        op.drop_index(name, table)
        op.create_index(name, table, [column], unique=True, sqlite_where=few, postgresql_where=few)
