"""Players watch matches, not players or tournaments any more: of those, the matches that are being played."""

from pathlib import Path

from alembic import op

from pbem.storage.migrations import script

revision = "2.0004"
down_revision = "2.0003"


def upgrade() -> None:
    script.run(op.get_bind(), Path(__file__).with_suffix(".sql"))
