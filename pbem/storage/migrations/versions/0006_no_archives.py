"""The records of all matches of a player are part of the export of their data."""

from pathlib import Path

from alembic import op

from pbem.storage.migrations import script

revision = "2.0006"
down_revision = "2.0005"


def upgrade() -> None:
    script.run(op.get_bind(), Path(__file__).with_suffix(".sql"))
