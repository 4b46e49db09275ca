"""The days on which players' time runs, vacations, and pauses that end by themselves."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables and columns; until now everybody's time ran every day, and no pause ended by itself."""
    op.create_table(
        "calendar",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("chosen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("begins", sa.DateTime(timezone=True), nullable=True),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("days", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_calendar_player_id", "calendar", ["player", "id"])
    op.create_table(
        "vacation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("chosen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("begins", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ends", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changes", sa.Integer(), server_default="0", nullable=False),
        sa.Column("automatic", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("told", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_vacation_player", "vacation", ["player"])
    untold = sa.text("told IS NULL")
    op.create_index("ix_vacation_untold", "vacation", ["begins"], sqlite_where=untold, postgresql_where=untold)
    op.add_column("match", sa.Column("resumes", sa.DateTime(timezone=True), nullable=True))
    pausing = sa.text("resumes IS NOT NULL")
    op.create_index("ix_match_resumes", "match", ["resumes"], sqlite_where=pausing, postgresql_where=pausing)
    op.add_column("clockevent", sa.Column("until", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Remove them; whoever is away or has days off isn't any more."""
    op.drop_column("clockevent", "until")
    op.drop_index("ix_match_resumes", "match")
    op.drop_column("match", "resumes")
    op.drop_index("ix_vacation_untold", "vacation")
    op.drop_index("ix_vacation_player", "vacation")
    op.drop_table("vacation")
    op.drop_index("ix_calendar_player_id", "calendar")
    op.drop_table("calendar")
