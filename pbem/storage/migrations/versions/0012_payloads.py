"""What a message says is its payload; what its token is about, the token's subject."""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

COLUMNS = (("words", "payload"), ("subject", "token_subject"))


def upgrade() -> None:
    """Rename. Stored words keep their form: they are brought up to date when they are read (see pbem.payloads)."""
    for old, new in COLUMNS:
        op.execute(f"ALTER TABLE outgoing RENAME COLUMN {old} TO {new}")


def downgrade() -> None:
    """Rename back."""
    for old, new in COLUMNS:
        op.execute(f"ALTER TABLE outgoing RENAME COLUMN {new} TO {old}")
