"""The weekly bulletin is gone: those that wait aren't sent."""

from pathlib import Path

from alembic import op

from pbem.storage.migrations import script

revision = "2.0003"
down_revision = "2.0002"


def upgrade() -> None:
    script.run(op.get_bind(), Path(__file__).with_suffix(".sql"))
