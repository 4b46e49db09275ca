"""Batched news: none is lost or sent twice, with any preference, and after a crash."""

import random
import re
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine

from pbem.config import ServerSettings
from pbem.server import news_digests
from pbem.storage import database
from pbem.storage.models import Match
from tests import scenes
from tests.cases import quick_where
from tests.correspondence import Correspondence, correspondence, said, text, to

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
PEOPLE = ("bob", "carol", "dave")
ALICE = "alice@mail.example"
FIRST, SECOND, THIRD = "1 a7b7 i3i2", "c1b1 g9h9 3 b1b4 h9e9", "b7e7 i2i5 1 e7e6 i5i4"
WORDS = re.compile(r"\| (\w+)")


def three_matches(letters: Correspondence) -> None:
    """Let alice play #1 with bob, #2 with carol and #3 with dave; it's noon, and nowhere her turn."""
    letters.clock.set(NOON)
    letters.join("alice")
    for number, name in enumerate(PEOPLE, start=1):
        letters.join(name)
        letters.say(name, "challenge alice quadraphages")
        letters.say("alice", f"accept {number}")


pytestmark = scenes.after(three_matches)


def batching(letters: Correspondence, *lines: tuple[str, str]) -> None:
    """Let alice want her news gathered, and all write these lines."""
    letters.say("alice", "set mail batch")
    for name, line in lines:
        letters.say(name, line)


def test_news_that_stay_alone_go_out_as_they_are(letters: Correspondence) -> None:
    batching(letters, ("bob", f"#1 {FIRST}"))
    (mail,) = letters.wait(minutes=15)

    assert mail["X-PBeM-Event"] == "turn"
    assert mail["Date"].datetime == letters.clock()
    assert letters.rows("select id from outgoing where state in ('batched', 'merged')") == []
    assert "alice played" in text(letters.reply(mail, SECOND)[0])


def test_news_that_are_old_by_then_are_told_as_things_stand(letters: Correspondence) -> None:
    batching(letters, ("bob", f"#1 {FIRST}\n\nQuick?"), ("alice", f"#1 {SECOND}"), ("bob", f"#1 {THIRD}"))
    (mail,) = letters.wait(minutes=15)

    assert mail["X-PBeM-Event"] == "digest"
    assert f"bob played {FIRST}. You played {SECOND}. bob played {THIRD}." in said(mail)
    assert "Your turn against" in text(mail)
    assert "| Quick?" in text(mail)
    assert mail["List-Unsubscribe"]


