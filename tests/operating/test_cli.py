"""The operator commands, run as an operator runs them: their output and exit codes."""

import json
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from sqlmodel import col, select

from notation import record
from notation.record import replay
from pbem import config
from pbem.cli.core import app as whole
from pbem.cli.doctor import replaying
from pbem.cli.index import COMMANDS, load
from pbem.matches import integrity
from pbem.storage import database
from pbem.storage.database import MIGRATIONS
from pbem.storage.models import Match
from tests.correspondence import parsed, text
from tests.counted_sql import counted
from tests.operating import matches
from tests.operating.people import written
from tests.operating.site import ADDRESS, Site, environment, smtp_out
from tests.servers import SmtpSink, free_port

RECORDS = Path(__file__).parent.parent / "records"
RULES = written("ann@mail.example", ADDRESS, "rules quadraphages")
SinkStarter = Callable[..., SmtpSink]


@pytest.fixture
def played(site: Site) -> Site:
    """Make a site with one match after three turns."""
    with site.server() as server:
        matches.in_play(server, 1, lambda _: 3)
    return site


PREVIEW = f"preview 1 {matches.sample().moves[2]}"
"""It replays the match while it is handled."""


def tamper(site: Site) -> None:
    """Replace the second stored turn of match 1 with an illegal one."""
    site.rows("update ply set text = '1 a1a2' where match = 1 and number = 2")


def repair(site: Site) -> None:
    site.rows("update ply set text = :text where match = 1 and number = 2", text=matches.sample().moves[1])


# init


@pytest.mark.slow
@pytest.mark.own_database
def test_init_writes_a_configuration_a_key_that_only_we_may_read_and_a_database(tmp_path: Path) -> None:
    site = Site(tmp_path / "new")
    done = site.process("init", umask=0)
    assert done.code == 0, done.said
    assert config.load(site.config).inbox.maildir
    key = site.folder / "pbem.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert len(key.read_text().strip()) == 64
    assert key.read_text().strip() not in done.said
    assert site.rows("select count(*) from match") == [0]


@pytest.mark.own_database
def test_init_a_second_time_changes_nothing(tmp_path: Path) -> None:
    site = Site(tmp_path / "new")
    site.pbem("init")
    site.rows("insert into player (name, address, epoch, created) values ('ann', 'ann@mail.example', 0, '2007-01-01')")
    before = {path.name: path.read_bytes() for path in (site.config, site.folder / "pbem.key")}
    done = site.pbem("init")
    assert done.code == 0, done.said
    assert {path.name: path.read_bytes() for path in (site.config, site.folder / "pbem.key")} == before
    assert site.rows("select name from player") == ["ann"]


@pytest.mark.own_database
def test_init_keeps_a_configuration_that_is_there_and_makes_what_it_lacks(site: Site) -> None:
    before = site.config.read_bytes()
    (site.folder / "pbem.key").unlink()
    (site.folder / "pbem.sqlite").touch()  # an empty database
    done = site.pbem("init")
    assert done.code == 0, done.said
    assert site.config.read_bytes() == before
    assert (site.folder / "pbem.key").is_file()
    newest = max(path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))
    assert site.rows("select version_num from alembic_version") == [f"1.{newest}"]


# run --once


def test_run_once_receives_handles_and_sends_what_waits(site: Site) -> None:
    site.drop(RULES, written("bob@mail.example", ADDRESS, "join bob"))
    done = site.process("run", "--once")
    assert (done.code, done.out) == (0, "2 received, 2 processed, 2 sent\n")
    mails = [parsed(raw) for raw in site.sent()]
    assert {str(mail["To"]) for mail in mails} == {"ann@mail.example", "bob@mail.example"}
    assert not list((site.folder / "in" / "new").iterdir())
    assert site.run_once() == [0, 0, 0]


