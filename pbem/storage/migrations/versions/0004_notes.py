"""The table of players' own notes, which databases made before this version have."""

from alembic import op

revision = "3.0004"
down_revision = "3.0003"


def upgrade() -> None:
    op.execute(
        "CREATE TABLE IF NOT EXISTS note (match INTEGER NOT NULL REFERENCES match (id),"
        " seat INTEGER NOT NULL, text VARCHAR NOT NULL, PRIMARY KEY (match, seat))"
    )
