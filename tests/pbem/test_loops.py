"""Every mail loop ends, and nobody can make us write without end."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.features.all import FEATURES
from pbem.players.message_budgets import MOST_SAME
from tests import scenes
from tests.correspondence import ADDRESS, Correspondence, correspondence, said, text

ALICE = "alice@mail.example"
TURN = "1 a7b7 i3i2"
OTHER = "games@other.example"
EVERYTHING = tuple(f"{name} {command.grammar.usage}" for name, command in FEATURES.commands.items())
"""Each command as the help message shows it, with placeholders as arguments."""
in_a_match = scenes.after(scenes.match)


# Two servers ------------------------------------------------------------------------------------------


def bare(mail: EmailMessage) -> bytes:
    """Return the message as from a relay that removes every header by which a machine can be recognised."""
    kept = "".join(
        f"{name}: {value}\n" for name, value in mail.items() if name in ("From", "To", "Subject", "Message-ID", "Date")
    )
    return f"{kept}\n{text(mail)}".encode()


@contextmanager
def another_server(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Correspondence]:
    """Run a server with another address."""
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("PBEM_SERVER__ADDRESS", OTHER)
        elsewhere.setenv("PBEM_LIMITS__ANSWERS_PER_HOUR", "5")
        with correspondence(folder / "other") as other:
            assert other.server.settings.server.address == OTHER
            yield other


def carry(
    ours: Correspondence,
    other: Correspondence,
    under_way: list[tuple[Correspondence, EmailMessage]],
    relay: Callable[[EmailMessage], bytes],
) -> int:
    """Carry messages to and fro until both servers are silent. Return how many there were, at most 100."""
    carried = 0
    while under_way and carried < 100:
        server, mail = under_way.pop(0)
        back = ours if server is other else other
        under_way += [(back, sent) for sent in server.deliver(relay(mail))]
        carried += 1
    return carried


@in_a_match
@pytest.mark.parametrize("relay", [EmailMessage.as_bytes, bare])
def test_two_servers_facing_each_other_fall_silent(
    letters: Correspondence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, relay: Callable[[EmailMessage], bytes]
) -> None:
    sent = []
    for words in (*EVERYTHING, "join games", "#1 resign", "yes", "no", "", "nonsense", "Hello\n\nIs anybody there?"):
        sent += letters.write(OTHER, words)
    sent += letters.say("alice", f"challenge {OTHER} hexaphages")
    with another_server(tmp_path, monkeypatch) as other:
        under_way = [(other, mail) for mail in sent if mail["To"] == OTHER]
        assert under_way

        assert carry(letters, other, under_way, relay) <= 2 * 6

        assert letters.rows("select count(*) from match where state = 'running'") == [1]
        assert other.rows("select count(*) from match") == [0]


@in_a_match
def test_two_servers_each_a_player_of_the_other_fall_silent(
    letters: Correspondence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worst case: each has the other as a confirmed player, and a relay removes the headers that mark machines."""
    with another_server(tmp_path, monkeypatch) as other:
        other.execute(
            "insert into player (name, address, confirmed, epoch, settings, created, bounces) "
            f"values ('games', '{ADDRESS}', '2007-01-01', 0, '{{}}', '2007-01-01', 0)"
        )
        letters.execute(f"update player set address = '{OTHER}' where name = 'alice'")
        sent = [mail for words in (*EVERYTHING, "nonsense", "yes") for mail in letters.write(OTHER, words)]
        sent += letters.reply(letters.last("bob"), "say hello")
        letters.execute("update player set settings = '{\"mail\": \"batch\"}' where name = 'alice'")
        letters.reply(letters.last("bob"), "say hello\noffer")
        sent += letters.wait(minutes=15)

        assert 10 < len(sent) <= carry(letters, other, [(other, mail) for mail in sent], bare) < len(sent) + 20


# Budgets ----------------------------------------------------------------------------------------------


@in_a_match
def test_one_error_answer_a_day_for_messages_that_prove_nothing(letters: Correspondence) -> None:
    answers = [letters.write(ALICE, f"frobnicate {number % 2}", f"try {number}") for number in range(6)]
    assert [len(answer) for answer in answers] == [1, 1, 0, 0, 0, 0]

    assert [len(letters.say("alice", "frobnicate 0")) for _ in range(3)] == [1, 1, 1]


def test_a_stranger_is_asked_once_a_day_for_the_same_thing(letters: Correspondence) -> None:
    asked = [letters.write("zoe@mail.example", "join zoe", f"try {number}") for number in range(3)]
    other = letters.write("zoe@mail.example", "join zora")

    assert [len(mails) for mails in asked] == [1, 0, 0]
    assert len(other) == 1
    assert len(letters.wait(days=1) + letters.write("zoe@mail.example", "join zoe", "again")) == 1


@pytest.mark.server(more="[limits]\nmails_per_hour = 8")
@in_a_match
def test_a_player_who_writes_more_than_a_person_can_is_told_until_when_and_can_play(letters: Correspondence) -> None:
    board = letters.last("alice")
    answers = [letters.say("alice", "games") for _ in range(10)]
    told = next(mails for mails in answers if mails and "You sent more than" in said(mails[0]))
    assert [len(answer) for answer in answers] == [1] * (answers.index(told) + 1) + [0] * (9 - answers.index(told))
    assert re.search(r"If you send nothing until \w+ \d+ \w+, \d\d:\d\d", said(told[0]))

    assert len(letters.reply(board, TURN)) == 2
    assert letters.reply(board, "resign") == []
    assert letters.rows("select state from match") == ["running"]


@in_a_match
def test_whoever_shows_a_token_is_answered_each_time_until_an_answer_says_when_that_ends(
    letters: Correspondence,
) -> None:
    board = letters.last("alice")
    told = [letters.reply(board, "What is all this about?") for _ in range(MOST_SAME + 1)]

    assert ["we won't until" in said(mail) for (mail,) in told[:-1]] == [False] * (MOST_SAME - 1) + [True]
    assert told[-1] == []
    assert len(letters.reply(board, "show 99")) == 1
    assert len(letters.reply(board, TURN)) == 2
    letters.clock.advance(days=1)
    assert len(letters.reply(board, "What is all this about?")) == 1


@in_a_match
def test_a_question_that_is_answered_by_neither_yes_nor_no_is_asked_again(letters: Correspondence) -> None:
    (question,) = letters.reply(letters.last("alice"), "resign")
    told = [letters.reply(question, "Hmm, I wonder.") for _ in range(MOST_SAME + 1)]

    assert ["for the last time" in said(mail) for (mail,) in told[:-1]] == [False] * (MOST_SAME - 1) + [True]
    assert told[-1] == []