@pytest.mark.slow
def test_run_once_ends_when_nothing_is_left(site: Site) -> None:
    senders = [f"p{number}@host{number}.example" for number in range(40)]
    site.drop(*(written(sender, ADDRESS, "help") for sender in senders))
    assert site.run_once() == [40, 40, 40]
    assert {str(parsed(raw)["To"]) for raw in site.sent()} == set(senders)


@pytest.mark.parametrize(
    ("failpoint", "words"),
    [
        ("snet:3", "no step 'snet'; the steps are received, stored"),
        ("sent:", ""),
        ("sent:third", "'third' is not a count; sent:3 is the third time"),
        ("sent:0", "'0' is not a count"),
        (":3", "no step ''"),
    ],
)
def test_a_fail_point_that_would_never_be_reached_is_refused_at_the_start(
    site: Site, failpoint: str, words: str
) -> None:
    done = site.pbem("run", "--once", PBEM_FAILPOINT=failpoint)
    assert done.code == (2 if words else 0), done.said
    assert " ".join(words.split()) in " ".join(done.err.split())


# feed


@pytest.mark.slow
def test_feed_handles_a_mail_and_prints_what_is_owed_for_it(site: Site) -> None:
    path = site.folder / "mail.eml"
    path.write_bytes(RULES)
    done = site.pbem("feed", str(path))
    assert done.code == 0, done.said
    assert "message 1: done, done: rules" in done.out
    assert "to ann@mail.example" in done.out
    assert "QUADRAPHAGES" in done.out
    assert site.rows("select state from outgoing") == ["owed"]
    again = site.pbem("feed", str(path))
    assert (again.code, again.out) == (0, "this message was received before, so nothing was done\n")
    assert site.rows("select count(*) from outgoing") == [1]


def test_feed_reads_standard_input(site: Site) -> None:
    done = site.process("feed", "-", stdin=RULES)
    assert done.code == 0, done.said
    assert "QUADRAPHAGES" in done.out


@pytest.mark.slow
def test_feed_takes_the_envelope_recipient_with_its_token(site: Site) -> None:
    with site.server() as server:
        (move,) = matches.in_play(server, 1)
    bare = written(move.sender, ADDRESS, move.text)
    done = site.pbem("feed", "-", "--to", move.to, stdin=bare)
    assert "message 1: done, done: move" in done.out, done.said
    assert site.rows("select text from ply") == [move.text]


@pytest.mark.parametrize(("name", "words"), [("missing", "No such file"), ("empty", "empty is empty"), (".", "Is a")])
def test_feed_says_that_there_is_no_mail(site: Site, name: str, words: str) -> None:
    (site.folder / "empty").touch()
    done = site.pbem("feed", str(site.folder / name))
    assert done.code == 2
    assert words in done.err
    assert site.rows("select count(*) from incoming") == [0]


@pytest.mark.slow
def test_feed_ends_with_1_when_the_mail_meets_a_bug(played: Site) -> None:
    tamper(played)
    done = played.pbem("feed", "-", stdin=written("x0@mail.example", played.personal("x0"), PREVIEW))
    assert done.code == 1
    assert "shunted" in done.out


@pytest.mark.slow
def test_feed_ends_with_1_when_an_answer_meets_a_bug(played: Site) -> None:
    tamper(played)
    done = played.pbem("feed", "-", stdin=written("x0@mail.example", ADDRESS, "show 1"))
    assert done.code == 1
    assert "can't be rendered: BadRecord" in " ".join(done.err.split())


# check and show


def test_check_replays_every_match(played: Site) -> None:
    done = played.pbem("check")
    assert (done.code, done.out) == (0, "1 matches replayed, 0 problems\n")


