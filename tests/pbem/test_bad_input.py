"""Anything wrong with a message: what can't be read, what proves nothing, and how strangers are answered."""

import base64

import pytest

from pbem import tokens
from pbem.players.message_budgets import DOMAIN_PER_DAY
from tests import scenes, spent
from tests.correspondence import Correspondence

pytestmark = scenes.after(scenes.two_turns)


def standing(letters: Correspondence) -> list[tuple[object, ...]]:
    """Return everything that a message can change."""
    return [
        row for table in ("match", "ply", "player") for row in letters.execute(f"select * from {table} order by id")
    ]


def token_of(letters: Correspondence) -> str:
    """Return the address at which alice's messages act at once."""
    return str(letters.last("alice")["Reply-To"].addresses[0].addr_spec)


@pytest.mark.parametrize(
    "raw",
    [
        b"\n",
        b"\x00\xff\xfe\n\n\x00",
        b"From: " + b"(" * 3000 + b"\n\nhelp\n",
        b"From: a@b.example, c@d.example\n\nhelp\n",
        b"From: x\n\nhelp",
        b"Subject: help\n\nhelp\n",
        b"From: a@b.example\n" + b"X: y\n" * 20_000 + b"\nhelp\n",
        b"From: a@b.example\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nhelp\n" * 2_000,
    ],
)
def test_a_mail_that_cannot_be_read_is_filed_in_silence(letters: Correspondence, raw: bytes) -> None:
    before = standing(letters)

    assert letters.deliver(raw) == []
    assert standing(letters) == before
    ((state, verdict),) = letters.execute("select state, verdict from incoming order by id desc limit 1")
    assert (state, verdict[:11]) == ("done", "no answer: ")


@pytest.mark.parametrize("bad", [b"\0", b"\xff\xfe", b"\xed\xa0\x80"], ids=["NUL", "no UTF-8", "half a character"])
def test_what_is_no_character_harms_no_database(letters: Correspondence, bad: bytes) -> None:
    """PostgreSQL accepts neither NUL nor invalid UTF-8, in text and in JSON."""
    for place in ("name", "address", "subject", "id", "thread", "words", "command", "join"):
        command = b"join zoe" if place == "join" else b"say "
        parts = {"name": b"A", "address": b"alice", "subject": b"Re: hello", "id": place.encode(), "thread": b"2"}
        parts |= {"words": b"hello", "command": command, "join": command}
        parts[place] += bad + parts[place]
        head = (
            b"From: =?utf-8?b?" + base64.b64encode(parts["name"]) + b"?= <" + parts["address"] + b"@mail.example>",
            b"To: " + token_of(letters).encode(),
            b"Subject: " + parts["subject"],
            b"Message-ID: <" + parts["id"] + b"@mail.example>",
            b"In-Reply-To: <" + parts["thread"] + b"@mail.example>",
            b"Content-Type: text/plain; charset=utf-8",
        )
        body = parts["join"] if place == "join" else parts["command"] + parts["words"]
        letters.deliver(b"\n".join((*head, b"", body, b"")))
        letters.wait(minutes=6)  # notes of five minutes are one message

        assert letters.rows("select count(*) from incoming where state = 'new' or state = 'shunted'") == [0], place
        assert letters.rows("select count(*) from outgoing where state != 'sent'") == [0], place


def test_strangers_are_told_what_this_is_once_a_day_and_three_times_a_month(letters: Correspondence) -> None:
    sent = []
    for days in (1, 1, 1, 28, 1):
        sent.append([len(letters.write("zoe@mail.example", words)) for words in ("what is this", "", "#1 resign")])
        letters.clock.advance(days=days, minutes=1)

    assert sent == [[1, 1, 0], [1, 1, 0], [1, 1, 0], [1, 0, 0], [1, 1, 0]]  # the second asks what is wanted


@pytest.mark.server(more=f"[limits]\nstrangers_per_day = {DOMAIN_PER_DAY + 8}")
def test_strangers_who_ask_for_nothing_leave_half_of_the_answers_to_others(letters: Correspondence) -> None:
    spent.answers_at(letters, "one.example", DOMAIN_PER_DAY // 2 - 3)
    letters.clock.advance(hours=7)  # in an hour, or six, there are fewer
    at_one_domain = [len(letters.write(f"x{number}@one.example", "spam")) for number in range(6)]
    elsewhere = [len(letters.write(f"x@host{number}.example", "spam")) for number in range(6)]
    asked = [len(letters.write(f"y{number}@one.example", f"join y{number}")) for number in range(3)]

    assert (sum(at_one_domain), sum(elsewhere), sum(asked)) == (3, 2, 3)


def test_no_token_lies_in_the_database(letters: Correspondence) -> None:
    tag = token_of(letters).partition("+")[2].partition("@")[0]
    assert tokens.parse(tag) is not None

    for table in ("player", "match", "ply", "outgoing", "outgoingcontent"):
        assert tag not in str(letters.execute(f"select * from {table}"))
