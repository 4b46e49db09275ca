"""`pbem match salvage`: matches that are lost are restored from the messages about them."""

import mailbox
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select

from notation.games import GAMES
from pbem.messages import carried
from pbem.storage.models import Match
from tests import databases, diagrams
from tests.correspondence import Correspondence, correspondence, text

pytestmark = pytest.mark.sql

ALICE, BOB = "alice@mail.example", "bob@mail.example"
KINDS = (
    ("quadraphages", "1 a7b7 i3i2", "c1d1 g9h9 2 d1f1 h9h7", "b7d7 i2g2 1 d7d6 g2g3"),
    ("quadrature time=14d+1d rated", "e3f4", "e9f8", "f4e5"),
    *((game, *diagrams.played(game).moves[:3]) for game in ("quadrupel", "kvadratik", "hexaphages")),
)


def played(letters: Correspondence, number: int) -> dict[int, str]:
    """Begin that many matches, half of which wait for bob. Return the next turn of each."""
    letters.join("alice")
    letters.join("bob")
    following: dict[int, str] = {}
    for match in range(1, number + 1):
        game, first, second, third = KINDS[match % len(KINDS)]
        letters.clock.advance(hours=1)
        letters.write(ALICE, f"challenge bob {game}", to=str(letters.received[ALICE][1]["Reply-To"]))
        letters.reply(letters.last("bob"), "accept")
        letters.reply(letters.last("alice"), first)
        letters.clock.advance(hours=2)
        following[match] = second
        if match % 4 < 2:
            letters.reply(letters.last("bob"), second)
            following[match] = third
    return following


def newest(letters: Correspondence, address: str, match: int) -> EmailMessage:
    return next(mail for mail in reversed(letters.received[address]) if mail["X-PBeM-Match"] == str(match))


def kept(
    letters: Correspondence, folder: Path, address: str, kind: Callable[[Path], mailbox.Mailbox[Any]] = mailbox.mbox
) -> Path:
    """Return a mailbox with all that the server sent to an address: a file as mail programs export it, or a Maildir."""
    box = kind(folder / address)
    for mail in letters.received[address]:
        box.add(mail.as_bytes())
    box.close()
    return folder / address


def stored(letters: Correspondence) -> list[tuple[object, ...]]:
    """Return what is to be restored."""
    return [
        *letters.execute(
            "select id, game, options, seat0, seat1, challenger, time, rated, state, to_move, plies, shift, created,"
            " started from match order by id"
        ),
        *letters.execute("select match, number, seat, text, played from ply order by match, number"),
        *letters.execute(
            "select match, number, seat, text, shift, played, taken_back from takenback order by match, shift, number"
        ),
        *letters.execute("select id, name, address, epoch from player order by id"),
    ]


@pytest.mark.slow
def test_ten_matches_outlive_the_database(tmp_path: Path) -> None:
    with correspondence(tmp_path / "lost") as lost:
        turns = played(lost, 10)
        before = stored(lost)
        box = kept(lost, tmp_path, ALICE)
        lost.server.engine.dispose()
    with correspondence(tmp_path / "new") as letters:
        letters.clock.set(lost.clock())
        letters.received = {address: list(mails) for address, mails in lost.received.items()}
        assert "the address of bob isn't known" in letters.operate("match", "salvage", str(box)).output

        done = letters.operate("match", "salvage", str(box), "--player", f"bob={BOB}")

        assert "10 restored, 0 brought up to date, 0 already here, 0 refused" in done.output, done.output
        assert letters.execute("select game, count(*) from match group by game order by game") == [
            (game, 2) for game in sorted(GAMES)
        ]
        assert stored(letters) == before
        again = letters.operate("match", "salvage", str(box))
        assert "0 restored, 0 brought up to date, 10 already here" in again.output
        assert "10 matches replayed, 0 problems" in letters.operate("check").output
        for match, turn in turns.items():
            mover, other = (ALICE, BOB) if match % 4 < 2 else (BOB, ALICE)
            letters.reply(newest(lost, mover, match), turn)
            (question,) = letters.reply(newest(letters, other, match), "resign")
            letters.reply(question, "yes")
        ended = letters.execute("select state, termination from match")
        assert ended == [("over", "resignation")] * 10
        assert "0 problems" in letters.operate("check").output


def test_what_was_changed_or_is_of_another_server_is_not_believed(tmp_path: Path) -> None:
    with correspondence(tmp_path / "lost") as lost:
        played(lost, 1)
        mail = newest(lost, ALICE, 1)
    words = str(mail[carried.HEADER])
    forged = mail.as_bytes().replace(words[100:110].encode(), words[100:110].swapcase().encode())
    (tmp_path / "forged.eml").write_bytes(forged)
    (tmp_path / "moved.eml").write_bytes(mail.as_bytes().replace(b"To: alice@", b"To: mallory@"))
    with correspondence(tmp_path / "other") as letters:
        done = letters.operate("match", "salvage", str(tmp_path / "forged.eml"), "--player", f"bob={BOB}")
        assert (done.exit_code, letters.execute("select count(*) from match")) == (1, [(0,)])
        assert "is not believed" in done.output
        letters.operate("match", "salvage", str(tmp_path / "moved.eml"), "--player", f"bob={BOB}")
        assert letters.execute("select address from player order by id") == [(ALICE,), (BOB,)]


