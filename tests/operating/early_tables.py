"""The tables of revision 1.0011, made from those of today."""

from tests.operating.site import Site

LESS = """
drop table knownaddress;
drop index ix_match_over; drop index ix_match_game_over; drop index ix_match_tournament;
drop index ix_player_complained;
alter table player drop column complained;
alter table player add column merged_into integer;
create index ix_player_merged_into on player (merged_into) where merged_into is not null;
alter table "match" add column missing timestamp;
create index ix_match_missing on "match" (missing, game, rules) where missing is not null;
create table if not exists note ("match" integer, seat integer, text varchar);
alter table "match" add column noted0 boolean not null default false;
alter table "match" add column noted1 boolean not null default false;
alter table "match" add column proofs boolean not null default false;
create table claim (id integer primary key);
alter table entry add column rating integer;
alter table serverkey add column public varchar;
alter table serverkey add column since timestamp;
alter table serverkey add column until timestamp;
alter table clock add column seen timestamp;
alter table clock add column steady_since timestamp;
create table backup (id integer primary key);
create table bulletin (player integer primary key, due timestamp not null, told timestamp not null);
create table ladderstep (tournament integer primary key);
alter table tournament add column group_size integer;
alter table tournament add column promoted integer;
alter table vacation add column automatic boolean not null default false;
drop table watch;
create table watch (id integer primary key, player integer, "match" integer, whom integer, tournament integer,
    left_out boolean, created timestamp, noticed timestamp);
update alembic_version set version_num = '1.0011'
"""


def make_former(site: Site) -> None:
    """Take away what later versions have added, and add what they have removed."""
    for statement in LESS.split(";"):
        site.rows(statement)
