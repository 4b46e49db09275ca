"""Upgrades: of databases of earlier versions, and which databases are refused.

`early/` has databases as the programs of their time left them. In `0031` and `1.0011`, alice and bob have played three
turns by email: what the third one owes hasn't been sent, and another message is stored and not yet handled.
`1.0011-ladder` has a ladder that four have entered, its first match rated, and its second begun. `1.0020.tar.gz` is a
backup of that one: a turn more was played, which nobody was told of yet, and a message is stored. `1.0020-salvaged` was
restored from messages.
"""

import gzip
import json
import tarfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from pbem.storage import database
from tests.correspondence import correspondence, said, text, to
from tests.operating.early_tables import make_former
from tests.operating.matches import in_play
from tests.operating.people import written
from tests.operating.places import backup, place, restore
from tests.operating.site import Site, rows

EARLY = Path(__file__).parent / "early"
REFUSAL = (
    "the database is at revision 0031 of an early version: run pbem of commit 4a22f6f0 once (pbem init),"
    " which upgrades it, then this one"
)
OLD_REPLY_ADDRESS = "games+caaaaaaeaaaaaaunykxutsk4fpstzj2p2dmdw43w@pbem.example"
"""That of dave in the second match of `1.0011-ladder`."""
LASTING = {
    "player": "id, name, address, confirmed, epoch, created",
    "match": "id, game, seat0, seat1, challenger, state, plies, to_move, created",
    "ply": "id, match, number, seat, text, incoming, played",
    "incoming": "id, key, size, source, sender, state, received",
    "rawmessage": "incoming, raw",
    "outgoing": "id, message_id, template, match, ply, player, address, state, due, created",
    "outgoingcontent": "outgoing, cast(payload as text), cast(facts as text)",
}
"""What no upgrade changes."""


def lasting(url: str) -> dict[str, list[Any]]:
    """Return all rows with these columns."""
    engine = database.connect(url)
    found = {name: rows(engine, f'select {columns} from "{name}" order by 1') for name, columns in LASTING.items()}
    engine.dispose()
    return found


def real(folder: Path, revision: str) -> Path:
    """Put the real database of that revision into the folder."""
    folder.mkdir(exist_ok=True)
    file = folder / "pbem.sqlite"
    if revision == "1.0020":
        with tarfile.open(EARLY / "1.0020.tar.gz") as archive:
            file.write_bytes(archive.extractfile("database.sqlite").read())
    else:
        file.write_bytes(gzip.decompress((EARLY / f"{revision}.sqlite.gz").read_bytes()))
    return file


def upgraded(folder: Path, revision: str) -> tuple[str, dict[str, Any]]:
    """Upgrade the real database of that revision; return its URL, and what lasts in it, which has stayed as it was."""
    url = f"sqlite:///{real(folder, revision)}"
    before = lasting(url)
    engine = database.connect(url)
    database.upgrade(engine)
    engine.dispose()
    assert lasting(url) == before
    return url, before


@pytest.mark.own_database
def test_play_goes_on_in_a_real_database_of_the_last_version_before(tmp_path: Path) -> None:
    url, before = upgraded(tmp_path / "server", "1.0011")
    assert [len(before[table]) for table in ("player", "match", "ply", "incoming", "outgoing")] == [2, 1, 3, 10, 14]
    with correspondence(tmp_path / "server", database=url) as letters:
        assert letters.rows("select version_num from alembic_version") == [database.newest_revision()]
        letters.wait(hours=3, minutes=1)
        assert {address: len(mails) for address, mails in letters.received.items()} == {
            "alice@mail.example": 2,  # the receipt for the turn, and the answer to the message that was stored
            "bob@mail.example": 1,
        }
        assert "b7b5 i2i4 1 b5b4 i4i5" in text(letters.last("bob"))
        assert "#1" in text(letters.last("alice"))
        letters.reply(letters.last("bob"), "f1g1 h7h6 1 g1h1 h6h5")
        assert "f1g1 h7h6 1 g1h1 h6h5" in text(letters.last("alice"))
        assert letters.played[2:] == ["b7b5 i2i4 1 b5b4 i4i5", "f1g1 h7h6 1 g1h1 h6h5"]
        assert "replayed, 0 problems" in letters.operate("check").stdout


