"""Nobody else is the house: not by its name, not in its name, and not by its row."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import Session

from pbem.messages.reply_addresses import address_with
from pbem.messages.said.messages import OpponentLeft
from pbem.storage.models import HOUSE, Player
from pbem.storage.outbox import Mailer
from pbem.tokens import Purpose, Token
from tests.correspondence import Correspondence, correspondence
from tests.house.test_by_mail import begun, turns

MALLORY = "mallory@mail.example"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path) as letters:
        yield letters


@pytest.mark.parametrize("name", ["house", "House", "the-house", "h0use", "house2", "housebot"])
@pytest.mark.sampled(2)
def test_nobody_takes_its_name(letters: Correspondence, name: str) -> None:
    letters.reply(letters.write(MALLORY, f"join {name}")[0], "yes")

    assert letters.execute("select count(*) from player where confirmed is not null") == [(0,)]


def test_who_had_the_name_before_keeps_it(letters: Correspondence) -> None:
    letters.join("henry")
    personal = letters.join("alice")
    letters.execute("update player set name = 'house' where name = 'henry'")

    letters.write("alice@mail.example", "play kvadratik level=1", to=personal)
    letters.write("alice@mail.example", "challenge house kvadratik", to=personal)

    assert letters.execute(f"select name from player where address = '{HOUSE}'") == [("house-bot",)]
    assert letters.execute("select level, state from match order by id") == [(1, "running"), (None, "offered")]


@pytest.mark.parametrize(
    "sender", ["house@mail.example", "house@pbem.example", HOUSE, f'"{HOUSE}" <games@pbem.example>']
)
@pytest.mark.sampled(2)
def test_nobody_moves_in_its_name(letters: Correspondence, sender: str) -> None:
    letters.play(begun)
    before = turns(letters)

    raw = (
        f"From: {sender}\nTo: games@pbem.example\nSubject: [pbem #1]\nMessage-ID: <x@y.example>\n\n#1 resign\n#1 b4b3\n"
    )
    letters.deliver(raw.encode())

    assert turns(letters) == before
    assert letters.execute("select state from match") == [("running",)]


def test_a_token_of_the_house_proves_nothing(letters: Correspondence) -> None:
    letters.play(begun)
    ((number,),) = letters.execute(f"select id from player where address = '{HOUSE}'")
    server = letters.server
    token = Token(Purpose.PERSONAL, int(str(number)))
    address = address_with(server.settings.server, server.services.keyring, token, 0)

    assert letters.write(MALLORY, "#1 resign", to=address) == []
    assert letters.execute("select state from match") == [("running",)]


def test_it_can_not_be_invited(letters: Correspondence) -> None:
    letters.write("alice@mail.example", f"challenge {HOUSE.replace(' ', '')} kvadratik", to=letters.join("alice"))

    assert letters.execute("select count(*) from match") == [(0,)]


def test_a_message_to_it_is_a_bug(letters: Correspondence) -> None:
    with Session(letters.server.engine) as session, pytest.raises(ValueError, match="gets no mail"):
        Mailer(session, letters.server.settings.server, letters.clock()).to_player(
            Player(address=HOUSE, created=letters.clock()), OpponentLeft(), purpose=Purpose.PERSONAL
        )


def test_the_operator_s_verbs_pass_it_by(letters: Correspondence) -> None:
    letters.play(begun)

    for verb in (("delete", "house", "--yes"), ("revoke", "house")):
        assert "No player is called house." in letters.operate(*verb).output
