"""What budgets count: answers to messages without proof, what answers say, and addresses that were invited."""

import hashlib

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

PARTIAL = (
    ("ix_outgoing_answered", ("address", "standing", "created"), "standing IS NOT NULL"),
    ("ix_outgoing_answered_strangers", ("standing", "created"), "stranger_domain IS NOT NULL"),
    ("ix_outgoing_gist", ("address", "gist", "created"), "gist IS NOT NULL"),
)
_OUTGOING = sa.table(
    "outgoing",
    sa.column("address", sa.String),
    sa.column("template", sa.String),
    sa.column("created", sa.DateTime(timezone=True)),
)


def upgrade() -> None:
    """Add them; addresses invited before aren't invited again soon."""
    op.add_column("outgoing", sa.Column("standing", sa.String(), nullable=True))
    op.add_column("outgoing", sa.Column("gist", sa.String(), nullable=True))
    # Answers to strangers may have proven nothing; those to players are not known, and forgotten within a day.
    op.execute("UPDATE outgoing SET standing = 'claimed' WHERE stranger_domain IS NOT NULL")
    for name, columns, only in PARTIAL:
        op.create_index(name, "outgoing", list(columns), sqlite_where=sa.text(only), postgresql_where=sa.text(only))
    op.create_index("ix_outgoing_match_created", "outgoing", ["match", "created"])
    op.drop_index("ix_outgoing_match", "outgoing")
    gone = sa.text("unreachable IS NOT NULL")
    op.create_index("ix_player_unreachable", "player", ["unreachable"], sqlite_where=gone, postgresql_where=gone)
    op.create_index("ix_match_challenger_created", "match", ["challenger", "created"])
    invitee = op.create_table(
        "invitee",
        sa.Column("address", sa.String(), primary_key=True),
        sa.Column("domain", sa.String(), nullable=False),
        sa.Column("invited", sa.DateTime(timezone=True), nullable=True),
        sa.Column("refused", sa.DateTime(timezone=True), nullable=True),
    )
    op.create_index("ix_invitee_domain_invited", "invitee", ["domain", "invited"])
    op.create_index("ix_invitee_invited", "invitee", ["invited"])
    _remember(invitee)


def _remember(invitee: sa.Table) -> None:
    """Add the addresses that invitations went to; the hash is that of pbem.players.invitations, as it was then."""
    last = sa.func.max(_OUTGOING.c.created, type_=sa.DateTime(timezone=True))
    sent = sa.select(_OUTGOING.c.address, last).where(_OUTGOING.c.template == "invitation").group_by("address")
    found: dict[str, dict[str, object]] = {}
    for address, invited in op.get_bind().execute(sent.order_by(last)):
        local, at, domain = address.lower().rpartition("@")
        if at:
            key = _hash(f"{local.partition('+')[0]}@{domain}")
            found[key] = {"address": key, "domain": _hash(domain), "invited": invited}
    if found:
        op.bulk_insert(invitee, list(found.values()))


def _hash(text: str) -> str:
    return hashlib.sha256(b"pbem invitee\0" + text.encode()).hexdigest()


def downgrade() -> None:
    """Remove them."""
    op.drop_table("invitee")
    op.drop_index("ix_player_unreachable", "player")
    op.drop_index("ix_match_challenger_created", "match")
    op.create_index("ix_outgoing_match", "outgoing", ["match"])
    op.drop_index("ix_outgoing_match_created", "outgoing")
    for name, _, _ in PARTIAL:
        op.drop_index(name, "outgoing")
    for column in ("standing", "gist"):
        op.execute(f"ALTER TABLE outgoing DROP COLUMN {column}")