@pytest.mark.own_database
@pytest.mark.parametrize("revision", ["1.0011-ladder", "1.0020"])
def test_a_ladder_ratings_a_ban_and_a_reply_address_of_before_go_on(tmp_path: Path, revision: str) -> None:
    url, _ = upgraded(tmp_path / "server", revision)
    with correspondence(tmp_path / "server", database=url) as letters:
        letters.clock.advance(days=8, hours=2)
        rungs = "select name from entry join player on player.id = player where rung is not null order by rung"
        assert letters.rows(rungs) == ["alice", "carol", "bob", "dave"]
        assert letters.rows("select cast(rating as integer) from playerrating order by player") == [1337, 1662]
        letters.deliver(written("erin@mail.example", "games@pbem.example", "challenge bob quadraphages"))
        assert "closed your account" in text(letters.last("erin"))
        if revision == "1.0011-ladder":  # in the other one it waits for the next start
            letters.deliver(written("dave@mail.example", OLD_REPLY_ADDRESS, "setup +x+x"))
        for name in ("bob", "dave"):
            assert "#2" in text(letters.last(name))
        assert letters.rows("select state from incoming where state <> 'done'") == []
        assert letters.rows("select text from ply where match = 2") == ["setup +x+x"]
        letters.reply(letters.last("bob"), "setup ++++")
        letters.resign("bob", "#2 resign")
        letters.wait(hours=1)
        assert letters.rows(rungs) == ["alice", "carol", "dave", "bob"]
        assert "replayed, 0 problems" in letters.operate("check").stdout


@pytest.mark.own_database
def test_a_match_that_was_salvaged_goes_on(tmp_path: Path) -> None:
    url, _ = upgraded(tmp_path / "server", "1.0020-salvaged")
    with correspondence(tmp_path / "server", database=url) as letters:
        letters.wait(hours=1)
        letters.say("bob", "#1 b9b8")
        assert letters.played == ["e3f4", "e9f8", "b3b4", "b9b8"]
        assert "replayed, 0 problems" in letters.operate("check").stdout


def test_tables_of_the_last_version_before_are_upgraded_at_a_start_and_by_a_restore(site: Site, tmp_path: Path) -> None:
    with site.server() as server:
        *moves, last = in_play(server, 4, lambda match: 3 * match)
    site.drop(*(move.raw for move in moves))
    assert site.run_once()[:2] == [3, 3]
    before = lasting(site.database)
    make_former(site)
    assert "was made by an older version of pbem" in site.pbem("check").err
    other = place(site, tmp_path / "other")
    done = restore(other, backup(site))
    assert done.code == 0, done.said
    assert "tables of version 1.0011" in done.out
    log = [json.loads(line) for line in site.pbem("run", "--once").err.splitlines()]
    assert [line["event"] for line in log].count("upgrading the tables") == 1
    for each in (site, other):
        assert each.rows("select version_num from alembic_version") == [database.newest_revision()]
        assert lasting(each.database) == before
    site.drop(last.raw)
    assert site.run_once()[:2] == [1, 1]
    newest = site.rows("select match, number, text from ply order by id desc limit 1")
    assert newest == [(last.match, last.ply, last.text)]


def test_an_account_that_was_part_of_another_one_is_like_one_that_left(site: Site) -> None:
    """Of the two in the first match, o0 became part of x0, who plays o1 since."""
    with site.server() as server:
        moves = in_play(server, 2)
    site.drop(*(move.raw for move in moves))
    assert site.run_once()[:2] == [2, 2]
    make_former(site)
    kept, gone = (site.rows("select id from player where name = :name", name=name)[0] for name in ("x0", "o0"))
    site.rows(
        "update player set confirmed = null, merged_into = :kept, epoch = 7 where id = :gone", kept=kept, gone=gone
    )
    site.rows("update \"match\" set state = 'over', termination = 'cancelled', ended = started where id = 1")
    site.rows('update "match" set seat0 = :kept, challenger = :kept where id = 2', kept=kept)
    site.rows("update outgoing set state = 'paused' where player = :gone", gone=gone)
    done = {"template": "answer", "sections": [{"template": "act_done", "act": {"act": "merge", "by": "o0"}}]}
    told = site.rows("select id from outgoing where player = :kept", kept=kept)[0]
    site.rows("update outgoingcontent set payload = :done where outgoing = :told", done=json.dumps(done), told=told)
    before = lasting(site.database)

    site.run_once()

    after = lasting(site.database)
    assert [row for row in after["player"] if row[0] != gone] == [row for row in before["player"] if row[0] != gone]
    assert {table: after[table] for table in ("match", "ply")} == {table: before[table] for table in ("match", "ply")}
    assert site.rows(
        "select name, address, cast(settings as text), confirmed, epoch from player where deleted is not null"
    ) == [(f"deleted-{gone}", f"deleted-{gone}", "{}", None, 7 + 65)]
    assert site.rows("select distinct address, state from outgoing where player = :gone", gone=gone) == [
        (f"deleted-{gone}", "dropped")
    ]
    assert "o0" not in str(
        [site.rows(f"select * from {table}") for table in ("player", "outgoingcontent", "departure")]
    )
    assert site.rows("select count(*) from departure where swept is null") == [0]
    (payload,) = site.rows("select cast(payload as text) from outgoingcontent where outgoing = :told", told=told)
    assert json.loads(payload) == {"template": "answer", "sections": []}
    assert "2 matches replayed, 0 problems" in site.pbem("check").out


