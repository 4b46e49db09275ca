"""Batched news: none is lost or sent twice, with any preference, after a crash, and with concurrent requests."""

import random
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import select

from pbem.config import ServerSettings
from pbem.server import daemon
from pbem.server.scheduled import digest
from pbem.storage import database
from pbem.storage.models import Match, Outgoing, OutgoingState, Player
from tests.cases import quick_where
from tests.correspondence import ADDRESS, Correspondence, correspondence, settings, text

pytestmark = pytest.mark.sql

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
ALICE = "alice@mail.example"
PEOPLE = ("bob", "carol", "dave")


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Let alice play #1 with bob, #2 with carol and #3 with dave; it's noon, and nowhere her turn."""
    with correspondence(tmp_path) as letters:
        letters.clock.set(NOON)
        letters.play(begin)
        yield letters


def begin(letters: Correspondence) -> None:
    letters.join("alice")
    for number, name in enumerate(PEOPLE, start=1):
        personal = letters.join(name)
        letters.write(f"{name}@mail.example", "challenge alice quadraphages", to=personal)
        letters.write(ALICE, f"accept {number}", to=personal_address(letters, "alice"))


def personal_address(letters: Correspondence, name: str) -> str:
    welcome = next(mail for mail in letters.received[f"{name}@mail.example"] if "Welcome" in str(mail["Subject"]))
    return next(line.strip() for line in text(welcome).splitlines() if "games+" in line)


def command(letters: Correspondence, name: str, words: str) -> list[EmailMessage]:
    return letters.write(f"{name}@mail.example", words, to=personal_address(letters, name))


def to_alice(mails: list[EmailMessage]) -> list[EmailMessage]:
    return [mail for mail in mails if mail["To"] == ALICE]


def written_since(time: datetime, mails: list[EmailMessage]) -> list[EmailMessage]:
    """Return the messages written since that time."""
    return [mail for mail in mails if mail["Date"].datetime >= time]


def rows(letters: Correspondence, *states: OutgoingState) -> list[Outgoing]:
    with database.transaction(letters.server.engine) as session:
        return [row for row in session.exec(select(Outgoing)) if not states or row.state in states]


@pytest.mark.slow
def test_a_batch_waits_some_minutes_from_the_first_news(letters: Correspondence) -> None:
    command(letters, "alice", "set mail batch")
    assert not to_alice(command(letters, "bob", "#1 1 a7b7 i3i2"))
    assert not to_alice(letters.wait(minutes=10))
    assert not to_alice(command(letters, "carol", "#2 1 a7b7 i3i2"))
    assert not to_alice(letters.wait(minutes=4, seconds=59))
    (news,) = to_alice(letters.wait(seconds=1))

    assert "#1 1 a7b7" not in text(news)
    assert "bob played 1 a7b7 i3i2." in text(news)
    assert "carol played 1 a7b7 i3i2." in text(news)
    assert news["Date"].datetime == letters.clock()
    assert not to_alice(letters.wait(days=1))


@pytest.mark.slow
def test_news_that_stay_alone_go_out_as_they_are(letters: Correspondence) -> None:
    command(letters, "alice", "set mail batch")
    command(letters, "bob", "#1 1 a7b7 i3i2")
    (mail,) = to_alice(letters.wait(minutes=15))

    assert mail["X-PBeM-Event"] == "turn"
    assert mail["Date"].datetime == letters.clock()
    assert not rows(letters, OutgoingState.BATCHED, OutgoingState.MERGED)
    assert "alice played" in text(letters.reply(mail, "c1b1 g9h9 3 b1b4 h9e9")[0])


