"""Each group of a league is a round robin, an open season is a Swiss, and ladders keep only their rungs."""

from pathlib import Path

from alembic import op

from pbem.storage.migrations import script

revision = "2.0005"
down_revision = "2.0004"


def upgrade() -> None:
    script.run(op.get_bind(), Path(__file__).with_suffix(".sql"))
