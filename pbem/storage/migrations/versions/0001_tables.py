"""The tables of the first release."""

from pathlib import Path

from alembic import op

from pbem.storage.migrations import script

revision = "3.0001"
down_revision = None


def upgrade() -> None:
    script.run(op.get_bind(), Path(__file__).with_suffix(".sql"))