def test_the_newest_message_about_a_match_counts(tmp_path: Path) -> None:
    """Also where turns were taken back, so that it has fewer of them; what is over stays over."""
    with correspondence(tmp_path / "lost") as lost:
        played(lost, 1)
        lost.clock.advance(minutes=1)
        lost.reply(newest(lost, BOB, 1), "undo")
        lost.clock.advance(minutes=1)
        lost.reply(lost.last("alice"), "accept")
        box = kept(lost, tmp_path, BOB, mailbox.Maildir)
        before = stored(lost)
        assert before[0][10:12] == (1, 2)
    with correspondence(tmp_path / "new") as letters:
        letters.operate("match", "salvage", str(box), "--player", f"alice={ALICE}")
        assert stored(letters) == before
        assert "0 problems" in letters.operate("check").output
        (answer, *_) = letters.reply(newest(lost, BOB, 1), "e9f8")
        assert "e9f8" in text(answer)


def endings(letters: Correspondence) -> list[tuple[object, ...]]:
    return letters.execute("select id, winner, termination, ended from match order by id")


def times_left(letters: Correspondence) -> list[object]:
    """Return what the clocks of the matches say of their players, but whose time runs now and what is lost."""
    with Session(letters.server.engine) as session:
        clocks = session.exec(select(Match.clock).order_by(col(Match.id))).all()
    assert any(clocks)
    kept = ("bank", "turns", "used", "days", "follows")
    return [clock and [{name: side.get(name) for name in kept} for side in clock["sides"]] for clock in clocks]


def test_matches_of_an_older_backup_are_brought_up_to_date(tmp_path: Path) -> None:
    """One goes on, one has ended, in one turns were taken back, and one had not begun yet."""
    with correspondence(tmp_path) as letters:
        turns = played(letters, 3)
        letters.write(ALICE, "challenge bob quadraphages", to=str(letters.received[ALICE][1]["Reply-To"]))
        offered = letters.last("bob")
        backup = databases.keep(letters.server.engine)
        letters.clock.advance(hours=30)
        letters.reply(newest(letters, ALICE, 1), turns[1])
        letters.reply(newest(letters, BOB, 2), turns[2])
        letters.reply(newest(letters, ALICE, 2), "undo")
        letters.reply(letters.last("bob"), "accept")
        (question,) = letters.reply(newest(letters, ALICE, 3), "resign")
        letters.reply(question, "yes")
        letters.reply(offered, "accept")
        letters.reply(newest(letters, ALICE, 4), KINDS[0][1])
        after, ended, times = stored(letters), endings(letters), times_left(letters)
        boxes = [str(kept(letters, tmp_path, address)) for address in (ALICE, BOB)]

        databases.put_back(backup, letters.server.engine)
        letters.clock.advance(hours=1)
        done = letters.operate("match", "salvage", *boxes)

        assert "0 restored, 4 brought up to date, 0 already here, 0 refused" in done.output, done.output
        assert done.exit_code == 0
        assert stored(letters) == after
        assert (endings(letters), times_left(letters)) == (ended, times)
        assert "4 matches replayed, 0 problems" in letters.operate("check").output
        assert "0 brought up to date, 4 already here" in letters.operate("match", "salvage", *boxes).output
        letters.reply(newest(letters, BOB, 4), KINDS[0][2])
        assert letters.execute("select plies from match where id = 4") == [(2,)]


def test_a_match_that_was_played_on_otherwise_since_the_backup_stays(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        turns = played(letters, 1)
        backup, mail = databases.keep(letters.server.engine), newest(letters, ALICE, 1)
        letters.reply(mail, turns[1])
        box = str(kept(letters, tmp_path, BOB))
        databases.put_back(backup, letters.server.engine)
        letters.reply(mail, "f4g5")
        after = stored(letters)
        done = letters.operate("match", "salvage", box)
        assert "match #1 was played on otherwise since: turn 3 differs" in done.output
        assert "0 restored, 0 brought up to date, 0 already here, 1 refused" in done.output
        assert (stored(letters), done.exit_code) == (after, 1)


def test_nothing_restored_says_why(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        played(letters, 1)
        (tmp_path / "copied.eml").write_text(f"To: {ALICE}\n\n{text(newest(letters, ALICE, 1))}", encoding="utf-8")
        done = letters.operate("match", "salvage", str(tmp_path / "copied.eml"))
        assert "X-PBeM-Record, which is lost where text is copied" in " ".join(done.output.split())
        assert "1 messages were read. None carries a match" in " ".join(done.output.split())
        assert done.exit_code == 1


def test_the_folders_of_a_maildir_are_read_too(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        played(letters, 1)
        mailbox.Maildir(tmp_path / "mail").add_folder("Archive").add(newest(letters, ALICE, 1).as_bytes())
        assert (
            "0 brought up to date, 1 already here" in letters.operate("match", "salvage", str(tmp_path / "mail")).output
        )


def test_a_stranger_who_looks_gets_no_record(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        played(letters, 1)
        (shown,) = letters.write("carol@mail.example", "show 1", to=letters.join("carol"))
        assert shown[carried.HEADER] is None
        (shown,) = letters.write(ALICE, "show 1", to=str(letters.received[ALICE][1]["Reply-To"]))
        assert shown[carried.HEADER]