def test_check_replays_each_match_once(played: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    replays = []
    monkeypatch.setattr(integrity, "replay", lambda record: replays.append(record) or replay(record))
    assert played.pbem("check").code == 0
    assert [len(record.moves) for record in replays] == [3]


@pytest.mark.slow
def test_check_of_many_matches_finds_the_same_in_several_processes(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    with site.server() as server:
        matches.in_play(server, 7, lambda _: 3)
    site.rows("update ply set text = '1 a1a2' where match in (2, 5) and number = 2")
    alone = site.pbem("check")
    assert "7 matches replayed, 2 problems" in alone.out
    monkeypatch.setattr(replaying, "FEW", 1)
    monkeypatch.setattr(replaying, "AT_ONCE", 2)
    monkeypatch.setattr(replaying.os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(replaying, "_faults", None)  # of no use: only other processes replay
    assert site.pbem("check") == alone


BROKEN = [
    "update ply set text = '1 a1a2' where number = 2 and match = {}",
    "delete from ply where number = 2 and match = {}",
    "update match set part = 'a1a2 1' where id = {}",
    "update match set shift = 5 where id = {}",
    "update match set time = '14d+1d', started = created, due = created where id = {}",
    "insert into clockevent (match, kind, at) values ({}, 'none', '2026-11-23 00:00:00')",
    """insert into takenback (match, number, seat, text, shift, played, taken_back)
       select match, 4, 0, text, 0, played, played from ply where number = 1 and match = {}""",
    "insert into prepared (match, seat, version, lines) values ({}, 1, 0, '[]')",
]


def test_matches_that_are_checked_together_have_the_faults_of_each_alone(site: Site) -> None:
    with site.server() as server:
        matches.in_play(server, len(BROKEN) + 2, lambda match: match % 4 + 1)
        for number, sql in enumerate(BROKEN, start=2):
            site.rows(sql.format(number))
        with database.read_only(server.engine) as session, counted(server.engine) as counts:
            found = session.exec(select(Match).order_by(col(Match.id))).all()
            asked = counts.statements
            together = list(integrity.faults(session, found))
            of_all, asked = counts.statements - asked, counts.statements
            alone = [*integrity.faults(session, found[:1])]
            of_one, asked = counts.statements - asked, counts.statements
            alone += [next(iter(integrity.faults(session, [match]))) for match in found[1:]]
    assert together == alone
    assert [bool(faults) for faults in together] == [False, *(["none" not in sql for sql in BROKEN]), False]
    assert of_all == of_one


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("update ply set text = '1 a1a2' where number = 2", "match #1: turn 2"),
        ("update ply set text = 'nonsense' where number = 2", "match #1: turn 2"),
        ("update ply set seat = 1 - seat where number = 3", "match #1: turn 3 is stored for seat"),
        ("update ply set text = upper(text) where number = 3", "match #1: turn 3 is stored as"),
        ("delete from ply where number = 2", "match #1: turn 2 is missing"),
        ("update match set game = 'chess'", "match #1: the game chess isn't installed"),
        ("update match set part = 'a1a2 1'", "match #1: the begun turn 'a1a2 1'"),
        ("update match set plies = plies + 1", "turns are counted, but"),
        ("update match set to_move = 1 - to_move", "it is stored to be the turn of seat"),
    ],
)
def test_check_says_what_somebody_did_to_a_stored_match(played: Site, sql: str, sentence: str) -> None:
    played.rows(sql)
    done = played.pbem("check")
    assert done.code == 1
    assert sentence in done.out
    assert "1 matches replayed, 1 problems" in done.out


def test_show_prints_the_board_and_every_turn(played: Site) -> None:
    done = played.pbem("show", "1")
    assert done.code == 0
    assert "match #1, Quadraphages" in done.out
    assert all(turn in done.out for turn in matches.sample().moves[:3])
    assert "a b c d e f g h i" in done.out
    told = json.loads(played.pbem("show", "1", "--json").out)
    assert (told["match"], told["game"], told["problems"]) == (1, "quadraphages", [])
    assert [turn["text"] for turn in told["turns"]][:3] == list(matches.sample().moves[:3])
    assert all(each["message_id"] in done.out for each in told["messages"])


def test_show_of_a_match_that_does_not_replay_says_why_and_still_lists_its_turns(played: Site) -> None:
    tamper(played)
    done = played.pbem("show", "1")
    assert done.code == 1
    assert "turn 2" in done.said
    assert matches.sample().moves[2] in done.out
    told = played.pbem("show", "1", "--json")
    assert told.code == 1
    assert any("turn 2" in problem for problem in json.loads(told.out)["problems"])


@pytest.mark.slow
def test_show_mail_prints_it_as_it_came_and_what_became_of_it(site: Site) -> None:
    site.pbem("feed", "-", stdin=RULES)
    done = site.pbem("show", "mail", "1")
    assert done.code == 0
    assert "verdict: done: rules" in done.out
    assert "out 1: answer, to ann@mail.example; owed: waits to be sent <" in done.out
    assert "rules quadraphages" in done.out


@pytest.mark.parametrize("words", [["show", "7"], ["show", "mail", "7"]])
def test_show_says_that_there_is_no_such_number(site: Site, words: list[str]) -> None:
    done = site.pbem(*words)
    assert done.code == 1
    assert "There is no" in done.err


# shunted and retry


@pytest.mark.slow
def test_a_mail_that_met_a_bug_is_listed_and_handled_once_the_bug_is_gone(played: Site) -> None:
    assert (played.pbem("mail", "list").code, played.pbem("mail", "list").out) == (0, "nothing is shunted\n")
    tamper(played)
    played.drop(written("x0@mail.example", played.personal("x0"), PREVIEW))
    assert played.run_once() == [1, 1, 0]
    listed = played.pbem("mail", "list")
    assert listed.code == 1
    assert "BadRecord" in listed.out
    assert "Traceback" in played.pbem("show", "mail", "1").out  # the only place that shows it
    repair(played)
    retried = played.pbem("mail", "retry", "1")
    assert (retried.code, retried.out) == (0, "1 will be retried\n")
    assert played.run_once() == [0, 1, 1]
    assert "a b c d e f g h i" in text(parsed(played.sent()[0]))
    assert played.pbem("mail", "list").code == 0


@pytest.mark.slow
def test_a_mail_that_nobody_would_take_is_listed_and_can_be_sent_again(site: Site, smtp_sink: SinkStarter) -> None:
    refusing, taking = smtp_sink("-f", "RCPT"), smtp_sink()
    site.configure(outbox=smtp_out(refusing.port))
    site.drop(RULES)
    assert site.run_once()[:2] == [1, 1]
    site.rows("update outgoing set state = 'failed', troubled = created")  # a stranger's would wait for the stranger
    listed = site.pbem("mail", "list")
    assert listed.code == 1
    assert "out 1" in listed.out
    assert "500" in listed.out
    assert site.pbem("mail", "retry", "1").code == 1  # without --out, the id is that of a received message
    assert site.pbem("mail", "retry", "out", "1").code == 0
    site.configure(outbox=smtp_out(taking.port))
    assert site.run_once() == [0, 0, 1]
    assert len(taking.taken()) == 1


def test_retry_says_which_numbers_are_none(site: Site) -> None:
    done = site.pbem("mail", "retry", "7", "8")
    assert done.code == 1
    assert "7 is not among the shunted messages" in done.err
    assert "0 will be retried" in done.out


def test_retry_sends_nothing_that_was_dropped_meanwhile(site: Site) -> None:
    site.drop(RULES)
    site.run_once()
    site.rows("update outgoing set state = 'dropped', troubled = created")
    done = site.pbem("mail", "retry", "out", "1")
    assert done.code == 1
    assert "1 is not among the failed messages" in done.err
    assert site.rows("select state from outgoing") == ["dropped"]


# record check


def record_file(folder: Path, kind: str) -> Path:
    sheet = (RECORDS / "quadraphages-2.txt").read_bytes()
    content = {
        "mended": sheet.replace(b"g7g5", b"g3g5"),
        "binary": b"\x7fELF\x02\x01\x01\x00\xff\xfe" * 20,
        "garbage": b"Dear diary,\ntoday I played a game.\n",
        "blank": b"\n\n",
        "other board": sheet.replace(b"g7g5", b"g3g5").replace(b"o x o o . . o . .", b"x x o o . . o . ."),
    }
    path = folder / "record.txt"
    if kind in content:
        path.write_bytes(content[kind])
    return path


@pytest.mark.parametrize(
    ("kind", "code", "words"),
    [
        ("mended", 0, "Quadraphages, 25 turns: 0 slips"),
        ("other board", 1, "the printed board differs: a1 is printed x and should be o"),
        ("garbage", 1, "there are no turns"),
        ("blank", 1, "there are no turns"),
        ("missing", 2, "No such file"),
        ("binary", 2, "is not a text file"),
    ],
)
def test_record_check_tells_a_record_from_what_is_none(
    site: Site, tmp_path: Path, kind: str, code: int, words: str
) -> None:
    done = site.pbem("record", "check", str(record_file(tmp_path, kind)))
    assert done.code == code, done.said
    assert words in done.said
    assert len(done.said.splitlines()) == 1 or code == 0 or kind == "other board"


@pytest.mark.parametrize("path", sorted(RECORDS.glob("*.txt")), ids=lambda path: path.stem)
def test_record_check_stops_at_the_first_slip_and_tolerant_lists_them_all(site: Site, path: Path) -> None:
    strict = site.pbem("record", "check", str(path))
    tolerant = site.pbem("record", "check", "--tolerant", str(path))
    slips = record.replay_tolerantly(record.loads(path.read_text()))[1]
    assert slips, "the printed records have slips, that is why they are here"
    assert (strict.code, len(strict.out.splitlines())) == (1, 1)
    assert tolerant.code == 1
    assert f": {len(slips)} slips" in tolerant.out
    assert all(slip.why in tolerant.out for slip in slips)
    assert strict.out.startswith(f"turn {slips[0].turn}, {slips[0].player}, {slips[0].token}: ")


def test_record_check_reads_standard_input(site: Site) -> None:
    sheet = (RECORDS / "quadraphages-2.txt").read_bytes()
    assert site.pbem("record", "check", "-", stdin=sheet.replace(b"g7g5", b"g3g5")).code == 0
    assert site.pbem("record", "check", "-", stdin=sheet).code == 1
    binary = site.process("record", "check", "-", stdin=b"\xff\xfe\x00")
    assert binary.code == 2
    assert "is not a text file" in binary.err


def test_record_check_refuses_a_game_that_there_is_none_of(site: Site) -> None:
    done = site.pbem("record", "check", "--game", "chess", str(RECORDS / "quadraphages-2.txt"))
    assert done.code == 1
    assert "there is no game chess" in done.out


# missing files


@pytest.mark.parametrize("verb", [["run", "--once"], ["feed", "-"], ["check"], ["show", "1"], ["mail", "list"]])
def test_every_verb_says_that_the_outbox_or_the_configuration_is_missing(tmp_path: Path, verb: list[str]) -> None:
    site = Site(tmp_path / "bare")
    done = site.pbem(*verb)
    assert done.code == 2
    assert "there is no configuration" in done.err
    assert "pbem init" in done.err


@pytest.mark.own_database
def test_a_mail_stays_in_its_folder_while_the_database_is_gone(site: Site) -> None:
    site.drop(RULES)
    (site.folder / "pbem.sqlite").write_bytes(b"this is not a database, but long enough to be taken for one" * 50)
    done = site.pbem("run", "--once")
    assert done.code == 2
    assert done.err.startswith("pbem: the database: file is not a database")
    assert len(list((site.folder / "in" / "new").iterdir())) == 1


def test_a_port_that_is_taken_is_said_in_a_sentence(site: Site, smtp_sink: SinkStarter) -> None:
    site.configure(inbox=f"[inbox.lmtp]\nport = {smtp_sink().port}\n")
    done = site.process("run")
    assert done.code == 2
    assert "in use" in done.err.splitlines()[-1]


@pytest.mark.slow
def test_mail_goes_nowhere_and_is_still_owed_when_nobody_listens(site: Site) -> None:
    site.configure(outbox=smtp_out(free_port()))
    site.drop(RULES)
    assert site.run_once()[:2] == [1, 1]
    assert site.rows("select state, attempts from outgoing") == [("owed", 1)]


def test_the_index_has_every_command_and_says_what_it_does() -> None:
    for name, (_, words) in COMMANDS.items():
        assert load(name).help == words
    assert set(typer.main.get_command(whole).commands) == set(COMMANDS)  # type: ignore[attr-defined]


SERVER = (
    *(
        "pbem.server",
        "pbem.conversation",
        "pbem.features.all",
        "pbem.messages.templating",
        "pbem.messages.mime",
        "pbem.features.house",
        "pbem.mail.reading.message",
    ),
    *("alembic", "jinja2", "PIL", "imapclient", "aiosmtpd", "dkim", "httpx", "email.policy"),
)
"""What only a verb that parses or renders messages needs."""
OTHER_DATABASE = ("sqlalchemy.dialects.postgresql", "sqlalchemy.dialects.mysql", "psycopg")
"""What only PostgreSQL needs, or nobody."""
RARE = ("alembic", "PIL", "cryptography", "dkim", "httpx", "dns", "selectolax", "flufl", *OTHER_DATABASE)
"""What a server needs to upgrade tables, to draw, to sign, or in its parsers' processes; not to wait for messages."""
IMPORTED = """
import sys
from pbem import cli
try:
    cli.main()
except SystemExit as error:
    assert not error.code
print(*sys.modules)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verb", "unneeded"),
    [
        (["--help"], ("sqlalchemy", "pydantic", "structlog", "engines", *SERVER)),
        (["show", "1"], (*SERVER, *OTHER_DATABASE)),
        (["mail", "list"], (*SERVER, *OTHER_DATABASE)),
        (["games"], ("pbem.cli.demo", "pbem.publishing", "tornado", *SERVER, *OTHER_DATABASE)),
        (["run", "--help"], RARE),
        (["run", "--once"], RARE),
    ],
)
def test_a_verb_imports_nothing_that_it_does_not_need(played: Site, verb: list[str], unneeded: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *verb],
        env=environment() | {"PBEM_CONFIG": str(played.config)},
        capture_output=True,
        text=True,
        check=True,
    )
    imported = done.stdout.splitlines()[-1].split()
    assert "pbem.cli.index" in imported
    assert [name for name in unneeded if name in imported] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["markdown_it.main", "imapclient", "jinja2", "pbem.publishing", "pbem.server.backups.making"]
)
def test_a_server_loads_only_where_they_are_used(name: str) -> None:
    """Not asked of `pbem run --help`: what prints the help loads Markdown."""
    words = "import sys, pbem.cli.server; print(*sys.modules)"
    imported = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True).stdout.split()
    assert "pbem.server.worker" in imported
    assert name not in imported


@pytest.mark.slow
def test_the_processes_of_parsers_and_of_the_house_load_little() -> None:
    """Each of them takes its memory beside the daemon."""
    words = "import sys, pbem.mail.reading.worker, pbem.features.house.worker; print(*sys.modules)"
    imported = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True).stdout.split()
    unneeded = ("sqlalchemy", "sqlmodel", "pydantic_settings", "structlog", "typer", "jinja2", "PIL", "cryptography")
    assert [name for name in unneeded if name in imported] == []
