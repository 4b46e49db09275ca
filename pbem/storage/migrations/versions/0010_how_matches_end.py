"""Store how a match ended as a word, with the seat this concerns; the reason stays for what the rules say."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_MATCH = sa.table("match", *(sa.column(name) for name in ("seat0", "seat1", "state", "winner", "reason")))
_TERMINATION, _SEAT = sa.column("termination", sa.String), sa.column("termination_seat", sa.Integer)
_MATCH.append_column(_TERMINATION)
_MATCH.append_column(_SEAT)
_PLAYER = sa.table("player", sa.column("id", sa.Integer), sa.column("name", sa.String))
ENDINGS = {"resignation": " resigned", "left": " left"}


def upgrade() -> None:
    """Read it off the sentences that were stored: NAME resigned, NAME left, or what the rules say."""
    op.add_column("match", sa.Column("termination", sa.String(), nullable=True))
    op.add_column("match", sa.Column("termination_seat", sa.Integer(), nullable=True))
    loser = sa.case((_MATCH.c.winner == 0, _MATCH.c.seat1), else_=_MATCH.c.seat0)
    for termination, words in ENDINGS.items():
        says_so = sa.exists().where(_PLAYER.c.id == loser, _MATCH.c.reason == _PLAYER.c.name + words)
        op.execute(
            sa.update(_MATCH)
            .where(_MATCH.c.state == "over", _MATCH.c.winner.is_not(None), says_so)
            .values(termination=termination, termination_seat=1 - _MATCH.c.winner, reason=None)
        )
    op.execute(sa.update(_MATCH).where(_MATCH.c.state == "over", _TERMINATION.is_(None)).values(termination="rules"))


def downgrade() -> None:
    """Write the sentences again."""
    seat = sa.case((_SEAT == 0, _MATCH.c.seat0), else_=_MATCH.c.seat1)
    for termination, words in ENDINGS.items():
        name = sa.select(_PLAYER.c.name).where(_PLAYER.c.id == seat).scalar_subquery()
        op.execute(sa.update(_MATCH).where(_TERMINATION.in_([termination])).values(reason=name + words))
    op.drop_column("match", "termination_seat")
    op.drop_column("match", "termination")
