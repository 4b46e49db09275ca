"""The public keys with which signatures of records are checked, also after another key took their place."""

import sqlalchemy as sa
from alembic import op

from pbem.storage.utc import Utc

revision = "1.0009"
down_revision = "1.0008"


def upgrade() -> None:
    op.add_column("serverkey", sa.Column("public", sa.String(), nullable=True))
    op.add_column("serverkey", sa.Column("since", Utc(), nullable=True))
    op.add_column("serverkey", sa.Column("until", Utc(), nullable=True))
