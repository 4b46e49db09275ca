"""Tokens in every part of a message, and headers that can't replace them, tested through the whole server."""

import base64
import re
import secrets
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.messages.reply_addresses import address_with
from pbem.tokens import Purpose, Token
from tests.correspondence import ADDRESS, Correspondence, correspondence, text

ALICE, BOB, EVIL = "alice@mail.example", "bob@mail.example", "mallory@evil.example"
TURN = "#1 1 a7b7 i3i2"
OFFERS = ("#1 draw", "#1 cancel", "#1 pause", "#1 mute")
REFUSED = ("#1 claim", "#1 if g9g7 3 f3f4 then c1c2")
"""What can't be done in the match, so that there is nothing to ask alice about."""
LOOK_ALIKE = "\u0440bem"
Place = Callable[[str, str], dict[str, str]]
"""The headers of a message, given alice's reply address and the Message-ID of the message that contains it."""


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Begin a match of alice, to move, and bob; carol is a player too."""
    with correspondence(tmp_path, more="[limits]\nanswers_per_hour = 1000") as letters:
        letters.match()
        letters.join("carol")
        yield letters


def deliver(letters: Correspondence, headers: dict[str, str], body: str) -> list[EmailMessage]:
    """Deliver a new message from alice to our plain address, with those headers added or replaced."""
    plain = {"From": ALICE, "To": ADDRESS, "Subject": "", "Message-ID": f"<{secrets.token_hex(8)}@mail.example>"}
    head = "".join(f"{name}: {value}\n" for name, value in (plain | headers).items())
    return letters.deliver(f"{head}\n{body}\n".encode())


def became(letters: Correspondence, headers: dict[str, str], more: str = "") -> str:
    """Return the effect of a `say` from alice to bob: acted, asked (at her address), or nothing."""
    word = secrets.token_hex(8)
    letters.wait(minutes=5)  # a note that was passed on before, or none, keeps this one waiting
    mails = deliver(letters, headers, f"#1 say {word}{more}")
    if any(str(mail["To"]) == BOB and word in text(mail) for mail in mails):
        return "acted"
    if not mails:
        return "nothing"
    assert [str(mail["To"]) for mail in mails] == [ALICE]
    return "asked" if 'eply "yes" to this message' in text(mails[0]) else "answered"


def tag(address: str) -> str:
    """Return what follows the + in an address of ours."""
    return address.partition("+")[2].partition("@")[0]


PLACES: dict[str, tuple[Place, str]] = {
    "in To": (lambda to, _: {"To": to}, "acted"),
    "in To among others": (lambda to, _: {"To": f"{BOB}, PBeM <{to}>, {EVIL}"}, "acted"),
    "in Cc": (lambda to, _: {"To": BOB, "Cc": to}, "acted"),
    "in Delivered-To": (lambda to, _: {"Delivered-To": to}, "acted"),
    "in X-Original-To": (lambda to, _: {"X-Original-To": to}, "acted"),
    "in capitals": (lambda to, _: {"To": to.upper()}, "acted"),
    "in letters of any size": (lambda to, _: {"To": re.sub("..", lambda two: two[0].title(), to)}, "acted"),
    "from elsewhere": (lambda to, _: {"To": to, "From": "alice@work.example"}, "acted"),
    "nowhere, in answer to the mail": (lambda _, mail: {"In-Reply-To": mail}, "asked"),
    "nowhere, in answer to answers to the mail": (lambda _, mail: {"References": f"{mail} <1@mail.example>"}, "asked"),
    "nowhere": (lambda _to, _: {}, "asked"),
    "nowhere, in answer to the mail, from elsewhere": (
        lambda _, mail: {"In-Reply-To": mail, "From": "alice@work.example"},
        "asked",
    ),
    "in the Subject": (lambda to, _: {"Subject": to}, "asked"),
    "in References": (lambda to, _: {"References": f"<{to}>"}, "asked"),
    "in In-Reply-To": (lambda to, _: {"In-Reply-To": f"<{to}>"}, "asked"),
    "in Reply-To": (lambda to, _: {"Reply-To": to}, "asked"),
    "in Sender": (lambda to, _: {"Sender": to}, "asked"),
    "in Received": (lambda to, _: {"Received": f"by mail.example for <{to}>; Mon, 1 Jan 2007 10:00:00 +0000"}, "asked"),
    "in Resent-To": (lambda to, _: {"Resent-To": to}, "asked"),
    "in Bcc": (lambda to, _: {"Bcc": to}, "asked"),
    "in a name": (lambda to, _: {"To": f'"{to}" <{ADDRESS}>'}, "asked"),
    "in a quoted local part": (lambda to, _: {"To": f'"{to.partition("@")[0]}"@pbem.example'}, "asked"),
    "in a comment": (lambda to, _: {"To": f"{ADDRESS} ({to})"}, "asked"),
    "at another domain": (lambda to, _: {"To": f"{ADDRESS}, {to.replace('pbem.', 'evil.')}"}, "asked"),
    "at a domain like ours": (lambda to, _: {"To": f"{ADDRESS}, {to.replace('pbem', LOOK_ALIKE)}"}, "asked"),
    "one letter short": (lambda to, _: {"To": to.replace(tag(to), tag(to)[:-1])}, "nothing"),
    "twice, joined": (lambda to, _: {"To": to.replace(tag(to), tag(to) * 2)}, "nothing"),
    "guessed": (lambda to, _: {"To": to.replace(tag(to), guessed())}, "nothing"),
    "guessed beside none": (lambda to, _: {"To": f"{to.replace(tag(to), guessed())}, {ADDRESS}"}, "nothing"),
    "of the opponent, from his address": (lambda to, mail: {"To": to, "From": BOB}, "asked"),
    "of the opponent, in a copy": (lambda to, _: {"To": ALICE, "Cc": to, "From": BOB}, "asked"),
    "from somebody else here": (lambda to, _: {"To": to, "From": "Alice <carol@mail.example>"}, "asked"),
}


def guessed() -> str:
    """Return forty random letters and digits."""
    return base64.b32encode(secrets.token_bytes(25)).decode().lower()


def test_a_token_counts_where_mail_is_addressed_and_nowhere_else(letters: Correspondence) -> None:
    mail = letters.last("alice")
    to, message_id = mail["Reply-To"].addresses[0].addr_spec, str(mail["Message-ID"])

    found = {name: became(letters, place(to, message_id)) for name, (place, _) in PLACES.items()}

    assert found == {name: expected for name, (_, expected) in PLACES.items()}


def test_a_token_in_the_words_of_a_mail_is_worth_nothing(letters: Correspondence) -> None:
    to = letters.last("alice")["Reply-To"].addresses[0].addr_spec

    assert became(letters, {}, f"\n\nTo: {to}\n{to}") == "asked"


@pytest.mark.slow
def test_no_number_of_a_token_can_be_changed(letters: Correspondence) -> None:
    """A different purpose, player, match or turn needs a different signature."""
    to = letters.last("alice")["Reply-To"].addresses[0].addr_spec
    raw = base64.b32decode(tag(to).upper())
    for at in range(9):
        for bit in (1, 16):
            changed = base64.b32encode(raw[:at] + bytes([raw[at] ^ bit]) + raw[at + 1 :]).decode().lower()
            assert became(letters, {"To": to.replace(tag(to), changed)}) == "nothing", (at, bit)


@pytest.mark.slow
def test_each_purpose_allows_its_own_and_no_more(letters: Correspondence) -> None:
    letters.write(ALICE, TURN)
    ((held,),) = letters.execute("select id from incoming where state = 'held'")
    ((settled,),) = letters.execute("select min(id) from incoming where state = 'done'")
    ((alice,),) = letters.execute("select id from player where name = 'alice'")
    server = letters.server
    for purpose, subject, expected in [
        (Purpose.NOTICES, 0, "asked"),
        (Purpose.CONFIRM, held, "asked"),
        (Purpose.CONFIRM, settled, "answered"),
        (Purpose.ADDRESS, 1, "nothing"),
        (Purpose.PLAY, 99, "asked"),
        (Purpose.PERSONAL, 0, "acted"),
    ]:
        token = Token(purpose, int(str(alice)), int(str(subject)), 0)
        to = address_with(server.settings.server, server.services.keyring, token, 0)
        assert became(letters, {"To": to}) == expected, purpose


@pytest.mark.slow
def test_somebody_who_is_nobody_here_yet_takes_no_address_from_a_player(letters: Correspondence) -> None:
    """A forged `join` from alice's other address doesn't give it to someone else."""
    letters.write("alice@work.example", "join mallory")
    to = letters.last("alice")["Reply-To"].addresses[0].addr_spec

    assert became(letters, {"To": to, "From": "alice@work.example"}) == "acted"


@pytest.mark.slow
def test_somebody_else_s_token_does_what_it_may_for_him_alone(letters: Correspondence) -> None:
    """Carol's own valid token can't move or chat in a match of others."""
    to = letters.received["carol@mail.example"][0]["Reply-To"].addresses[0].addr_spec
    for words in (TURN, *OFFERS, *REFUSED, "#1 say hello", "#1 resign", "#1 undo"):
        mails = letters.write("carol@mail.example", words, to=to)
        assert [str(mail["To"]) for mail in mails] in (["carol@mail.example"], [])
    assert letters.execute("select count(*), (select state from match) from ply") == [(0, "running")]
    assert letters.execute("select offers, paused, muted0, muted1 from match") == [("{}", None, 0, 0)]


@pytest.mark.slow
def test_an_opponent_who_answers_to_all_is_asked_about_at_the_address_on_file(letters: Correspondence) -> None:
    """Alice sends bob a copy of her message to us; his reply to all reaches us too, at her reply address."""
    to = letters.last("alice")["Reply-To"].addresses[0].addr_spec
    for words in ("say I was never any good at this", "stop", "set mail daily", "set remind off"):
        (question,) = deliver(letters, {"From": f"Bob <{BOB}>", "To": ALICE, "Cc": to}, words)
        assert (str(question["To"]), str(question["Subject"])) == (ALICE, "[pbem] Was this you?")
    ((stopped, settings),) = letters.execute("select stopped, settings from player where name = 'alice'")
    assert (stopped, str(settings)) == (None, "{}")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["In-Reply-To", "References"])
def test_who_has_seen_the_id_of_a_mail_in_an_answer_does_nothing_by_it(letters: Correspondence, name: str) -> None:
    """Alice sent bob a copy of her reply, which contains the Message-ID of the message that she replied to."""
    seen = str(letters.last("alice")["Message-ID"])
    for words in ("say I give up", TURN, *OFFERS, "set mail daily", "stop"):
        (question,) = deliver(letters, {name: seen}, words)
        assert (str(question["To"]), str(question["Subject"])) == (ALICE, "[pbem] Was this you?")

    assert letters.execute("select count(*) from ply") == [(0,)]
    assert not any("I give up" in text(mail) for mail in letters.received[BOB])
    letters.reply(question, "yes")
    assert letters.execute("select name from player where stopped is not null") == [("alice",)]


@pytest.mark.slow
def test_a_turn_in_a_thread_is_read_in_the_match_it_answers_and_asked_about(letters: Correspondence) -> None:
    (question,) = deliver(letters, {"In-Reply-To": str(letters.last("alice")["Message-ID"])}, TURN.removeprefix("#1 "))

    letters.reply(question, "yes")

    assert letters.execute("select count(*) from ply") == [(1,)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", ["yes", "no"])
def test_the_thread_of_a_question_answers_no_question(letters: Correspondence, words: str) -> None:
    (question,) = letters.write(ALICE, TURN)
    (again,) = letters.reply(question, words, to=ADDRESS)
    assert (str(again["To"]), str(again["Subject"])) == (ALICE, "[pbem] Was this you?")
    assert "anyone can write in your" in text(again)
    assert again["Reply-To"].addresses[0].addr_spec in text(again)
    assert letters.execute("select count(*), (select count(*) from incoming where state = 'held') from ply") == [(0, 1)]

    letters.reply(again, words)

    assert letters.execute("select count(*) from ply") == [(int(words == "yes"),)]


@pytest.mark.slow
def test_the_thread_of_a_question_gives_nobody_an_address(letters: Correspondence) -> None:
    (asked,) = letters.reply(letters.received[ALICE][1], "change address alice@work.example")
    letters.reply(asked, "yes")
    (question,) = letters.received["alice@work.example"]

    (again,) = letters.reply(question, "yes", to=ADDRESS)

    assert str(again["To"]) == "alice@work.example"
    assert again["Reply-To"].addresses[0].addr_spec in text(again)
    assert letters.execute("select address from player where name = 'alice'") == [(ALICE,)]
    letters.reply(again, "yes")
    assert letters.execute("select address from player where name = 'alice'") == [("alice@work.example",)]


@pytest.mark.slow
def test_the_thread_of_a_question_that_was_declined_asks_nothing(letters: Correspondence) -> None:
    (asked,) = letters.reply(letters.received[ALICE][1], "change address alice@work.example")
    letters.reply(asked, "yes")
    (question,) = letters.received["alice@work.example"]
    letters.reply(question, "no")

    (introduction,) = letters.reply(question, "yes", to=ADDRESS)
    assert "Here you can play board games" in text(introduction)
    assert letters.execute("select address from player where name = 'alice'") == [(ALICE,)]


@pytest.mark.slow
def test_a_guest_who_answers_the_invitation_at_our_plain_address_is_asked(letters: Correspondence) -> None:
    letters.reply(letters.received[ALICE][1], "challenge nora@mail.example hexaphages")
    (invitation,) = letters.received["nora@mail.example"]

    (question,) = letters.reply(invitation, "accept", to=ADDRESS)
    assert str(question["To"]) == "nora@mail.example"
    letters.reply(question, "yes")

    assert letters.execute("select state from match where id = 2") == [("running",)]