@pytest.mark.slow
def test_news_that_are_old_by_then_are_told_as_things_stand(letters: Correspondence) -> None:
    command(letters, "alice", "set mail batch")
    command(letters, "bob", "#1 1 a7b7 i3i2\n\nQuick?")
    command(letters, "alice", "#1 c1b1 g9h9 3 b1b4 h9e9")
    command(letters, "bob", "#1 b7e7 i2i5 1 e7e6 i5i4")
    (mail,) = to_alice(letters.wait(minutes=15))

    assert mail["X-PBeM-Event"] == "digest"
    turns = ["bob played 1 a7b7 i3i2.", "You played c1b1 g9h9 3 b1b4 h9e9.", "bob played b7e7 i2i5 1 e7e6 i5i4."]
    assert "\n\n".join(turns) in text(mail).replace("\r\n", "\n")
    assert "Your turn against" in text(mail)
    assert "| Quick?" in text(mail)
    assert mail["List-Unsubscribe"]


@pytest.mark.slow
def test_a_challenge_that_was_accepted_by_then_is_told_as_begun(letters: Correspondence) -> None:
    command(letters, "alice", "set mail batch")
    command(letters, "bob", "challenge alice kvadratik")
    command(letters, "alice", "accept 4")
    (mail,) = to_alice(letters.wait(minutes=15))

    assert mail["X-PBeM-Event"] == "digest"
    assert "bob challenges you." in text(mail)
    assert 'eply "accept"' not in text(mail)


@pytest.mark.slow
def test_one_turn_that_is_answered_already_is_told_with_the_answer(letters: Correspondence) -> None:
    command(letters, "alice", "set mail batch")
    command(letters, "bob", "#1 1 a7b7 i3i2")
    command(letters, "alice", "#1 c1b1 g9h9 3 b1b4 h9e9")
    (mail,) = to_alice(letters.wait(minutes=15))

    assert "bob played 1 a7b7 i3i2.\n\nYou played c1b1 g9h9 3 b1b4 h9e9." in text(mail).replace("\r\n", "\n")
    assert text(mail).startswith("You played c1b1 g9h9 3 b1b4 h9e9.")
    assert "Your turn" not in text(mail)


def test_a_turn_in_a_match_that_ended_by_then_asks_for_none(letters: Correspondence) -> None:
    command(letters, "alice", "set mail batch")
    command(letters, "bob", "#1 1 a7b7 i3i2")
    (question,) = command(letters, "alice", "resign 1")
    letters.reply(question, "yes")
    (mail,) = to_alice(letters.wait(minutes=15))

    assert "bob played 1 a7b7 i3i2." in text(mail)
    assert "your turn" not in f"{mail['Subject']} {text(mail)}".lower()
    assert "The match is over: you resigned" in text(mail)