@pytest.mark.own_database
def test_a_real_backup_of_the_version_before_is_restored(site: Site, tmp_path: Path) -> None:
    other = place(site, tmp_path / "other")
    done = restore(other, EARLY / "1.0020.tar.gz")
    assert done.code == 0, done.said
    assert "tables of version 1.0020\n" in done.out
    assert "2 matches replayed, 0 problems" in done.out
    assert {path.name for path in other.folder.iterdir()} == {
        "pbem.toml",
        "pbem.key",
        "pbem.sqlite",
        "pbem.sqlite.lock",
    }
    before = lasting(f"sqlite:///{real(tmp_path / 'before', '1.0020')}")
    assert lasting(other.database) == before
    assert other.rows("select version_num from alembic_version") == [database.newest_revision()]


@pytest.mark.own_database
def test_a_real_database_of_an_older_version_and_its_backup_are_told_what_upgrades_them(
    site: Site, tmp_path: Path
) -> None:
    file = real(site.folder, "0031")
    before = file.read_bytes()
    for words in (("init",), ("run", "--once"), ("check",), ("status",)):
        done = site.pbem(*words)
        assert (done.code, done.err) == (2, f"pbem: {REFUSAL}\n")
    other = place(site, tmp_path / "other")
    done = restore(other, backup(site))
    assert done.code == 2
    assert f"can't be restored: it was made by pbem {version('pbem')}: {REFUSAL}" in done.err
    assert not other.folder.exists()
    assert file.read_bytes() == before


@pytest.mark.own_database
@pytest.mark.parametrize("words", [("init",), ("run", "--once")])
def test_a_database_is_not_upgraded_under_a_running_server(site: Site, words: tuple[str, ...]) -> None:
    site.rows("update alembic_version set version_num = '1.0020'")
    with database.alone(site.database):
        assert "another daemon" in site.pbem(*words).err
    assert site.rows("select version_num from alembic_version") == ["1.0020"]


WITH_PROOFS = """
update match set proofs = true;
insert into note (match, seat, text) values (1, 0, 'The left side is mine.');
insert into claim (match, player, version, is_draw, asked, attempts, due)
    values (1, 1, 3, false, '2026-03-02 11:00:00', 0, '2026-03-02 11:00:00');
create temporary table proven as select * from match;
update proven set id = 2, state = 'over', to_move = null, ended = '2026-03-02 12:00:00',
    winner = 1, termination = 'proven', termination_seat = 1, reason = 'b5b4 g9g8, ...';
insert into match select * from proven;
insert into ply (match, number, seat, text, played) select 2, number, seat, text, played from ply;
create temporary table queued as select * from outgoing where id = 14;
update queued set id = 15, message_id = '15@pbem.example', template = 'claim';
insert into outgoing select * from queued;
update queued set id = 16, message_id = '16@pbem.example', template = 'answer';
insert into outgoing select * from queued;
insert into outgoingcontent (outgoing, payload, facts)
    select 15, '{"match": 1, "ply": 3, "why": "not shown", "left": 2, "template": "claim"}', facts
    from outgoingcontent where outgoing = 14;
insert into outgoingcontent (outgoing, payload, facts)
    select 16, '{"sections": [{"match": 1, "ply": 3, "is_draw": false, "left": 2, "template": "claimed"}],
        "subject": "", "template": "answer"}', facts
    from outgoingcontent where outgoing = 14
"""
"""What alice and bob had when results could be proven: a claim, a match that one has ended, two messages, a note."""


