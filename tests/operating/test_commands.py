"""The operator's commands on a site: what each does, prints and ends with, and how the command line is used."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from pbem import config
from pbem.storage.database import newest_revision
from tests.correspondence import parsed, text
from tests.operating import matches
from tests.operating.people import written
from tests.operating.site import ADDRESS, Site, smtp_out
from tests.servers import SmtpSink

RECORDS = Path(__file__).parent.parent / "records"
RULES = written("ann@mail.example", ADDRESS, "rules quadraphages")


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


# init and run


@pytest.mark.own_database
def test_init_writes_a_configuration_a_key_that_only_we_may_read_and_a_database_once(tmp_path: Path) -> None:
    site = Site(tmp_path / "new")
    done = site.process("init", umask=0)
    assert done.code == 0, done.said
    assert config.load(site.config).inbox.maildir
    key = site.folder / "pbem.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert len(key.read_text().strip()) == 64
    assert key.read_text().strip() not in done.said
    site.rows("insert into player (name, address, epoch, created) values ('ann', 'ann@mail.example', 0, '2007-01-01')")
    before = site.config.read_bytes(), key.read_bytes()
    assert site.pbem("init").code == 0
    assert (site.config.read_bytes(), key.read_bytes()) == before
    assert site.rows("select name from player") == ["ann"]


@pytest.mark.own_database
def test_init_keeps_a_configuration_that_is_there_and_makes_what_it_lacks(site: Site) -> None:
    before = site.config.read_bytes()
    (site.folder / "pbem.key").unlink()
    (site.folder / "pbem.sqlite").unlink()
    (site.folder / "pbem.sqlite").touch()
    done = site.pbem("init")
    assert done.code == 0, done.said
    assert site.config.read_bytes() == before
    assert (site.folder / "pbem.key").is_file()
    assert site.rows("select version_num from alembic_version") == [newest_revision()]


def test_run_once_receives_handles_and_sends_until_nothing_is_left(site: Site) -> None:
    senders = [f"p{number}@host{number}.example" for number in range(40)]
    site.drop(*(written(sender, ADDRESS, "help") for sender in senders))
    done = site.process("run", "--once")
    assert (done.code, done.out) == (0, "40 received, 40 processed, 40 sent\n")
    assert {str(parsed(raw)["To"]) for raw in site.sent()} == set(senders)
    assert not list((site.folder / "in" / "new").iterdir())
    assert site.run_once() == [0, 0, 0]


def test_a_fail_point_that_is_wrong_ends_the_start(site: Site) -> None:
    done = site.pbem("run", "--once", PBEM_FAILPOINT="snet:3")
    assert (done.code, "no step 'snet'" in done.err) == (2, True)


# feed


def test_feed_handles_a_mail_once_and_prints_what_is_owed_for_it(site: Site) -> None:
    done, again = site.process("feed", "-", stdin=RULES), site.pbem("feed", "-", stdin=RULES)
    assert done.code == 0, done.said
    assert "message 1: done, done: rules" in done.out
    assert "to ann@mail.example" in done.out
    assert "QUADRAPHAGES" in done.out
    assert (again.code, again.out) == (0, "this message was received before, so nothing was done\n")
    assert site.rows("select state from outgoing") == ["owed"]


def test_feed_takes_the_envelope_recipient_with_its_token(site: Site) -> None:
    with site.server() as server:
        (move,) = matches.in_play(server, 1)
    bare = written(move.sender, ADDRESS, move.text)
    assert "message 1: done, done: move" in site.pbem("feed", "-", "--to", move.to, stdin=bare).out
    assert site.rows("select text from ply") == [move.text]


def test_feed_ends_with_1_when_the_mail_or_its_answer_meets_a_bug(played: Site) -> None:
    tamper(played)
    mail = played.pbem("feed", "-", stdin=written("x0@mail.example", played.personal("x0"), PREVIEW))
    assert (mail.code, "shunted" in mail.out) == (1, True)
    answer = played.pbem("feed", "-", stdin=written("x0@mail.example", ADDRESS, "show 1"))
    assert (answer.code, "can't be rendered: BadRecord" in " ".join(answer.err.split())) == (1, True)


# check


FAULTS = [
    ("update ply set text = '1 a1a2' where number = 2 and match = {}", "turn 2"),
    ("update ply set text = 'nonsense' where number = 2 and match = {}", "turn 2"),
    ("update ply set seat = 1 - seat where number = 3 and match = {}", "turn 3 is stored for seat"),
    ("update ply set text = upper(text) where number = 3 and match = {}", "turn 3 is stored as"),
    ("delete from ply where number = 2 and match = {}", "turn 2 is missing"),
    ("update match set game = 'chess' where id = {}", "the game chess isn't installed"),
    ("update match set part = 'a1a2 1' where id = {}", "the begun turn 'a1a2 1'"),
    ("update match set plies = plies + 1 where id = {}", "4 turns are counted, but"),
    ("update match set to_move = 1 - to_move where id = {}", "it is stored to be the turn of seat"),
    ("update match set time = '14d+1d', started = created, due = created where id = {}", ""),
    (
        """insert into takenback (match, number, seat, text, shift, played, taken_back)
           select match, 4, 0, text, 0, played, played from ply where number = 1 and match = {}""",
        "",
    ),
    ("insert into prepared (match, seat, version, lines) values ({}, 1, 0, '[]')", ""),
]
"""What somebody did to a match, and what is said of it; not always in words of its own."""


def test_check_says_what_somebody_did_to_stored_matches(site: Site) -> None:
    with site.server() as server:
        matches.in_play(server, len(FAULTS) + 2, lambda _: 3)
    assert site.pbem("check").out == f"{len(FAULTS) + 2} matches replayed, 0 problems\n"
    for number, (sql, _) in enumerate(FAULTS, start=2):
        site.rows(sql.format(number))

    done = site.pbem("check")
    assert done.code == 1
    lines = " ".join(done.out.split())
    assert [
        sentence for number, (_, sentence) in enumerate(FAULTS, start=2) if f"match #{number}: {sentence}" not in lines
    ] == []
    assert "match #1:" not in lines
    assert f"match #{len(FAULTS) + 2}:" not in lines


# What waits for the operator


def test_a_mail_that_met_a_bug_is_listed_and_handled_once_the_bug_is_gone(played: Site) -> None:
    assert (played.pbem("mail", "list").code, played.pbem("mail", "list").out) == (0, "nothing is shunted\n")
    tamper(played)
    played.drop(written("x0@mail.example", played.personal("x0"), PREVIEW))
    assert played.run_once() == [1, 1, 0]
    listed = played.pbem("mail", "list")
    assert listed.code == 1
    assert "BadRecord" in listed.out
    assert "Traceback" in played.pbem("show", "mail", "1").out  # the only place that shows it
    good = matches.sample().moves[1]
    played.rows("update ply set text = :text where match = 1 and number = 2", text=good)
    retried = played.pbem("mail", "retry", "1")
    assert (retried.code, retried.out) == (0, "1 will be retried\n")
    assert played.run_once() == [0, 1, 1]
    assert "a b c d e f g h i" in text(parsed(played.sent()[0]))
    assert played.pbem("mail", "list").code == 0
    newest = played.pbem("mail", "list", "--all", "--since", "1h", "--json")
    rows = json.loads(newest.out)
    assert (newest.code, len(rows)) == (
        0,
        sum(played.rows("select count(*) from incoming union all select count(*) from outgoing")),
    )
    assert "since" in rows[0]
    assert played.pbem("mail", "list", "--since", "yesterday").code == 2


def test_a_mail_that_nobody_would_take_is_listed_and_can_be_sent_again(
    site: Site, smtp_sink: Callable[..., SmtpSink]
) -> None:
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


def test_retry_takes_only_what_waits_for_the_operator(site: Site) -> None:
    site.drop(RULES)
    site.run_once()
    site.rows("update outgoing set state = 'dropped', troubled = created")
    for words, sentence in (
        (("1",), "1 is not among the shunted"),
        (("out", "1"), "1 is not among the failed messages"),
    ):
        done = site.pbem("mail", "retry", *words)
        assert (done.code, sentence in done.err, "0 will be retried" in done.out) == (1, True, True)
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


# Lists


def test_a_list_has_an_object_for_each_row_with_what_the_table_shows(site: Site) -> None:
    site.drop(written("ann@mail.example", ADDRESS, "help"))
    assert site.run_once()[:2] == [1, 1]
    for name in ("bob", "cid"):
        site.rows(
            "insert into player (name, address, epoch, created, confirmed) values (:name, :address, 0, :at, :at)",
            name=name,
            address=f"{name}@mail.example",
            at="2026-01-01 00:00:00",
        )
    site.rows("update player set bounces = 2, bounced = created where name = 'bob'")
    site.rows("update incoming set state = 'shunted', verdict = 'KeyError :a: [b], 3 times' where id = 1")
    rows = {words: site.pbem(*words.split(), "--json") for words in ("player list", "player bounced", "mail list")}
    assert {words: done.code for words, done in rows.items()} == {"player list": 0, "player bounced": 0, "mail list": 1}
    players, bounced, shunted = (json.loads(done.out) for done in rows.values())
    assert [row["player"] for row in players] == ["bob", "cid"]
    assert players[0]["plays"] == 0
    assert players[0]["last_wrote"] is None or datetime.fromisoformat(players[0]["last_wrote"])
    assert [(row["address"], row["bounces"]) for row in bounced] == [("bob@mail.example", 2)]
    assert datetime.fromisoformat(bounced[0]["last"]).tzinfo
    assert [(row["number"], row["why"]) for row in shunted] == [("1", "KeyError :a: [b], 3 times")]
    table = site.pbem("mail", "list")
    assert table.code == 1
    assert "KeyError :a: [b], 3 times" in table.out
    assert "pbem mail retry N" in table.out


# The command line as a whole


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("pbem demo quadra", ["quadraphages", "quadrature"]),
        ("pbem mail re", ["retry"]),
        ("pbem shun", []),
    ],
)
def test_the_shell_completes_games_and_commands(typed: str, names: list[str], site: Site) -> None:
    asking = {"_PBEM_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    around = {"PATH": os.environ["PATH"], "HOME": str(site.folder), "PBEM_CONFIG": str(site.config)}
    program = Path(sys.executable).with_name("pbem")
    done = subprocess.run([program], env=around | asking, cwd=site.folder, capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (names, "")