@pytest.mark.slow
def test_a_day_s_mail_is_made_up_for_once_when_the_hour_was_missed(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.clock.set(NOON)
        letters.play(begin)
        command(letters, "alice", "set mail daily hour 14")
        command(letters, "bob", "#1 say One")
        command(letters, "carol", "#2 say Two")
        assert not to_alice(letters.wait(hours=1, minutes=59))
    with correspondence(tmp_path) as letters:  # the server was away for three days
        letters.clock.set(NOON + timedelta(days=3))
        (news,) = written_since(NOON + timedelta(days=3), letters.wait(minutes=0))
        assert re.findall(r"\| (\w+)", text(news)) == ["One", "Two"]
        for _ in range(5):
            assert not to_alice(letters.wait(hours=12))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", ["set mail each", "set mail batch", "set mail daily hour 13"])
def test_another_choice_tells_what_waits_when_it_says(letters: Correspondence, words: str) -> None:
    command(letters, "alice", "set mail daily hour 11")
    command(letters, "bob", "#1 say One")
    command(letters, "carol", "#2 say Two")
    letters.wait(minutes=14)
    sent = to_alice(command(letters, "alice", words))
    later = {"set mail each": 0, "set mail batch": 1, "set mail daily hour 13": 46}[words]
    if later:
        assert len(sent) == 1
        assert not to_alice(letters.wait(minutes=later - 1))
        sent += to_alice(letters.wait(minutes=1))

    assert [mail["X-PBeM-Event"] for mail in sent] == ["answer", "digest"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mail", ["batch", "daily"])
def test_answers_and_what_strangers_get_do_not_wait(letters: Correspondence, mail: str) -> None:
    command(letters, "alice", f"set mail {mail}")
    before = len(letters.log)
    command(letters, "alice", "games")
    command(letters, "alice", "challenge eve@mail.example kvadratik")
    letters.write(ALICE, "#1 resign")
    letters.reply(letters.last("alice"), "yes")
    events = [sent["X-PBeM-Event"] for way, sent in letters.log[before:] if way == "out"]

    assert events == ["answer", "challenge", "answer", "confirm", "over", "over"]
    invitation = letters.last("eve")
    assert invitation["List-Id"] is None  # strangers have nothing to unsubscribe from
    assert invitation["Auto-Submitted"] == "auto-generated"


@pytest.mark.slow
@pytest.mark.parametrize("seed", quick_where((0, 1).__contains__, range(6)))
def test_whatever_is_chosen_each_word_is_told_exactly_once(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    choices = [
        "set mail each",
        "set mail batch",
        "set mail daily",
        "set mail daily hour 3",
        "stop",
        "start",
        "set hour 22",
    ]
    with correspondence(tmp_path) as letters:
        letters.clock.set(NOON)
        letters.play(begin)
        said = []
        for _ in range(40):
            number = chance.randrange(3)
            match chance.randrange(4):
                case 0:
                    command(letters, "alice", chance.choice(choices))
                case 1:
                    letters.wait(minutes=chance.choice([1, 10, 100, 1000]))
                case _:
                    said.append(f"word{len(said)}x")
                    command(letters, PEOPLE[number], f"#{number + 1} say {said[-1]}")
        command(letters, "alice", "start")
        letters.wait(days=2)
        told = [word for mail in letters.received[ALICE] for word in re.findall(r"\| (word\d+x)", text(mail))]

        assert sorted(told) == sorted(said)
        sent = {str(mail["Message-ID"]) for _, mail in letters.log}
        for mail in letters.received[ALICE]:
            assert set(str(mail.get("References", "")).split()) <= sent  # no gaps in a thread
        assert len(said) > 10
        assert not rows(letters, OutgoingState.BATCHED, OutgoingState.OWED)
        gone = {row.id for row in rows(letters, OutgoingState.SENT)}
        assert all(row.merged_into in gone for row in rows(letters, OutgoingState.MERGED))


@pytest.mark.slow
def test_what_is_gathered_goes_out_after_a_crash(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.clock.set(NOON)
        letters.play(begin)
        command(letters, "alice", "set mail batch")
        command(letters, "bob", "#1 say One")
        command(letters, "carol", "#2 say Two")
        assert digest.gather(letters.server.engine, letters.server.settings.server, NOON + timedelta(minutes=15)) == 1
        (owed,) = rows(letters, OutgoingState.OWED)
    with correspondence(tmp_path) as letters:
        letters.clock.set(NOON + timedelta(minutes=16))
        (news,) = written_since(NOON + timedelta(minutes=15), letters.wait(minutes=0))

    assert news["Message-ID"] == owed.message_id
    assert re.findall(r"\| (\w+)", text(news)) == ["One", "Two"]


@pytest.mark.slow
def test_a_bug_leaves_one_player_s_news_waiting_and_tells_the_others(letters: Correspondence) -> None:
    for name in ("alice", "bob"):
        command(letters, name, "set mail batch")
    command(letters, "carol", "#2 draw")
    command(letters, "carol", "#2 say Two")
    command(letters, "alice", "#1 say Three")
    with database.transaction(letters.server.engine) as session:
        session.get_one(Match, 2).state = "no such state"
    mails = letters.wait(minutes=15)
    assert [mail["To"] for mail in mails] == ["bob@mail.example"]
    with database.transaction(letters.server.engine) as session:
        session.get_one(Match, 2).state = "running"
    (news,) = letters.wait(minutes=1)

    assert news["To"] == ALICE
    assert re.findall(r"\| (\w+)", text(news)) == ["Two"]
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


@pytest.mark.slow
def test_of_several_that_gather_at_once_one_does(letters: Correspondence) -> None:
    command(letters, "alice", "set mail batch")
    for words in ("say One", "draw", "cancel"):
        command(letters, "bob", f"#1 {words}")

    assert gather_at_once(letters.server.engine, letters.server.settings.server, NOON + timedelta(hours=1)) == 1
    assert [row.template for row in rows(letters, OutgoingState.OWED)] == ["digest"]
    assert len(rows(letters, OutgoingState.MERGED)) == 3


def test_who_comes_late_to_a_player_s_row_looks_at_the_time_again(letters: Correspondence) -> None:
    """Another daemon has gathered in between, and newer news isn't due yet."""
    command(letters, "alice", "set mail batch")
    command(letters, "bob", "#1 say One")
    with database.transaction(letters.server.engine) as session:
        alice = session.exec(select(Player.id).where(Player.name == "alice")).one()
        server = letters.server.settings.server
        assert not digest._gather(session, alice, server, NOON + timedelta(minutes=14))
        assert digest._gather(session, alice, server, NOON + timedelta(minutes=15))
        assert not digest._gather(session, alice, server, NOON + timedelta(minutes=15))


@pytest.mark.slow
def test_the_most_urgent_match_comes_first_and_the_longest_waiting_before_that(letters: Correspondence) -> None:
    command(letters, "alice", "set mail daily hour 11")
    command(letters, "carol", "#2 say Hm.")
    command(letters, "dave", "#3 1 a7b7 i3i2")
    letters.wait(minutes=1)
    command(letters, "bob", "#1 1 a7b7 i3i2")
    command(letters, "alice", "#1 c1b1 g9h9 3 b1b4 h9e9")
    letters.wait(minutes=1)
    command(letters, "carol", "#2 1 a7b7 i3i2")
    command(letters, "bob", "challenge alice kvadratik")
    command(letters, "bob", "challenge alice quadrature")
    command(letters, "bob", "withdraw 5")
    (news,) = to_alice(letters.wait(days=1))

    overview = re.findall(r"^\* #(\d) .*?  (\S.*)$", text(news), re.MULTILINE)
    assert [number for number, _ in overview] == ["3", "2", "4", "1", "5"]
    assert re.findall(r"^(?:[A-Z].*, m|M)atch #(\d)", text(news), re.MULTILINE) == ["3", "2", "4", "1", "5"]
    assert news["Subject"] == "[pbem] News of 5 matches: your turn in 2"


@pytest.mark.slow
def test_a_match_without_news_in_which_one_is_to_move_is_named_too(letters: Correspondence) -> None:
    command(letters, "bob", "#1 1 a7b7 i3i2")
    command(letters, "alice", "set mail batch")
    command(letters, "carol", "#2 say Two")
    command(letters, "dave", "#3 say Three")
    (news,) = to_alice(letters.wait(minutes=15))

    assert re.search(r"^\* #1 .* still your turn, due 7 Mar\r?$", text(news), re.MULTILINE)
    assert news["Subject"] == "[pbem] News of 3 matches: your turn in 1"


@pytest.mark.slow
def test_an_answer_to_a_digest_is_checked_against_what_it_showed(letters: Correspondence) -> None:
    command(letters, "alice", "set mail batch")
    command(letters, "bob", "#1 1 a7b7 i3i2")
    command(letters, "carol", "#2 1 a7b7 i3i2")
    (news,) = to_alice(letters.wait(minutes=15))
    command(letters, "alice", "set mail each\n#1 c1b1 g9h9 3 b1b4 h9e9")
    command(letters, "bob", "#1 b7e7 i2i5 1 e7e6 i5i4")

    (stale,) = letters.reply(news, "#1 b4b3 e9e8 1 b3b2 e8f8")
    assert "You replied to an older message, and the match has moved on." in " ".join(text(stale).split())
    (again,) = letters.reply(news, "#1 c1b1 g9h9 3 b1b4 h9e9")
    assert "has already been played" in " ".join(text(again).split())
    assert len(letters.reply(news, "#2 c1b1 g9h9 3 b1b4 h9e9")) == 2


@pytest.mark.slow
def test_a_bare_turn_for_several_matches_is_asked_about_also_the_second_time(letters: Correspondence) -> None:
    command(letters, "alice", "set mail batch")
    command(letters, "bob", "#1 1 a7b7 i3i2")
    command(letters, "carol", "#2 1 a7b7 i3i2")
    (news,) = to_alice(letters.wait(minutes=15))
    (asked,) = letters.reply(news, "c1b1 g9h9 3 b1b4 h9e9")
    (again,) = letters.reply(asked, "c1b1 g9h9 3 b1b4 h9e9")
    for answer in (asked, again):
        assert "Which match? The message you replied to shows several." in " ".join(text(answer).split())
        assert "it's your turn in #1 and #2." in " ".join(text(answer).split())
    command(letters, "alice", "#1 c1b1 g9h9 3 b1b4 h9e9")
    command(letters, "bob", "#1 b7e7 i2i5 1 e7e6 i5i4")
    (stale,) = letters.reply(again, "#1 c1b1 g9h9 3 b1b4 h9e9")
    assert "has already been played" in " ".join(text(stale).split())


@pytest.mark.slow
def test_what_a_digest_says_to_try_works_in_its_answer(letters: Correspondence) -> None:
    command(letters, "alice", "set mail batch")
    command(letters, "bob", "#1 1 a7b7 i3i2")
    command(letters, "carol", "challenge alice kvadratik begin=you")
    (news,) = to_alice(letters.wait(minutes=15))
    step = re.search(r'"(#1 preview)".*?^\* (\w+)', text(news), re.MULTILINE | re.DOTALL)
    assert step

    assert text(letters.reply(news, f"{step[1]} {step[2]}")[0]).startswith("Nothing has been played.")
    assert "The match has begun." in text(to_alice(letters.reply(news, "accept 4"))[0])
    assert text(letters.reply(news, "#1 show")[0]).startswith("Match #1, Quadraphages")


@pytest.mark.slow
def test_what_another_player_s_digest_showed_is_nobody_else_s_business(letters: Correspondence) -> None:
    """A personal token contains the id of a message; that of someone else's message has no effect."""
    command(letters, "alice", "set mail batch")
    command(letters, "bob", "#1 1 a7b7 i3i2")
    command(letters, "carol", "#2 1 a7b7 i3i2")
    (news,) = to_alice(letters.wait(minutes=15))
    with database.transaction(letters.server.engine) as session:
        row = session.exec(select(Outgoing).where(Outgoing.message_id == str(news["Message-ID"]))).one()
        row.player = session.exec(select(Player.id).where(Player.name == "bob")).one()
        session.add(row)
    (answer,) = letters.reply(news, "games")
    assert "Your matches" in text(answer)
    assert "This message isn't a reply about one" in text(letters.reply(news, "c1b1 g9h9 3 b1b4 h9e9")[0])


@pytest.mark.slow
def test_several_boards_in_one_answer_are_several_matches_for_its_answer(letters: Correspondence) -> None:
    command(letters, "bob", "#1 1 a7b7 i3i2")
    command(letters, "carol", "#2 1 a7b7 i3i2")
    (_, _, mine) = command(letters, "alice", "#1 c1b1 g9h9 3 b1b4 h9e9\n#2 c1b1 g9h9 3 b1b4 h9e9")
    assert mine["To"] == ALICE
    command(letters, "bob", "#1 b7e7 i2i5 1 e7e6 i5i4")
    command(letters, "carol", "#2 b7e7 i2i5 1 e7e6 i5i4")

    assert "Which match?" in text(letters.reply(mine, "b4b3 e9e8 1 b3b2 e8f8")[0])
    (stale,) = letters.reply(mine, "#2 b4b3 e9e8 1 b3b2 e8f8")
    assert "You replied to an older message" in text(stale)


def test_the_loop_gathers_by_the_clock_it_is_given(tmp_path: Path) -> None:
    with daemon.open_server(settings(tmp_path), lambda: NOON) as server:
        assert daemon.run_once(server) == (0, 0, 0)
        assert server.clock() == NOON


def test_the_plain_address_still_answers(letters: Correspondence) -> None:
    command(letters, "alice", "set mail daily")

    assert len(letters.write(ALICE, "games", to=ADDRESS)) == 1
