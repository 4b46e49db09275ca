"""The tables of the first release."""

from pathlib import Path

from alembic import op

from pbem.storage import migrations

revision = "3.0001"
down_revision = None


def upgrade() -> None:
    migrations.run(op.get_bind(), Path(__file__).with_suffix(".sql"))
