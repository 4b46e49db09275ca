"""Let the next message be claimed from indexes alone: reading its row would read past the whole message."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_HAS_AUTHOR = sa.text("author IS NOT NULL")


def upgrade() -> None:
    """Add the columns that the query looks at, and remove an index that begins like one of these."""
    op.drop_index("ix_incoming_state", "incoming")
    _replace(
        ["state", "lane", "id", "attempts", "last_attempt", "author"],
        ["author", "lane", "state", "attempts", "last_attempt", "id"],
    )


def downgrade() -> None:
    """Remove them."""
    op.create_index("ix_incoming_state", "incoming", ["state"])
    _replace(["state", "lane", "id"], ["author", "lane"])


def _replace(of_state: list[str], of_author: list[str]) -> None:
    op.drop_index("ix_incoming_state_lane", "incoming")
    op.create_index("ix_incoming_state_lane", "incoming", of_state)
    op.drop_index("ix_incoming_author", "incoming")
    op.create_index("ix_incoming_author", "incoming", of_author, sqlite_where=_HAS_AUTHOR, postgresql_where=_HAS_AUTHOR)
