"""`pbem match salvage`: a match that is lost is restored from the messages about it."""

import mailbox
from email.message import EmailMessage
from pathlib import Path

from pbem.messages import carried
from tests import scenes
from tests.correspondence import Correspondence, correspondence, text

ALICE, BOB = "alice@mail.example", "bob@mail.example"


def newest(letters: Correspondence, address: str) -> EmailMessage:
    return next(mail for mail in reversed(letters.received[address]) if mail["X-PBeM-Match"] == "1")


def stored(letters: Correspondence) -> list[object]:
    """Return what is to be restored."""
    about_matches = "id, game, options, seat0, seat1, challenger, time, rated, state, to_move, plies, shift, started"
    about_turns = "match, number, seat, text, shift, played, taken_back"
    return [
        letters.execute(f"select {about_matches} from match"),
        letters.execute("select match, number, seat, text, played from ply order by number"),
        letters.execute(f"select {about_turns} from takenback order by shift, number"),
        letters.execute("select id, name, address, epoch from player order by id"),
    ]


def test_the_newest_message_about_a_match_restores_it(tmp_path: Path) -> None:
    """Also where turns were taken back, so that it has fewer of them."""
    with correspondence(tmp_path / "lost") as lost:
        scenes.bob_to_move(lost, "time=14d+1d rated")
        for name, words in (("alice", "undo"), ("bob", "accept")):
            lost.clock.advance(minutes=1)
            lost.reply(newest(lost, f"{name}@mail.example"), words)
        box = mailbox.Maildir(tmp_path / "mail")
        for mail in lost.received[BOB]:
            box.add(mail.as_bytes())
        before = stored(lost)
        assert lost.execute("select plies, shift from match") == [(2, 2)]
    with correspondence(tmp_path / "new") as letters:
        refused = letters.operate("match", "salvage", str(tmp_path / "mail"))
        assert "the address of alice isn't known" in refused.output
        done = letters.operate("match", "salvage", str(tmp_path / "mail"), "--player", f"alice={ALICE}")
        assert "1 restored, 0 brought up to date, 0 already here, 0 refused" in done.output, done.output
        assert stored(letters) == before
        again = letters.operate("match", "salvage", str(tmp_path / "mail"))
        assert "0 restored, 0 brought up to date, 1 already here" in again.output
        assert "0 problems" in letters.operate("check").output
        (answer, *_) = letters.reply(newest(lost, ALICE), "b3b4")
        assert "b3b4" in text(answer)


def test_what_was_changed_or_is_of_another_server_is_not_believed(tmp_path: Path) -> None:
    with correspondence(tmp_path / "lost") as lost:
        lost.match()
        mail = newest(lost, ALICE)
    words = str(mail[carried.HEADER])
    forged = mail.as_bytes().replace(words[100:110].encode(), words[100:110].swapcase().encode())
    (tmp_path / "forged.eml").write_bytes(forged)
    (tmp_path / "moved.eml").write_bytes(mail.as_bytes().replace(b"To: alice@", b"To: mallory@"))
    with correspondence(tmp_path / "other") as letters:
        done = letters.operate("match", "salvage", str(tmp_path / "forged.eml"), "--player", f"bob={BOB}")
        assert (done.exit_code, letters.rows("select id from match")) == (1, [])
        assert "is not believed" in done.output
        letters.operate("match", "salvage", str(tmp_path / "moved.eml"), "--player", f"bob={BOB}")
        assert letters.rows("select address from player order by id") == [ALICE, BOB]