@pytest.mark.own_database
def test_matches_whose_result_could_be_proven_go_on_and_what_a_proof_has_ended_stays_so(tmp_path: Path) -> None:
    url = f"sqlite:///{real(tmp_path / 'server', '1.0011')}"
    engine = database.connect(url)
    with engine.begin() as connection:
        for statement in WITH_PROOFS.split(";"):
            connection.exec_driver_sql(statement)
    database.upgrade(engine)
    engine.dispose()
    with correspondence(tmp_path / "server", database=url) as letters:
        assert letters.rows("select text from note") == ["The left side is mine."]
        told = [said(mail) for mail in to(letters.wait(hours=3, minutes=1), "alice")]
        assert sum("doesn't look at claims" in each for each in told) == 1
        assert letters.rows("select state from outgoing where id in (15, 16) order by id") == ["dropped", "sent"]
        letters.reply(letters.last("bob"), "f1g1 h7h6 1 g1h1 h6h5")
        letters.say("alice", "resign 1")
        letters.reply(letters.last("alice"), "yes")
        endings = letters.rows("select termination, winner, reason from match order by id")
        assert endings == [("resignation", 1, None), ("proven", 1, "b5b4 g9g8, ...")]
        (record,) = letters.say("alice", "record 2")
        assert "Ended: O wins by force Shown by: b5b4 g9g8, ..." in said(record)
        assert "replayed, 0 problems" in letters.operate("check").stdout


WITH_A_LEAGUE = """
insert into player (id, name, address, confirmed, epoch, settings, bounces, created)
    select number, 'x' || number, 'x' || number || '@mail.example', '2026-03-01 10:00:00', 0, '{}', 0,
        '2026-03-01 10:00:00'
    from (select 3 as number union all select 4 union all select 5);
insert into tournament (id, title, kind, game, options, time, rated, places, rounds, at_once, group_size, promoted,
    season, closes, created, started)
    select number, 'Little League', 'league', game, options, '14d+1d', false, 64, 3, 1, 3, 1, number,
        '2026-03-01 12:00:00', '2026-03-01 11:00:00', begun
    from match join (
        select 1 as number, '2026-03-01 12:00:00' as begun union all select 2, null
    ) where match.id = 1;
insert into entry (tournament, player, entered, seed)
    select 1, id, '2026-03-01 11:00:00', case id when 1 then 5 when 5 then 1 else id end from player;
insert into pairing (tournament, round, board, game, first, second, match) values
    (1, 1, 1, 1, 5, 2, null), (1, 1, 2, 1, 4, 1, null);
update pairing set match = 1 where board = 1;
update match set tournament = 1, round = 1, seat0 = 5, seat1 = 2, challenger = 5 where id = 1;
insert into watch (player, whom, created) values (3, 2, '2026-03-01 12:00:00');
insert into watch (player, tournament, created) values (4, 1, '2026-03-01 12:00:00');
insert into watch (player, match, created, left_out) values (4, 1, '2026-03-01 12:00:00', true)
"""
"""A league with two groups, one of three players and one of two, its next season, and spectators."""


@pytest.mark.own_database
def test_each_group_of_a_league_is_a_round_robin_and_spectators_watch_matches(tmp_path: Path) -> None:
    engine = database.connect(f"sqlite:///{real(tmp_path / 'server', '1.0011')}")
    with engine.begin() as connection:
        for statement in WITH_A_LEAGUE.split(";"):
            connection.exec_driver_sql(statement)
    database.upgrade(engine)

    tournaments = rows(engine, "select id, title, kind, rounds from tournament order by id")
    assert tournaments == [
        (1, "Little League, group 1", "round-robin", 3),
        (2, "Little League", "swiss", 3),
        (3, "Little League, group 2", "round-robin", 1),
    ]
    assert rows(engine, "select tournament, player, seed from entry order by tournament, seed") == [
        *((1, 5, 1), (1, 2, 2), (1, 3, 3)),
        *((3, 4, 1), (3, 1, 2)),
    ]
    assert rows(engine, "select tournament, first from pairing order by first") == [(3, 4), (1, 5)]
    assert rows(engine, "select tournament from match") == [1]
    assert rows(engine, "select player, match from watch") == [(3, 1)]
    engine.dispose()


