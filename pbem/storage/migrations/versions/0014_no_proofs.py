"""Claims that a result is proven are gone.

Matches whose players had agreed on them go on like any other. One that such a claim has ended keeps its result, its
termination and the turns that showed it. A claim without an answer gets none.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "1.0014"
down_revision = "1.0013"

MESSAGE, SECTION = "claim", "claimed"
"""What told that a claim was not shown, and that it is looked at."""
INSTEAD = {
    "template": "refused",
    "sentence": "This server doesn't look at claims that you win by force, or that neither of you does, any more.",
    "fits": "The match goes on.",
}
"""What a stored answer says where it told that a claim is looked at: no template tells that now."""


def upgrade() -> None:
    """Drop the table and the column, drop messages about claims that weren't sent, and mend answers that name one."""
    unsent = "template = :template AND state NOT IN ('sent', 'dropped')"
    bind = op.get_bind()
    bind.execute(
        sa.text(f"UPDATE outgoing SET state = 'dropped', troubled = NULL WHERE {unsent}"),  # noqa: S608 - constant
        {"template": MESSAGE},
    )
    _mend_answers(bind)
    op.drop_table("claim")
    op.drop_column("match", "proofs")


def _mend_answers(bind: sa.Connection) -> None:
    content = sa.table("outgoingcontent", sa.column("outgoing", sa.Integer()), sa.column("payload", sa.JSON()))
    holds = sa.cast(content.c.payload, sa.String()).like(f'%"{SECTION}"%')
    for number, payload in bind.execute(sa.select(content).where(holds)).all():
        sections: list[Any] = payload.get("sections", [])
        mended = [INSTEAD if each.get("template") == SECTION else each for each in sections]
        if mended != sections:
            changed = {"payload": {**payload, "sections": mended}}
            bind.execute(sa.update(content).where(content.c.outgoing == number).values(**changed))
