"""Accounts that were part of another one are like those of players who have left; the kept account keeps all it has.

Such an account has matches against the kept one only: they stay, with a placeholder for its name. What is stored of its
messages is deleted by the server, as for everybody who leaves.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

from pbem.storage.utc import Utc, now
from pbem.tokens import OLDEST

revision = "1.0018"
down_revision = "1.0017"

PLAYER = sa.table(
    "player",
    *map(sa.column, ("id", "name", "address", "epoch", "merged_into")),
    sa.column("settings", sa.JSON),
    sa.column("deleted", Utc()),
)
DEPARTURE = sa.table(
    "departure",
    *map(sa.column, ("player", "name", "digest")),
    sa.column("addresses", sa.JSON),
    sa.column("left", Utc()),
)
MATCH = sa.table("match", *map(sa.column, ("id", "seat0", "seat1", "noted0", "noted1")))
NOTE = sa.table("note", *map(sa.column, ("match", "seat")))
INCOMING = sa.table("incoming", *map(sa.column, ("id", "state", "verdict")))
OUTGOING = sa.table("outgoing", *map(sa.column, ("id", "incoming", "player", "template", "state", "troubled")))
CONTENT = sa.table("outgoingcontent", sa.column("outgoing"), sa.column("payload", sa.JSON))
UNSENT = ("batched", "paused", "waiting", "suspended", "owed", "failed")
IS_MERGED = sa.and_(PLAYER.c.merged_into.is_not(None), PLAYER.c.deleted.is_(None))
MERGED = sa.select(PLAYER.c.id).where(IS_MERGED)


def upgrade() -> None:
    """Let these accounts leave; news of a merger that wasn't sent isn't, and an open question about one is closed."""
    _remove_what_leaving_removes()
    _close_messages()
    left, connection = now(), op.get_bind()
    for number, name in connection.execute(sa.select(PLAYER.c.id, PLAYER.c.name).where(IS_MERGED)).all():
        leaves: dict[str, Any] = {"player": number, "name": name, "addresses": [], "digest": "", "left": left}
        connection.execute(sa.insert(DEPARTURE).values(leaves))
        gone: dict[str, Any] = {"name": f"deleted-{number}", "address": f"deleted-{number}", "settings": {}}
        gone |= {"deleted": left, "epoch": PLAYER.c.epoch + OLDEST + 1}
        connection.execute(sa.update(PLAYER).where(PLAYER.c.id == number).values(gone))
    op.drop_index("ix_player_merged_into", "player")
    op.drop_column("player", "merged_into")


def _remove_what_leaving_removes() -> None:
    for name in ("knownaddress", "calendar", "analysis"):
        table = sa.table(name, sa.column("player"))
        op.execute(sa.delete(table).where(table.c.player.in_(MERGED)))
    for seat in (0, 1):
        theirs = MATCH.c[f"seat{seat}"].in_(MERGED)
        noted = sa.select(MATCH.c.id).where(theirs)
        op.execute(sa.delete(NOTE).where(NOTE.c.seat == seat, NOTE.c.match.in_(noted)))
        op.execute(sa.update(MATCH).where(theirs).values({f"noted{seat}": sa.false()}))


def _close_messages() -> None:
    """Drop what is owed to these accounts or tells of a merger, which no template says any more; mend sent answers."""
    names_one = sa.cast(CONTENT.c.payload, sa.Text).like('%{"act": "merge"%')
    says = sa.select(CONTENT.c.outgoing).where(names_one)
    tells = sa.or_(OUTGOING.c.template == "merged", OUTGOING.c.id.in_(says))
    unsent = sa.and_(OUTGOING.c.state.in_(UNSENT), sa.or_(OUTGOING.c.player.in_(MERGED), tells))
    op.execute(sa.update(OUTGOING).where(unsent).values(state="dropped", troubled=None))
    asked = sa.select(OUTGOING.c.incoming).where(OUTGOING.c.template == "confirm", OUTGOING.c.id.in_(says))
    held = sa.and_(INCOMING.c.state == "held", INCOMING.c.id.in_(asked))
    op.execute(sa.update(INCOMING).where(held).values(state="done", verdict="not confirmed in time"))
    connection = op.get_bind()
    for number, payload in connection.execute(sa.select(CONTENT).where(names_one)).all():
        sections: list[Any] = payload.get("sections", [])
        mended = [each for each in sections if each.get("act", {}).get("act") != "merge"]
        if mended != sections:
            of_answer = sa.update(CONTENT).where(CONTENT.c.outgoing == number)
            connection.execute(of_answer.values(payload={**payload, "sections": mended}))
