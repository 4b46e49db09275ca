"""The tables of the last version before 1.0, made from those of today."""

from tests.operating.site import Site

INDEXES = (
    *("incoming_waiting", "incoming_group", "outgoing_waiting", "outgoing_group"),
    *("match_seat0_finished", "match_seat1_finished", "tournament_reopens", "player_complained"),
)
COLUMNS = {
    "incoming": ("leased_until", "holder", "round", "cost"),
    "outgoing": ("leased_until", "holder", "lane", "round", '"group"'),
    "search": ("leased_until", "holder"),
    "analysis": ("leased_until", "holder"),
    "backup": ("leased_until", "holder"),
    '"match"': ("rules", "noted0", "noted1", "free_undo"),
    "player": ("complained",),
    "seek": ("reliable", "free_undo"),
    "tournament": ("every", "entry_days", "reopens"),
}


def make_early(site: Site) -> None:
    """Take away what later versions have added."""
    for table in ("setback", "blockedaddress", "serverkey", "note", "knownaddress"):
        site.rows(f"drop table {table}")
    for index in INDEXES:
        site.rows(f"drop index ix_{index}")
    for table, columns in COLUMNS.items():
        for column in columns:
            site.rows(f"alter table {table} drop column {column}")
    for column in ("seen", "steady_since"):
        site.rows(f"alter table clock add column {column} timestamp")
    site.rows("alter table entry add column rating integer")
    site.rows('alter table incoming rename column "group" to author')
    site.rows("alter table incoming add column ordering json")
    site.rows("alter table incoming add column last_attempt timestamp")
    site.rows("alter table outgoing add column delivery_starts integer not null default 0")
    site.rows("alter table player add column merged_into integer")
    site.rows("create index ix_player_merged_into on player (merged_into) where merged_into is not null")
    site.rows("create index ix_incoming_state_lane on incoming (state, lane)")
    site.rows("create index ix_incoming_author on incoming (author)")
    site.rows("create index ix_seek_game_expires on seek (game, expires, id) where closed is null")
    site.rows("update alembic_version set version_num = '0048'")
