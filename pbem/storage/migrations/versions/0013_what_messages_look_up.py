"""Indexes for everything that handling a message looks up, and the domains of strangers who got an answer."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

INDEXES = (
    ("incoming", ("player", "received"), "ix_incoming_player"),
    ("incoming", ("sender",), None),
    ("outgoing", ("address", "created"), "ix_outgoing_address"),
    ("outgoing", ("player", "created"), None),
    ("outgoing", ("stranger_domain", "created"), None),
    ("match", ("challenger", "state"), None),
)
"""Table and columns of each, and the index on the first column alone that it replaces."""

_OUTGOING = sa.table(
    "outgoing",
    sa.column("address", sa.String),
    sa.column("template", sa.String),
    sa.column("stranger_domain", sa.String),
)
_PLAYER = sa.table("player", sa.column("address", sa.String), sa.column("confirmed", sa.DateTime))


def upgrade() -> None:
    """Add them; envelope senders are compared in lower case from now on."""
    op.add_column("outgoing", sa.Column("stranger_domain", sa.String(), nullable=True))
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    at = (sa.func.instr if is_sqlite else sa.func.strpos)(_OUTGOING.c.address, "@")
    is_player = sa.exists().where(_PLAYER.c.address == _OUTGOING.c.address, _PLAYER.c.confirmed.is_not(None))
    op.execute(
        sa.update(_OUTGOING)
        .where(_OUTGOING.c.template.in_(("answer", "confirm")), at > 0, ~is_player)
        .values(stranger_domain=sa.func.lower(sa.func.substr(_OUTGOING.c.address, at + 1)))
    )
    op.execute("UPDATE incoming SET sender = lower(sender) WHERE sender <> lower(sender)")
    for table, columns, replaced in INDEXES:
        op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))
        if replaced:
            op.drop_index(replaced, table)


def downgrade() -> None:
    """Remove them."""
    for table, columns, replaced in INDEXES:
        if replaced:
            op.create_index(replaced, table, [columns[0]])
        op.drop_index(f"ix_{table}_{'_'.join(columns)}", table)
    op.drop_column("outgoing", "stranger_domain")