def test_a_day_s_mail_is_made_up_for_once_when_the_hour_was_missed(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.play(three_matches)
        letters.say("alice", "set mail daily hour 14")
        letters.say("bob", "#1 say One")
        letters.say("carol", "#2 say Two")
        assert not to(letters.wait(hours=1, minutes=59), "alice")
    with correspondence(tmp_path) as letters:  # the server was away for three days
        letters.clock.set(NOON + timedelta(days=3))
        news = letters.wait(minutes=0)[-1]
        assert WORDS.findall(text(news)) == ["One", "Two"]
        for _ in range(5):
            assert not to(letters.wait(hours=12), "alice")


def test_answers_and_what_strangers_get_do_not_wait(letters: Correspondence) -> None:
    letters.say("alice", "set mail daily")
    before = len(letters.log)
    letters.say("alice", "games")
    letters.say("alice", "challenge eve@mail.example kvadratik")
    letters.write(ALICE, "#1 resign")
    letters.reply(letters.last("alice"), "yes")
    events = [sent["X-PBeM-Event"] for way, sent in letters.log[before:] if way == "out"]

    assert events == ["answer", "challenge", "answer", "confirm", "over", "over"]
    invitation = letters.last("eve")
    assert invitation["List-Id"] is None  # strangers have nothing to unsubscribe from
    assert invitation["Auto-Submitted"] == "auto-generated"


@pytest.mark.parametrize("seed", quick_where((0, 1).__contains__, range(6), "soak"))
def test_whatever_is_chosen_each_word_is_told_exactly_once(seed: int, letters: Correspondence) -> None:
    chance = random.Random(seed)
    choices = [f"set mail {way}" for way in ("each", "batch", "daily", "daily hour 3")]
    choices += ["stop", "start", "set hour 22"]
    words = []
    for _ in range(40):
        number = chance.randrange(3)
        match chance.randrange(4):
            case 0:
                letters.say("alice", chance.choice(choices))
            case 1:
                letters.wait(minutes=chance.choice([1, 10, 100, 1000]))
            case _:
                words.append(f"word{len(words)}x")
                letters.say(PEOPLE[number], f"#{number + 1} say {words[-1]}")
    letters.say("alice", "start")
    letters.wait(days=2)

    told = [word for mail in letters.received[ALICE] for word in re.findall(r"\| (word\d+x)", text(mail))]
    assert sorted(told) == sorted(words)
    assert len(words) > 10
    sent = {str(mail["Message-ID"]) for _, mail in letters.log}
    for mail in letters.received[ALICE]:
        assert set(str(mail.get("References", "")).split()) <= sent  # no gaps in a thread
    assert letters.rows("select id from outgoing where state in ('batched', 'owed')") == []
    gone = letters.rows("select id from outgoing where state = 'sent'")
    assert {*letters.rows("select merged_into from outgoing where state = 'merged'")} <= {*gone}


def test_what_is_gathered_goes_out_after_a_crash(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.play(three_matches)
        batching(letters, ("bob", "#1 say One"), ("carol", "#2 say Two"))
        assert (
            news_digests.gather(letters.server.engine, letters.server.settings.server, NOON + timedelta(minutes=15))
            == 1
        )
        (owed,) = letters.rows("select message_id from outgoing where state = 'owed'")
    with correspondence(tmp_path) as letters:
        letters.clock.set(NOON + timedelta(minutes=16))
        news = letters.wait(minutes=0)[-1]

    assert news["Message-ID"] == owed
    assert WORDS.findall(text(news)) == ["One", "Two"]


def test_a_bug_leaves_one_player_s_news_waiting_and_tells_the_others(letters: Correspondence) -> None:
    letters.say("bob", "set mail batch")
    batching(letters, ("carol", "#2 draw"), ("carol", "#2 say Two"), ("alice", "#1 say Three"))
    with database.transaction(letters.server.engine) as session:
        session.get_one(Match, 2).state = "no such state"
    assert [mail["To"] for mail in letters.wait(minutes=15)] == ["bob@mail.example"]
    with database.transaction(letters.server.engine) as session:
        session.get_one(Match, 2).state = "running"
    (news,) = letters.wait(minutes=1)

    assert news["To"] == ALICE
    assert WORDS.findall(text(news)) == ["Two"]
    assert "carol has offered a draw" in text(news)


def gather_at_once(engine: Engine, server: ServerSettings, now: datetime, threads: int = 8) -> int:
    """Let several daemons gather at the same moment. Return the number of messages they made."""
    barrier, counts = threading.Barrier(threads), []

    def run() -> None:
        barrier.wait()
        counts.append(news_digests.gather(engine, server, now))

    running = [threading.Thread(target=run) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert len(counts) == threads
    return sum(counts)


def test_of_several_that_gather_at_once_one_does(letters: Correspondence) -> None:
    batching(letters, *(("bob", f"#1 {words}") for words in ("say One", "draw", "cancel")))

    assert gather_at_once(letters.server.engine, letters.server.settings.server, NOON + timedelta(hours=1)) == 1
    assert letters.rows("select template from outgoing where state = 'owed'") == ["digest"]
    assert letters.rows("select count(*) from outgoing where state = 'merged'") == [3]


def test_an_answer_to_a_digest_is_checked_against_what_it_showed(letters: Correspondence) -> None:
    batching(letters, ("bob", f"#1 {FIRST}"), ("carol", f"#2 {FIRST}"))
    (news,) = letters.wait(minutes=15)
    letters.say("alice", f"set mail each\n#1 {SECOND}")
    letters.say("bob", f"#1 {THIRD}")

    (stale,) = letters.reply(news, "#1 b4b3 e9e8 1 b3b2 e8f8")
    assert "You replied to an older message, and the match has moved on." in said(stale)
    (again,) = letters.reply(news, f"#1 {SECOND}")
    assert "has already been played" in said(again)
    assert len(letters.reply(news, f"#2 {SECOND}")) == 2


def test_what_another_player_s_digest_showed_is_nobody_else_s_business(letters: Correspondence) -> None:
    """A personal token contains the id of a message; that of someone else's message has no effect."""
    batching(letters, ("bob", f"#1 {FIRST}"), ("carol", f"#2 {FIRST}"))
    (news,) = letters.wait(minutes=15)
    bob = "(select id from player where name = 'bob')"
    letters.execute(f"update outgoing set player = {bob} where message_id = '{news['Message-ID']}'")

    (answer,) = letters.reply(news, SECOND)

    assert "This message isn't a reply about one" in text(answer)


def test_several_boards_in_one_answer_are_several_matches_for_its_answer(letters: Correspondence) -> None:
    letters.say("bob", f"#1 {FIRST}")
    letters.say("carol", f"#2 {FIRST}")
    (mine,) = to(letters.say("alice", f"#1 {SECOND}\n#2 {SECOND}"), "alice")
    letters.say("bob", f"#1 {THIRD}")
    letters.say("carol", f"#2 {THIRD}")

    assert "Which match?" in text(letters.reply(mine, "b4b3 e9e8 1 b3b2 e8f8")[0])
    (stale,) = letters.reply(mine, "#2 b4b3 e9e8 1 b3b2 e8f8")
    assert "You replied to an older message" in text(stale)
