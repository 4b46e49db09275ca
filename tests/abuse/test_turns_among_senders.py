"""Messages that are owed go out in turn, one for each who caused them: who causes many delays their own."""

from pbem.mail.transports.protocols import Arrival
from tests.correspondence import ADDRESS, Correspondence, text
from tests.operating.people import written
from tests.scenes import after, two_turns

pytestmark = after(two_turns)
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


def test_a_turn_goes_out_before_what_takes_long(letters: Correspondence) -> None:
    """Before, up to sixteen records were drawn before the first message of them went out."""
    to = letters.last("alice")["Reply-To"].addresses[0].addr_spec
    asked = {name: letters.join(name) for name in ("carol", "dave", "erin", "frank")}
    lines = {"carol": "help", "dave": "games", "erin": "whois bob", "frank": "standings\nhelp"}
    mails = [written(f"{name}@mail.example", personal, lines[name]) for name, personal in asked.items()]
    mails.append(written("bob@mail.example", ADDRESS, "show"))
    for raw in (*mails, written("alice@mail.example", to, TURN)):
        letters.server.take((Arrival(raw, "test"),))
        letters.server.handle_waiting()
    before = len(letters.log)

    assert letters.server.sender.send_next() == 4, "alone after the short ones"
    letters.wait()
    out = [str(mail["To"]).partition("@")[0] for direction, mail in letters.log[before:] if direction == "out"]
    assert out == ["carol", "bob", "alice", "dave", "erin", "frank", "bob"]
