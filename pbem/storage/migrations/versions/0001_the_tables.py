"""The tables of version 1.0."""

import sqlalchemy as sa
from alembic import op

revision = "1.0001"
down_revision = None


def upgrade() -> None:
    """Create all tables. The order of the indexes matters: SQLite prefers the last one among equals."""
    _create_people()
    _create_received()
    _create_matches()
    _create_sent()
    _create_calendars()
    _create_tournaments()
    _create_community()
    _create_ratings()
    _create_searches()
    _create_moderation()
    _create_servers()


def _create_people() -> None:
    op.create_table(
        "player",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String()),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("confirmed", sa.DateTime(timezone=True)),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False, server_default="{}"),
        sa.Column("stopped", sa.DateTime(timezone=True)),
        sa.Column("bounces", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("bounced", sa.DateTime(timezone=True)),
        sa.Column("unreachable", sa.DateTime(timezone=True)),
        sa.Column("deleted", sa.DateTime(timezone=True)),
        sa.Column("banned", sa.DateTime(timezone=True)),
        sa.Column("trusted", sa.DateTime(timezone=True)),
        sa.Column("merged_into", sa.Integer()),
        sa.UniqueConstraint("address"),
        sa.UniqueConstraint("name"),
    )
    _create_partial_index("ix_player_unreachable", "player", ["unreachable"], "unreachable IS NOT NULL")
    _create_partial_index("ix_player_merged_into", "player", ["merged_into"], "merged_into IS NOT NULL")
    _create_partial_index("ix_player_banned", "player", ["name"], "banned IS NOT NULL")
    _create_partial_index("ix_player_stopped", "player", ["name"], "stopped IS NOT NULL")
    op.create_table(
        "invitee",
        sa.Column("address", sa.String(), primary_key=True),
        sa.Column("domain", sa.String(), nullable=False),
        sa.Column("invited", sa.DateTime(timezone=True)),
        sa.Column("refused", sa.DateTime(timezone=True)),
    )
    op.create_index("ix_invitee_domain_invited", "invitee", ["domain", "invited"])
    op.create_index("ix_invitee_invited", "invitee", ["invited"])
    op.create_table(
        "departure",
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("name", sa.String()),
        sa.Column("addresses", sa.JSON(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("left", sa.DateTime(timezone=True), nullable=False),
        sa.Column("swept", sa.DateTime(timezone=True)),
        sa.Column("former_names", sa.JSON(), nullable=False, server_default="[]"),
    )
    op.create_index("ix_departure_digest", "departure", ["digest"])
    op.create_index("ix_departure_left", "departure", ["left"])
    op.create_index("ix_departure_swept", "departure", ["swept"])


def _create_received() -> None:
    op.create_table(
        "incoming",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("sender", sa.String()),
        sa.Column("recipients", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("verdict", sa.String()),
        sa.Column("error", sa.String()),
        sa.Column("received", sa.DateTime(timezone=True), nullable=False),
        sa.Column("handled", sa.DateTime(timezone=True)),
        sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id")),
        sa.Column("proof", sa.String()),
        sa.Column("removed", sa.DateTime(timezone=True)),
        sa.Column("last_attempt", sa.DateTime(timezone=True)),
        sa.Column("lane", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("author", sa.String()),
        sa.Column("ordering", sa.JSON()),
        sa.UniqueConstraint("key"),
    )
    op.create_index("ix_incoming_proof", "incoming", ["proof"], unique=True)
    op.create_index("ix_incoming_player_received", "incoming", ["player", "received"])
    op.create_index("ix_incoming_sender", "incoming", ["sender"])
    _create_partial_index("ix_incoming_state_handled", "incoming", ["state", "handled"], "removed IS NULL")
    op.create_index("ix_incoming_state_lane", "incoming", ["state", "lane", "id", "attempts", "last_attempt", "author"])
    _create_partial_index(
        "ix_incoming_author",
        "incoming",
        ["author", "lane", "state", "attempts", "last_attempt", "id"],
        "author IS NOT NULL",
    )
    op.create_table(
        "rawmessage",
        sa.Column("incoming", sa.Integer(), sa.ForeignKey("incoming.id"), primary_key=True),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
    )


def _create_matches() -> None:
    op.create_table(
        "match",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("seat0", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("seat1", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("challenger", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("part", sa.String()),
        sa.Column("winner", sa.Integer()),
        sa.Column("reason", sa.String()),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True)),
        sa.Column("ended", sa.DateTime(timezone=True)),
        sa.Column("by_address", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("to_move", sa.Integer()),
        sa.Column("plies", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("termination", sa.String()),
        sa.Column("termination_seat", sa.Integer()),
        sa.Column("shift", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("offers", sa.JSON(), nullable=False, server_default="{}"),
        sa.Column("paused", sa.DateTime(timezone=True)),
        sa.Column("muted0", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("muted1", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("rematch", sa.Integer()),
        sa.Column("time", sa.String()),
        sa.Column("clock", sa.JSON()),
        sa.Column("due", sa.DateTime(timezone=True)),
        sa.Column("remind", sa.DateTime(timezone=True)),
        sa.Column("unreached", sa.DateTime(timezone=True)),
        sa.Column("level", sa.Integer()),
        sa.Column("rated", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("counted", sa.DateTime(timezone=True)),
        sa.Column("resumes", sa.DateTime(timezone=True)),
        sa.Column("imported", sa.String()),
        sa.Column("begun_from", sa.Integer()),
        sa.Column("begun_after", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("tournament", sa.Integer()),
        sa.Column("round", sa.Integer()),
        sa.Column("reported", sa.DateTime(timezone=True)),
        sa.Column("shown", sa.Integer()),
    )
    op.create_index("ix_match_state", "match", ["state"])
    op.create_index("ix_match_seat0_to_move", "match", ["seat0", "to_move"])
    op.create_index("ix_match_seat1_to_move", "match", ["seat1", "to_move"])
    op.create_index("ix_match_challenger_state", "match", ["challenger", "state"])
    op.create_index("ix_match_challenger_created", "match", ["challenger", "created"])
    _create_partial_index("ix_match_due", "match", ["due"], "due IS NOT NULL")
    _create_partial_index("ix_match_remind", "match", ["remind"], "remind IS NOT NULL")
    _create_partial_index("ix_match_unreached", "match", ["unreached"], "unreached IS NOT NULL")
    _create_partial_index("ix_match_counted", "match", ["game", "counted"], "counted IS NOT NULL")
    _create_partial_index("ix_match_resumes", "match", ["resumes"], "resumes IS NOT NULL")
    _create_partial_index(
        "ix_match_seat0_ended",
        "match",
        ["seat0", "ended", "id", "game", "winner", "termination"],
        "termination IS NOT NULL",
    )
    _create_partial_index(
        "ix_match_seat1_ended",
        "match",
        ["seat1", "ended", "id", "game", "winner", "termination"],
        "termination IS NOT NULL",
    )
    _create_partial_index(
        "ix_match_pair_ended",
        "match",
        ["seat0", "seat1", "ended", "id", "winner", "termination"],
        "termination IS NOT NULL",
    )
    op.create_index("ix_match_imported", "match", ["imported"], unique=True)
    _create_partial_index(
        "ix_match_unreported",
        "match",
        ["tournament"],
        "tournament IS NOT NULL AND ended IS NOT NULL AND reported IS NULL",
    )
    _create_partial_index("ix_match_ended", "match", ["ended", "id"], "termination IS NOT NULL AND level IS NULL")
    _create_partial_index(
        "ix_match_unseen", "match", ["shown"], "shown IS NOT NULL AND (shown <> plies + shift OR ended IS NOT NULL)"
    )
    op.create_table(
        "ply",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("incoming", sa.Integer(), sa.ForeignKey("incoming.id")),
        sa.Column("played", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("match", "number"),
    )
    op.create_index("ix_ply_match", "ply", ["match"])
    op.create_table(
        "takenback",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("shift", sa.Integer(), nullable=False),
        sa.Column("incoming", sa.Integer(), sa.ForeignKey("incoming.id")),
        sa.Column("played", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken_back", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_takenback_match_shift", "takenback", ["match", "shift"])
    op.create_table(
        "prepared",
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("seat", sa.Integer(), primary_key=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("lines", sa.JSON(), nullable=False),
        sa.Column("incoming", sa.Integer(), sa.ForeignKey("incoming.id")),
    )
    op.create_table(
        "clockevent",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id"), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True)),
        sa.Column("seat", sa.Integer()),
        sa.Column("days", sa.JSON()),
        sa.Column("taken", sa.Integer()),
        sa.Column("until", sa.DateTime(timezone=True)),
    )
    op.create_index("ix_clockevent_match", "clockevent", ["match"])


def _create_sent() -> None:
    op.create_table(
        "outgoing",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("template", sa.String(), nullable=False),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id")),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id")),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String()),
        sa.Column("token_subject", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("incoming", sa.Integer(), sa.ForeignKey("incoming.id")),
        sa.Column("in_reply_to", sa.String()),
        sa.Column("references", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("error", sa.String()),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sent", sa.DateTime(timezone=True)),
        sa.Column("proposal", sa.String()),
        sa.Column(
            "merged_into", sa.Integer(), sa.ForeignKey("outgoing.id", name="outgoing_told_in_fkey")
        ),  # as in 0048
        sa.Column("is_notice", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("delivery_starts", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("retried", sa.DateTime(timezone=True)),
        sa.Column("settled", sa.DateTime(timezone=True)),
        sa.Column("stranger_domain", sa.String()),
        sa.Column("removed", sa.DateTime(timezone=True)),
        sa.Column("troubled", sa.DateTime(timezone=True)),
        sa.Column("standing", sa.String()),
        sa.Column("gist", sa.String()),
        sa.Column("shift", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("plies", sa.JSON()),
        sa.UniqueConstraint("message_id"),
    )
    op.create_index("ix_outgoing_incoming", "outgoing", ["incoming"])
    op.create_index("ix_outgoing_state", "outgoing", ["state"])
    op.create_index("ix_outgoing_address_created", "outgoing", ["address", "created"])
    op.create_index("ix_outgoing_player_created", "outgoing", ["player", "created"])
    op.create_index("ix_outgoing_stranger_domain_created", "outgoing", ["stranger_domain", "created"])
    _create_partial_index("ix_outgoing_state_due", "outgoing", ["state", "due"], "removed IS NULL")
    _create_partial_index("ix_outgoing_troubled", "outgoing", ["troubled"], "troubled IS NOT NULL")
    _create_partial_index(
        "ix_outgoing_answered", "outgoing", ["address", "standing", "created"], "standing IS NOT NULL"
    )
    _create_partial_index(
        "ix_outgoing_answered_strangers", "outgoing", ["standing", "created"], "stranger_domain IS NOT NULL"
    )
    _create_partial_index("ix_outgoing_gist", "outgoing", ["address", "gist", "created"], "gist IS NOT NULL")
    op.create_index("ix_outgoing_match_created", "outgoing", ["match", "created"])
    op.create_table(
        "outgoingcontent",
        sa.Column("outgoing", sa.Integer(), sa.ForeignKey("outgoing.id"), primary_key=True),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("facts", sa.JSON()),
    )
    op.create_table(
        "mention",
        sa.Column("outgoing", sa.Integer(), sa.ForeignKey("outgoing.id"), primary_key=True),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True),
    )
    op.create_index("ix_mention_player", "mention", ["player"])


def _create_calendars() -> None:
    op.create_table(
        "calendar",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("chosen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("begins", sa.DateTime(timezone=True)),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("days", sa.String(), nullable=False),
    )
    op.create_index("ix_calendar_player_id", "calendar", ["player", "id"])
    op.create_table(
        "vacation",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("chosen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("begins", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ends", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("automatic", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("told", sa.DateTime(timezone=True)),
    )
    op.create_index("ix_vacation_player", "vacation", ["player"])
    _create_partial_index("ix_vacation_untold", "vacation", ["begins"], "told IS NULL")


def _create_tournaments() -> None:
    op.create_table(
        "tournament",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("time", sa.String(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("places", sa.Integer(), nullable=False),
        sa.Column("wanted_rounds", sa.Integer()),
        sa.Column("rounds", sa.Integer()),
        sa.Column("at_once", sa.Integer()),
        sa.Column("host", sa.Integer(), sa.ForeignKey("player.id")),
        sa.Column("closes", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True)),
        sa.Column("ended", sa.DateTime(timezone=True)),
        sa.Column("told", sa.Integer()),
        sa.Column("reach", sa.Integer()),
        sa.Column("group_size", sa.Integer()),
        sa.Column("promoted", sa.Integer()),
        sa.Column("previous", sa.Integer()),
        sa.Column("season", sa.Integer(), nullable=False, server_default="1"),
    )
    _create_partial_index("ix_tournament_closes", "tournament", ["closes"], "started IS NULL AND ended IS NULL")
    op.create_index("ix_tournament_host", "tournament", ["host"])
    _create_partial_index("ix_tournament_told", "tournament", ["told"], "told IS NOT NULL")
    op.create_index("ix_tournament_previous", "tournament", ["previous"], unique=True)
    op.create_table(
        "entry",
        sa.Column("tournament", sa.Integer(), sa.ForeignKey("tournament.id"), primary_key=True),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("entered", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn", sa.DateTime(timezone=True)),
        sa.Column("seed", sa.Integer()),
        sa.Column("rating", sa.Integer()),
        sa.Column("rung", sa.Integer()),
    )
    op.create_index("ix_entry_player", "entry", ["player"])
    _create_partial_index("ix_entry_rung", "entry", ["tournament", "rung"], "rung IS NOT NULL")
    _create_partial_index("ix_entry_gone", "entry", ["withdrawn"], "rung IS NOT NULL AND withdrawn IS NOT NULL")
    op.create_table(
        "pairing",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("tournament", sa.Integer(), sa.ForeignKey("tournament.id"), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("board", sa.Integer(), nullable=False),
        sa.Column("game", sa.Integer(), nullable=False),
        sa.Column("first", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("second", sa.Integer(), sa.ForeignKey("player.id")),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id")),
        sa.Column("result", sa.String()),
        sa.UniqueConstraint("match"),
        sa.UniqueConstraint("tournament", "round", "game", "first"),
        sa.UniqueConstraint("tournament", "round", "game", "second"),
        sa.UniqueConstraint("tournament", "round", "game", "board"),
    )
    op.create_table(
        "ladderstep",
        sa.Column("tournament", sa.Integer(), sa.ForeignKey("tournament.id"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id")),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id")),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("match"),
    )


def _create_community() -> None:
    op.create_table(
        "seek",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("time", sa.String()),
        sa.Column("begin", sa.String(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed", sa.DateTime(timezone=True)),
        sa.Column("lowest", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("highest", sa.Integer(), nullable=False, server_default="4000"),
    )
    op.create_index("ix_seek_player_created", "seek", ["player", "created"])
    _create_partial_index("ix_seek_expires", "seek", ["expires", "id"], "closed IS NULL")
    _create_partial_index("ix_seek_game_expires", "seek", ["game", "expires", "id"], "closed IS NULL")
    _create_partial_index("ix_seek_player", "seek", ["player"], "closed IS NULL")
    op.create_table(
        "block",
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("blocked", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_block_blocked", "block", ["blocked"])
    op.create_table(
        "presence",
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("seen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("listed", sa.DateTime(timezone=True)),
    )
    _create_partial_index("ix_presence_seen", "presence", ["seen", "player"], "listed IS NOT NULL")
    op.create_table(
        "bulletin",
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("told", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_bulletin_due", "bulletin", ["due"])
    op.create_table(
        "watch",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id")),
        sa.Column("whom", sa.Integer(), sa.ForeignKey("player.id")),
        sa.Column("tournament", sa.Integer(), sa.ForeignKey("tournament.id")),
        sa.Column("left_out", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("noticed", sa.DateTime(timezone=True)),
        sa.UniqueConstraint("player", "match"),
        sa.UniqueConstraint("player", "whom"),
        sa.UniqueConstraint("player", "tournament"),
    )
    op.create_index("ix_watch_match", "watch", ["match", "id"])
    op.create_index("ix_watch_whom", "watch", ["whom", "id"])
    op.create_index("ix_watch_tournament", "watch", ["tournament", "id"])
    _create_partial_index("ix_watch_unnoticed", "watch", ["noticed"], "noticed IS NULL")


def _create_ratings() -> None:
    op.create_table(
        "ratedweek",
        sa.Column("game", sa.String(), primary_key=True),
        sa.Column("week", sa.Date(), primary_key=True),
    )
    op.create_table(
        "playerrating",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("week", sa.Date(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("volatility", sa.Float(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("superseded", sa.Date()),
        sa.UniqueConstraint("player", "game", "week"),
    )
    _create_partial_index(
        "ix_playerrating_standings", "playerrating", ["game", sa.text("rating DESC"), "player"], "superseded IS NULL"
    )
    op.create_index("ix_playerrating_game_week", "playerrating", ["game", "week"])


def _create_searches() -> None:
    op.create_table(
        "search",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id"), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("asked", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done", sa.DateTime(timezone=True)),
        sa.Column("value", sa.Float()),
        sa.Column("troubled", sa.DateTime(timezone=True)),
        sa.UniqueConstraint("match", "kind", "version"),
    )
    op.create_index("ix_search_player_kind_asked", "search", ["player", "kind", "asked"])
    _create_partial_index("ix_search_troubled", "search", ["troubled"], "troubled IS NOT NULL")
    op.create_table(
        "analysis",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id"), nullable=False),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id"), nullable=False),
        sa.Column("asked", sa.DateTime(timezone=True), nullable=False),
        sa.Column("findings", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done", sa.DateTime(timezone=True)),
        sa.Column("troubled", sa.DateTime(timezone=True)),
        sa.UniqueConstraint("match", "player"),
    )
    op.create_index("ix_analysis_player_asked", "analysis", ["player", "asked"])
    _create_partial_index("ix_analysis_due", "analysis", ["due", "id"], "done IS NULL")
    _create_partial_index("ix_analysis_troubled", "analysis", ["troubled"], "troubled IS NOT NULL")


def _create_moderation() -> None:
    op.create_table(
        "moderationact",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("act", sa.String(), nullable=False),
        sa.Column("player", sa.Integer(), sa.ForeignKey("player.id")),
        sa.Column("match", sa.Integer(), sa.ForeignKey("match.id")),
        sa.Column("former_name", sa.String()),
        sa.Column("note", sa.String(), nullable=False),
    )
    _create_partial_index("ix_moderationact_player", "moderationact", ["player"], "player IS NOT NULL")
    _create_partial_index("ix_moderationact_former_name", "moderationact", ["former_name"], "former_name IS NOT NULL")
    op.create_table(
        "closedaddress",
        sa.Column("address", sa.String(), primary_key=True),
        sa.Column("closed", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "announcement",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("lines", sa.JSON(), nullable=False),
        sa.Column("told", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True)),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    )
    _create_partial_index("ix_announcement_due", "announcement", ["due"], "due IS NOT NULL")


def _create_servers() -> None:
    op.create_table(
        "daemon",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("process", sa.Integer(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=False),
        sa.Column("told", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.JSON(), nullable=False),
        sa.UniqueConstraint("host", "process"),
    )
    op.create_table(
        "clock",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("seen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("steady_since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("beat", sa.DateTime(timezone=True)),
    )
    op.create_table(
        "outage",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_outage_until", "outage", ["until"])
    op.create_table(
        "backup",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("made", sa.DateTime(timezone=True)),
        sa.Column("failed", sa.DateTime(timezone=True)),
        sa.Column("troubled", sa.DateTime(timezone=True)),
    )


def _create_partial_index(name: str, table: str, columns: list[str | sa.TextClause], where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, sqlite_where=condition, postgresql_where=condition)
