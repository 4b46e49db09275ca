"""Keep what messages say in rows of their own: SQLite doesn't join pages of rows that became shorter."""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

PLIES = {
    "sqlite": """UPDATE outgoing SET plies = json_extract(payload, '$.plies') WHERE payload LIKE '%"plies"%'""",
    "postgresql": """UPDATE outgoing SET plies = payload -> 'plies' WHERE CAST(payload AS text) LIKE '%"plies"%'""",
}
"""An answer to a message about several matches needs them for longer than what it says is kept."""


def upgrade() -> None:
    """Create the table and move there what is still kept. The database copies it row by row; nothing is loaded."""
    op.create_table(
        "outgoingcontent",
        sa.Column("outgoing", sa.Integer(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(["outgoing"], ["outgoing.id"]),
        sa.PrimaryKeyConstraint("outgoing"),
    )
    op.execute(
        "INSERT INTO outgoingcontent (outgoing, payload, facts)"
        " SELECT id, payload, facts FROM outgoing WHERE removed IS NULL ORDER BY id"
    )
    op.add_column("outgoing", sa.Column("plies", sa.JSON(), nullable=True))
    op.execute(PLIES[op.get_bind().dialect.name])
    op.drop_column("outgoing", "facts")
    op.drop_column("outgoing", "payload")


def downgrade() -> None:
    """Move it back."""
    removed = sa.text("""'{"removed": true}'""")
    op.add_column("outgoing", sa.Column("payload", sa.JSON(), nullable=False, server_default=removed))
    op.add_column("outgoing", sa.Column("facts", sa.JSON(), nullable=True))
    op.execute(
        "UPDATE outgoing SET payload = said.payload, facts = said.facts"
        " FROM outgoingcontent AS said WHERE said.outgoing = outgoing.id"
    )
    op.drop_table("outgoingcontent")
    kept = """'{"removed": true, "plies": ' || CAST(plies AS text) || '}'"""
    kept = kept if op.get_bind().dialect.name == "sqlite" else f"CAST({kept} AS json)"
    op.execute(f"UPDATE outgoing SET payload = {kept} WHERE removed IS NOT NULL AND plies IS NOT NULL")  # noqa: S608 - ours
    op.drop_column("outgoing", "plies")
