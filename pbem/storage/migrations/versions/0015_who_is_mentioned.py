"""Note which players a message names, and what is left to do for players who leave."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

AT_A_TIME = 500
NAMING = frozenset({"by", "who", "player", "opponent", "address"})
"""Fields of a payload that hold a name or an address."""

_OUTGOING = sa.table(
    "outgoing",
    *(sa.column(name, sa.Integer) for name in ("id", "player", "match")),
    *(sa.column(name, sa.JSON) for name in ("payload", "facts")),
    sa.column("removed", sa.DateTime),
)
_MATCH = sa.table("match", *(sa.column(name, sa.Integer) for name in ("id", "seat0", "seat1")))
_PLAYER = sa.table("player", sa.column("id", sa.Integer), sa.column("name"), sa.column("address"))
_MENTION = sa.table("mention", sa.column("outgoing", sa.Integer), sa.column("player", sa.Integer))


def upgrade() -> None:
    """Create both tables, and look once through the messages that are still kept."""
    op.create_table(
        "mention",
        sa.Column("outgoing", sa.Integer(), nullable=False),
        sa.Column("player", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["outgoing"], ["outgoing.id"]),
        sa.ForeignKeyConstraint(["player"], ["player.id"]),
        sa.PrimaryKeyConstraint("outgoing", "player"),
    )
    op.create_index("ix_mention_player", "mention", ["player"])
    op.create_table(
        "departure",
        sa.Column("player", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=True),
        sa.Column("addresses", sa.JSON(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("left", sa.DateTime(timezone=True), nullable=False),
        sa.Column("swept", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["player"], ["player.id"]),
        sa.PrimaryKeyConstraint("player"),
    )
    for column in ("digest", "left", "swept"):
        op.create_index(f"ix_departure_{column}", "departure", [column])
    # A held message that somebody confirmed is theirs; until now, only the question to them told so.
    op.execute(
        "UPDATE incoming SET player = (SELECT min(outgoing.player) FROM outgoing"
        " WHERE outgoing.incoming = incoming.id AND outgoing.template = 'confirm')"
        " WHERE player IS NULL AND verdict LIKE 'confirmed;%'"
    )
    connection = op.get_bind()
    after = 0
    while rows := list(connection.execute(_kept(after))):
        after = rows[-1].id
        if found := [{"outgoing": row.id, "player": each} for row in rows for each in _named(connection, row)]:
            connection.execute(sa.insert(_MENTION), found)


def downgrade() -> None:
    """Forget them."""
    op.drop_table("departure")
    op.drop_table("mention")


def _kept(after: int) -> Any:
    return (
        sa.select(_OUTGOING, _MATCH.c.seat0, _MATCH.c.seat1)
        .outerjoin_from(_OUTGOING, _MATCH, _MATCH.c.id == _OUTGOING.c.match)
        .where(_OUTGOING.c.id > after, _OUTGOING.c.removed.is_(None))
        .order_by(_OUTGOING.c.id)
        .limit(AT_A_TIME)
    )


def _named(connection: sa.Connection, row: Any) -> set[int]:
    """Return the players whom the message names, beside its reader and the players of its match."""
    players = [each for match in (row.facts or {}).get("matches", ()) for each in match["players"]]
    names = set(_names(row.payload)) - {each.get("name") for each in players}
    ids = {each["id"] for each in players}
    if names:
        are = sa.or_(_PLAYER.c.name.in_(names), _PLAYER.c.address.in_(names))
        ids |= set(connection.scalars(sa.select(_PLAYER.c.id).where(are)))
    return ids - {row.player, row.seat0, row.seat1}


def _names(payload: Any) -> Iterator[str]:
    if isinstance(payload, dict):
        for key, value in payload.items():
            if key in NAMING and isinstance(value, str) and value:
                yield value
            yield from _names(value)
    elif isinstance(payload, list):
        for each in payload:
            yield from _names(each)
