"""Batched news: none is lost or sent twice, with any preference, and after a crash."""

import random
import re
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import select

from pbem.config import ServerSettings
from pbem.server.scheduled import digest
from pbem.storage import database
from pbem.storage.models import Match, Player
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


def test_a_challenge_that_was_accepted_by_then_is_told_as_begun(letters: Correspondence) -> None:
    batching(letters, ("bob", "challenge alice kvadratik"), ("alice", "accept 4"))
    (mail,) = letters.wait(minutes=15)

    assert mail["X-PBeM-Event"] == "digest"
    assert "bob challenges you." in text(mail)
    assert 'eply "accept"' not in text(mail)


def test_one_turn_that_is_answered_already_is_told_with_the_answer(letters: Correspondence) -> None:
    batching(letters, ("bob", f"#1 {FIRST}"), ("alice", f"#1 {SECOND}"))
    (mail,) = letters.wait(minutes=15)

    assert f"bob played {FIRST}. You played {SECOND}." in said(mail)
    assert text(mail).startswith(f"You played {SECOND}.")
    assert "Your turn" not in text(mail)


def test_a_turn_in_a_match_that_ended_by_then_asks_for_none(letters: Correspondence) -> None:
    batching(letters, ("bob", f"#1 {FIRST}"))
    (question,) = letters.say("alice", "resign 1")
    letters.reply(question, "yes")
    (mail,) = to(letters.wait(minutes=15), "alice")

    assert f"bob played {FIRST}." in text(mail)
    assert "your turn" not in f"{mail['Subject']} {text(mail)}".lower()
    assert "The match is over: you resigned" in text(mail)


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


@pytest.mark.parametrize(
    ("words", "later"), [("set mail each", 0), ("set mail batch", 1), ("set mail daily hour 13", 46)]
)
def test_another_choice_tells_what_waits_when_it_says(letters: Correspondence, words: str, later: int) -> None:
    letters.say("alice", "set mail daily hour 11")
    letters.say("bob", "#1 say One")
    letters.say("carol", "#2 say Two")
    letters.wait(minutes=14)
    sent = to(letters.say("alice", words), "alice")
    if later:
        assert len(sent) == 1
        assert not to(letters.wait(minutes=later - 1), "alice")
        sent += to(letters.wait(minutes=1), "alice")

    assert [mail["X-PBeM-Event"] for mail in sent] == ["answer", "digest"]


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
        assert digest.gather(letters.server.engine, letters.server.settings.server, NOON + timedelta(minutes=15)) == 1
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
        counts.append(digest.gather(engine, server, now))

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


def test_who_comes_late_to_a_player_s_row_looks_at_the_time_again(letters: Correspondence) -> None:
    """Another daemon has gathered in between, and newer news isn't due yet."""
    batching(letters, ("bob", "#1 say One"))
    with database.transaction(letters.server.engine) as session:
        alice = session.exec(select(Player.id).where(Player.name == "alice")).one()
        server = letters.server.settings.server
        assert not digest._gather(session, alice, server, NOON + timedelta(minutes=14))
        assert digest._gather(session, alice, server, NOON + timedelta(minutes=15))
        assert not digest._gather(session, alice, server, NOON + timedelta(minutes=15))


def test_the_most_urgent_match_comes_first_and_the_longest_waiting_before_that(letters: Correspondence) -> None:
    letters.say("alice", "set mail daily hour 11")
    letters.say("carol", "#2 say Hm.")
    letters.say("dave", f"#3 {FIRST}")
    letters.wait(minutes=1)
    letters.say("bob", f"#1 {FIRST}")
    letters.say("alice", f"#1 {SECOND}")
    letters.wait(minutes=1)
    letters.say("carol", f"#2 {FIRST}")
    for line in ("challenge alice kvadratik", "challenge alice quadrature", "withdraw 5"):
        letters.say("bob", line)
    (news,) = to(letters.wait(days=1), "alice")

    overview = re.findall(r"^\* #(\d) .*?  \S.*$", text(news), re.MULTILINE)
    assert overview == ["3", "2", "4", "1", "5"]
    assert re.findall(r"^(?:[A-Z].*, m|M)atch #(\d)", text(news), re.MULTILINE) == overview
    assert news["Subject"] == "[pbem] News of 5 matches: your turn in 2"


def test_a_match_without_news_in_which_one_is_to_move_is_named_too(letters: Correspondence) -> None:
    letters.say("bob", f"#1 {FIRST}")
    batching(letters, ("carol", "#2 say Two"), ("dave", "#3 say Three"))
    (news,) = to(letters.wait(minutes=15), "alice")

    assert re.search(r"^\* #1 .* still your turn, due 7 Mar\r?$", text(news), re.MULTILINE)
    assert news["Subject"] == "[pbem] News of 3 matches: your turn in 1"


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


def test_a_bare_turn_for_several_matches_is_asked_about_also_the_second_time(letters: Correspondence) -> None:
    batching(letters, ("bob", f"#1 {FIRST}"), ("carol", f"#2 {FIRST}"))
    (news,) = letters.wait(minutes=15)
    (asked,) = letters.reply(news, SECOND)
    (again,) = letters.reply(asked, SECOND)
    for answer in (asked, again):
        assert "Which match? The message you replied to shows several." in said(answer)
        assert "it's your turn in #1 and #2." in said(answer)
    assert len(letters.played) == 2


def test_what_a_digest_says_to_try_works_in_its_answer(letters: Correspondence) -> None:
    batching(letters, ("bob", f"#1 {FIRST}"), ("carol", "challenge alice kvadratik begin=you"))
    (news,) = letters.wait(minutes=15)
    step = re.search(r'"(#1 preview)".*?^\* (\w+)', text(news), re.MULTILINE | re.DOTALL)
    assert step

    assert text(letters.reply(news, f"{step[1]} {step[2]}")[0]).startswith("Nothing has been played.")
    (begun,) = to(letters.reply(news, "accept 4"), "alice")
    assert "The match has begun." in text(begun)
    assert text(letters.reply(news, "#1 show")[0]).startswith("Match #1, Quadraphages")


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
