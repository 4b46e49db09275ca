"""Indexes for the lists of matches on the site, which are read from the database."""

from pathlib import Path

from alembic import op

from pbem.storage.migrations import script

revision = "2.0002"
down_revision = "2.0001"


def upgrade() -> None:
    script.run(op.get_bind(), Path(__file__).with_suffix(".sql"))
