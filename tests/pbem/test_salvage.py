"""`pbem match salvage`: matches that are lost are restored from the messages about them."""

import mailbox
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from pbem.messages import carried
from tests import diagrams
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
        letters.say("alice", f"challenge bob {game}")
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


def test_a_stranger_who_looks_gets_no_record(letters: Correspondence) -> None:
    played(letters, 1)
    (shown,) = letters.write("carol@mail.example", "show 1", to=letters.join("carol"))
    assert shown[carried.HEADER] is None
    (shown,) = letters.say("alice", "show 1")
    assert shown[carried.HEADER]
