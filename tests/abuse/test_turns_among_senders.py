"""Messages that are owed go out in turn, one for each who caused them: who causes many delays their own."""

import pytest

from pbem.transports.protocols import Arrival
from tests.correspondence import Correspondence, text
from tests.operating.people import written

pytestmark = pytest.mark.sql
TURN = "b7b5 i2i4 1 b5b4 i4i5"


def test_a_turn_goes_out_before_the_many_answers_that_somebody_else_asked_for(letters: Correspondence) -> None:
    """The second answer to mallory waits for the first to everybody else."""
    personal = letters.join("mallory")
    board = letters.last("alice")
    to = board["Reply-To"].addresses[0].addr_spec
    mails = [written("mallory@mail.example", personal, f"help\nshow {number}") for number in range(20)]
    for raw in (*mails, written("alice@mail.example", to, TURN)):
        letters.server.take((Arrival(raw, "test"),))
        letters.server.handle_waiting()
    before = len(letters.log)

    letters.wait()

    out = [str(mail["To"]) for direction, mail in letters.log[before:] if direction == "out"]
    assert set(out[:3]) == {"mallory@mail.example", "alice@mail.example", "bob@mail.example"}
    assert len(out) == 22
    assert TURN in text(letters.last("bob"))
