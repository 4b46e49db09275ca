"""Acts of moderation, closed accounts, and announcements to all players."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables and columns; nobody is banned, and nobody has had another name."""
    op.add_column("player", sa.Column("banned", sa.DateTime(timezone=True), nullable=True))
    op.add_column("departure", sa.Column("former_names", sa.JSON(), server_default="[]", nullable=False))
    op.create_table(
        "moderationact",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("act", sa.String(), nullable=False),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=True),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id"), nullable=True),
        sa.Column("former_name", sa.String(), nullable=True),
        sa.Column("note", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    _partial("ix_moderationact_player", "moderationact", ["player"], "player IS NOT NULL")
    _partial("ix_moderationact_former_name", "moderationact", ["former_name"], "former_name IS NOT NULL")
    op.create_table(
        "closedaddress",
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("closed", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("address"),
    )
    op.create_table(
        "announcement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("lines", sa.JSON(), nullable=False),
        sa.Column("told", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    _partial("ix_announcement_due", "announcement", ["due"], "due IS NOT NULL")


def _partial(name: str, table: str, columns: list[str], where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def downgrade() -> None:
    """Remove them; those who were banned can play again, and what was done isn't known any more."""
    for table in ("announcement", "closedaddress", "moderationact"):
        op.drop_table(table)
    op.drop_column("departure", "former_names")
    op.drop_column("player", "banned")
