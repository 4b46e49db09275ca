"""Strangers' messages wait behind those of players, have a lower size limit, and keep their order."""

import pytest

from pbem.storage import database
from pbem.storage.models import Incoming, IncomingState, Lane
from pbem.transports.protocols import Arrival
from tests.correspondence import ADDRESS, Correspondence
from tests.operating.people import written
from tests.query_plans import listened, scans

LARGE = "help\n" + "x" * 70 + "\n"


def stored(
    letters: Correspondence, author: str, words: str = "help", to: str = ADDRESS, sender: str | None = None
) -> int:
    """Store a message without processing it. Return its id."""
    (number,) = letters.server.take((Arrival(written(author, to, words), "test", sender),))
    return number


def row(letters: Correspondence, number: int) -> Incoming:
    with database.read_only(letters.server.engine) as session:
        return session.get_one(Incoming, number)


def order(letters: Correspondence) -> list[int]:
    """Process the waiting messages. Return their ids in the order of processing."""
    server, handled = letters.server, []
    while (number := server.queue.claim_next()) is not None:
        server.queue.release()
        handled.append(number)
        with database.transaction(server.engine) as session:
            session.get_one(Incoming, number).state = IncomingState.DONE
    return handled


def test_players_go_first(letters: Correspondence) -> None:
    strangers = [stored(letters, f"{n}@else.example") for n in range(30)]
    alice = stored(letters, "alice@mail.example")
    personal = letters.last("bob")["Reply-To"].addresses[0].addr_spec
    elsewhere = stored(letters, "bob@at-work.example", to=personal)
    with listened(letters.server.engine) as statements:
        assert order(letters) == [alice, elsewhere, *strangers]
    assert scans(letters.server.engine, statements) == {}


@pytest.mark.parametrize("tag", ["a" * 40, "caqaaacaaaaaaioz5qrumsbm6g2ygyuuncvkuy2a", "x"])
def test_a_token_that_is_none_makes_no_player(letters: Correspondence, tag: str) -> None:
    assert row(letters, stored(letters, "x@else.example", to=f"games+{tag}@pbem.example")).lane == Lane.STRANGERS


def test_the_order_of_a_sender_is_kept_when_a_stranger_becomes_a_player(letters: Correspondence) -> None:
    first = stored(letters, "carol@mail.example", "join carol")
    letters.execute("update player set address = 'carol@mail.example' where name = 'bob'")
    second = stored(letters, "Carol <CAROL@mail.example>", "challenge alice quadraphages")
    alice = stored(letters, "alice@mail.example")
    assert order(letters) == [alice, first, second]
    assert row(letters, stored(letters, "carol@mail.example", "help")).lane == Lane.PLAYERS


@pytest.mark.slow
def test_a_stranger_s_message_is_smaller(letters: Correspondence) -> None:
    limit = letters.server.settings.limits.stranger_bytes
    words = LARGE * (limit // len(LARGE) + 1)
    big, small, alice, bounce = (
        stored(letters, "x@else.example", words),
        stored(letters, "y@else.example", "help"),
        stored(letters, "alice@mail.example", words),
        stored(letters, "mailer-daemon@else.example", words, sender=""),
    )
    assert row(letters, big).raw.endswith(b"\n\n")
    assert row(letters, big).size > limit > len(row(letters, big).raw)
    for number in (small, alice, bounce):
        assert row(letters, number).size == len(row(letters, number).raw)
    letters.server.handle_waiting()
    assert row(letters, big).verdict == "refused"
    ((told,),) = letters.execute("select payload from outgoing where address = 'x@else.example'")
    assert "larger than 250 KB" in str(told)
    assert "done" in (row(letters, small).verdict or "")


def test_the_author_of_a_message_is_forgotten_when_it_is_handled(letters: Correspondence) -> None:
    number = stored(letters, "x@else.example")
    assert row(letters, number).author == "x@else.example"
    letters.server.handle_waiting()
    assert row(letters, number).author is None