WITH_TEAMS = """
create temporary table paired as select * from match;
update paired set id = 2, state = 'over', to_move = null, ended = '2026-03-02 12:00:00', winner = 1,
    termination = 'resignation', termination_seat = 0, tournament = 1, round = 1, rated = true;
insert into match select * from paired;
insert into ply (match, number, seat, text, played) select 2, number, seat, text, played from ply;
update match set tournament = 2, round = 1 where id = 1;
insert into tournament (id, title, kind, game, options, time, rated, places, rounds, at_once, season, every, reopens,
    closes, created, started, ended, told)
    select number, 'Danube - Rhine', 'team-match', game, options, '14d+1d', true, 4, 2, 2, 1, each, reopening,
        '2026-03-01 12:00:00', '2026-03-01 11:00:00', begun, over, waiting from match join (
    select 1 as number, null as each, null as reopening, '2026-03-01 12:00:00' as begun, '2026-03-02 12:00:00' as over,
        null as waiting union all
    select 2, 'month', '2026-03-03 12:00:00', '2026-03-01 12:00:00', null, 2 union all
    select 3, null, null, null, null, null
    ) where match.id = 1;
insert into entry (tournament, player, entered, seed)
    select tournament.id, player.id, '2026-03-01 11:00:00', player.id from tournament, player;
insert into pairing (tournament, round, board, game, first, second, match) values
    (1, 1, 1, 1, 1, 2, 2), (2, 1, 1, 1, 1, 2, 1), (2, 2, 1, 1, 2, 1, null);
create temporary table queued as select * from outgoing where id = 14;
update queued set id = 15, message_id = '15@pbem.example', template = 'tournament_over';
insert into outgoing select * from queued;
insert into outgoingcontent (outgoing, payload, facts)
    select 15, '{"line": {"number": 1, "title": "Danube - Rhine", "kind": "team-match"},
        "template": "tournament_over"}', facts
    from outgoingcontent where outgoing = 14
"""
"""What alice and bob had when there were team matches: one that is over, one that is running, and one that is open."""


@pytest.mark.own_database
def test_team_matches_are_over_and_their_matches_go_on(tmp_path: Path) -> None:
    url = f"sqlite:///{real(tmp_path / 'server', '1.0011')}"
    engine = database.connect(url)
    with engine.begin() as connection:
        for statement in WITH_TEAMS.split(";"):
            connection.exec_driver_sql(statement)
    before = lasting(url)
    database.upgrade(engine)
    engine.dispose()
    changed = {name for name, found in lasting(url).items() if found != before[name]}
    assert changed == {"outgoing"}
    with correspondence(tmp_path / "server", database=url) as letters:
        letters.wait(hours=3, minutes=1)
        assert letters.rows("select state from outgoing where id = 15") == ["dropped"]
        letters.reply(letters.last("bob"), "f1g1 h7h6 1 g1h1 h6h5")
        matches = letters.rows("select id, tournament, round, reported is null, plies from match order by id")
        assert matches == [(1, None, None, True, 4), (2, 1, 1, False, 3)]
        (told,) = letters.say("alice", "tournament 1\ntournament 2\ntournament 3")
        for each in ("bob +2 1", "It is over, 2 players. player pts", "It is called off"):
            assert each in said(told)
        closed = letters.rows("select kind, ended is null, told, every, reopens from tournament")
        assert closed == [("swiss", False, None, None, None)] * 3
        assert letters.rows("select count(*) from tournament join pairing on tournament.id = tournament") == [1]
        assert "replayed, 0 problems" in letters.operate("check").stdout


WITH_STOPS = """
update match set time = '14d+1d', missing = '2026-03-03 12:00:00', clock =
    '{"sides": [{"bank": "P14D", "days": {}}, {"bank": "P14D", "days": {}}], "now": "2026-03-03T12:00:00Z", "seat": 1,
      "spent": "P1D", "is_paused": false, "paused_until": null, "is_stopped": true}';
insert into clockevent (match, kind, at, seat) values (1, 'handed over', '2026-03-02 08:00:00', 1),
    (1, 'stopped', '2026-03-02 14:00:00', null), (1, 'paused', '2026-03-02 15:00:00', null),
    (1, 'went on', '2026-03-02 16:00:00', null), (1, 'resumed', '2026-03-02 18:00:00', null),
    (1, 'stopped', '2026-03-03 12:00:00', null);
insert into setback (doing, number, failures, since, due) values ('game hex', 0, 3, '2026-03-02', '9999-01-01')
"""
"""A match that had stopped and gone on while it was paused, and has stopped again; and a game that is suspended."""


@pytest.mark.own_database
def test_a_match_that_had_stopped_without_its_game_is_paused_and_has_all_its_time(tmp_path: Path) -> None:
    url = f"sqlite:///{real(tmp_path / 'server', '1.0011')}"
    engine = database.connect(url)
    with engine.begin() as connection:
        for statement in WITH_STOPS.split(";"):
            connection.exec_driver_sql(statement)
    database.upgrade(engine)
    engine.dispose()
    with correspondence(tmp_path / "server", database=url) as letters:
        letters.wait(days=30)
        assert letters.rows("select paused is null, due, plies from match") == [(False, None, 3)]
        assert letters.rows("select count(*) from setback") == [0]
        assert "replayed, 0 problems" in letters.operate("check").stdout
        letters.reply(letters.last("bob"), "f1g1 h7h6 1 g1h1 h6h5")
        assert letters.rows("select paused is null, due is null, plies from match") == [(True, False, 4)]
        assert "replayed, 0 problems" in letters.operate("check").stdout
