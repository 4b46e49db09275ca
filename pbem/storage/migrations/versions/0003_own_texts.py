"""Without the columns that said which seats of a match have a note."""

from alembic import op

revision = "3.0003"
down_revision = "3.0002"


def upgrade() -> None:
    for name in ("noted0", "noted1"):
        op.execute(f"ALTER TABLE match DROP COLUMN {name}")
