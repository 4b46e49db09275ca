"""The key in use, by its fingerprint alone: the keys it took the place of only checked records."""

import sqlalchemy as sa
from alembic import op

revision = "1.0016"
down_revision = "1.0015"


def upgrade() -> None:
    """Remove the rows of replaced keys, and the columns of public keys and times."""
    op.execute(sa.text("DELETE FROM serverkey WHERE until IS NOT NULL"))
    for column in ("public", "since", "until"):
        op.drop_column("serverkey", column)
