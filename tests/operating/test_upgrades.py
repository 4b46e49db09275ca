"""Upgrades: of databases of the last version before 1.0, and which databases are refused.

`early/` has a database of each kind as the program of that time left it: alice and bob have joined and played three
turns by email, what the third one owes hasn't been sent, and another message is stored and not yet handled.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from pbem.storage import database
from tests import databases
from tests.correspondence import Correspondence, correspondence, text
from tests.operating.matches import NextMove, in_play
from tests.operating.site import Site, rows
from tests.operating.test_backup import backup, place, restore

EARLY = Path(__file__).parent / "early"
REFUSAL = (
    "the database is at revision 0031 of an early version: run pbem of commit ade5423f once (pbem init),"
    " which upgrades it, then this one"
)

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
    file.write_bytes(gzip.decompress((EARLY / f"{revision}.sqlite.gz").read_bytes()))
    return file


def played(site: Site) -> list[NextMove]:
    """Play some turns by email, and return the ones that come next."""
    with site.server() as server:
        moves = in_play(server, 4, lambda match: 3 * match)
    site.drop(*(move.raw for move in moves[:3]))
    assert site.run_once()[:2] == [3, 3]
    return moves


TERMS = (
    ('"match"', "free_undo"),
    ("seek", "free_undo"),
    *(("tournament", column) for column in ("every", "entry_days", "reopens")),
)


def make_early(site: Site) -> None:
    """Take away what later versions have added to the tables of the last version before 1.0."""
    for table in ("setback", "blockedaddress", "serverkey", "note", "claim"):
        site.rows(f"drop table {table}")
    for index in (
        *("incoming_waiting", "incoming_group", "outgoing_waiting", "outgoing_group"),
        *("match_seat0_finished", "match_seat1_finished", "match_missing", "tournament_reopens"),
    ):
        site.rows(f"drop index ix_{index}")
    for table in ("incoming", "outgoing", "search", "analysis", "backup"):
        site.rows(f"alter table {table} drop column leased_until")
        site.rows(f"alter table {table} drop column holder")
    for table, column in (
        ("incoming", "round"),
        ("incoming", "cost"),
        *(('"match"', each) for each in ("rules", "missing", "noted0", "noted1", "proofs")),
        ("seek", "reliable"),
        *TERMS,
    ):
        site.rows(f"alter table {table} drop column {column}")
    for table, column in (("outgoing", "lane"), ("outgoing", "round"), ("outgoing", '"group"')):
        site.rows(f"alter table {table} drop column {column}")
    site.rows('alter table incoming rename column "group" to author')
    site.rows("alter table incoming add column ordering json")
    site.rows("alter table incoming add column last_attempt timestamp")
    site.rows("alter table outgoing add column delivery_starts integer not null default 0")
    site.rows("create index ix_incoming_state_lane on incoming (state, lane)")
    site.rows("create index ix_incoming_author on incoming (author)")
    site.rows("create index ix_seek_game_expires on seek (game, expires, id) where closed is null")
    site.rows("update alembic_version set version_num = '0048'")


def is_stamped(letters: Correspondence) -> bool:
    """Return whether the database says that its tables are the newest."""
    return letters.execute("select version_num from alembic_version") == [(database.newest_revision(),)]


@pytest.mark.own_database
def test_play_goes_on_in_a_real_database_of_the_last_version_before(tmp_path: Path) -> None:
    url = f"sqlite:///{real(tmp_path / 'server', '0048')}"
    before = lasting(url)
    engine = database.connect(url)
    database.upgrade(engine)
    engine.dispose()
    assert lasting(url) == before
    assert [len(before[table]) for table in ("player", "match", "ply", "incoming", "outgoing")] == [2, 1, 3, 10, 14]
    with correspondence(tmp_path / "server", database=url) as letters:
        assert is_stamped(letters)
        letters.wait(hours=3, minutes=1)
        assert {address: len(mails) for address, mails in letters.received.items()} == {
            "alice@mail.example": 2,  # the receipt for the turn, and the answer to the message that was stored
            "bob@mail.example": 1,
        }
        assert "b7b5 i2i4 1 b5b4 i4i5" in text(letters.last("bob"))
        assert "#1" in text(letters.last("alice"))
        letters.reply(letters.last("bob"), "f1g1 h7h6 1 g1h1 h6h5")
        assert "f1g1 h7h6 1 g1h1 h6h5" in text(letters.last("alice"))
        assert letters.execute("select number, text from ply order by number") == [
            (1, "1 a7b7 i3i2"),
            (2, "c1d1 g9h9 2 d1f1 h9h7"),
            (3, "b7b5 i2i4 1 b5b4 i4i5"),
            (4, "f1g1 h7h6 1 g1h1 h6h5"),
        ]
        assert "replayed, 0 problems" in letters.operate("check").stdout


@pytest.mark.sql
def test_the_tables_of_the_last_version_before_are_recognised_and_stamped(site: Site) -> None:
    moves = played(site)
    before = lasting(site.database)
    make_early(site)
    done = site.pbem("check")
    assert done.code == 2
    assert "was made by an older version of pbem" in done.err
    assert site.pbem("init").code == 0
    assert site.rows("select version_num from alembic_version") == [database.newest_revision()]
    assert lasting(site.database) == before
    assert "4 matches replayed, 0 problems" in site.pbem("check").out
    site.drop(moves[3].raw)
    assert site.run_once()[:2] == [1, 1]
    last = site.rows("select match, number, text from ply order by id desc limit 1")
    assert last == [(moves[3].match, moves[3].ply, moves[3].text)]


@pytest.mark.own_database
@pytest.mark.parametrize(
    "words", [("init",), ("run", "--once"), ("check",), ("status",), ("show", "1"), ("feed", "-")], ids=" ".join
)
def test_a_real_database_of_an_older_version_is_told_what_upgrades_it(site: Site, words: tuple[str, ...]) -> None:
    file = real(site.folder, "0031")
    before = file.read_bytes()
    done = site.pbem(*words, stdin=b"From: a@b.example\n\nx\n")
    assert done.code == 2
    assert done.err == f"pbem: {REFUSAL}\n"
    assert file.read_bytes() == before


@pytest.mark.own_database
def test_a_backup_of_an_older_version_is_refused_with_what_upgrades_it(site: Site, tmp_path: Path) -> None:
    real(site.folder, "0031")
    other = place(site, tmp_path / "other")
    done = restore(other, backup(site))
    assert done.code == 2
    assert "whose tables have version 0031, from which this pbem can't upgrade" in done.err
    assert "Restore it with pbem of commit ade5423f" in done.err
    assert not other.folder.exists()


@pytest.mark.sql
def test_a_backup_of_the_last_version_before_is_stamped_when_it_is_restored(site: Site, tmp_path: Path) -> None:
    played(site)
    before = lasting(site.database)
    make_early(site)
    file = backup(site)
    assert site.rows("select version_num from alembic_version") == ["0048"]
    other = place(site, tmp_path / "other")
    done = restore(other, file)
    assert done.code == 0, done.said
    assert "tables of version 0048" in done.out
    assert lasting(other.database) == before
    assert other.rows("select version_num from alembic_version") == [database.newest_revision()]


@pytest.mark.sql
def test_an_upgrade_tells_how_far_it_is(tmp_path: Path) -> None:
    engine = database.connect(databases.empty(tmp_path))
    told: list[tuple[str, int, int]] = []
    for _ in range(2):
        database.upgrade(engine, lambda *step: told.append(step))
    steps = database.revisions()
    assert told == [(f"upgrading the tables to version {each}", at, len(steps)) for at, each in enumerate(steps)]
    engine.dispose()


@pytest.mark.sql
def test_a_start_logs_that_it_upgrades_the_tables(site: Site) -> None:
    make_early(site)
    log = [json.loads(line) for line in site.pbem("run", "--once").err.splitlines()]
    assert [line["steps"] for line in log if line["event"] == "upgrading the tables"] == [len(database.revisions()) - 1]


@pytest.mark.parametrize("words", [("run", "--once"), ("init",), ("check",), ("show", "1"), ("feed", "-")])
def test_tables_of_a_later_version_are_left_alone(site: Site, words: tuple[str, ...]) -> None:
    """There is no way back but the backup."""
    site.rows("update alembic_version set version_num = '9999'")
    done = site.pbem(*words, stdin=b"From: a@b.example\n\nx\n")
    assert done.code == 2
    assert done.err.startswith("pbem: the database was made by another version of pbem"), done.err
    assert "9999" in done.err
    assert site.rows("select version_num from alembic_version") == ["9999"]
