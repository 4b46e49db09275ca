"""Machines that aren't recognised as such: no matter what they reply, the exchange ends on the same day."""

from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.players.message_budgets import MOST_SAME, MOST_SAME_TO_OTHERS
from tests.correspondence import Correspondence, said, text
from tests.scenes import after, two_turns

pytestmark = after(two_turns)


ALICE = "alice@mail.example"
FEW = 5
MANY = MOST_SAME + 2
"""What a machine gets that answers with a token: each answer might be a person's, so only what is the same ends."""
SOME = MOST_SAME_TO_OTHERS + 2
"""The same for one that is no player's, or whose token doesn't come back."""


MACHINES: dict[str, Callable[[int], str]] = {
    "away": lambda n: "I am away until Monday.\n\nKind regards\nAlice",
    "a help desk": lambda n: f"Dear customer,\n\nthank you for your mail. Your ticket is #{4710 + n}.\n\nThe help desk",
    "a ticket in the first line": lambda n: f"Ticket {2007112200001 + n} was opened.\n\nWe'll be in touch.",
    "a help desk that says help": lambda n: f"Help desk closed. Your ticket: {4710 + n}",
    "a shop": lambda n: f"Move to our new shop! Voucher {n * 17:05}\n\nSee you there",
    "a list of commands": lambda n: "help",
    "nothing": lambda n: "",
    "undecided": lambda n: f"Maybe, {n}",
}


def echo(letters: Correspondence, mail: EmailMessage, words: Callable[[int], str], to: str | None = None) -> int:
    """Let a machine reply to every message to an address. Return the number of messages it got in response."""
    address, under_way, got = str(mail["To"]), [mail], 0
    while under_way and got < 2 * MANY:
        letters.clock.advance(minutes=1)
        came = letters.reply(under_way.pop(0), words(got), to=to, quote=False)
        under_way += [each for each in came if each["To"] == address]
        got += sum(each["To"] == address for each in came)
    return got


@pytest.mark.parametrize("kind", MACHINES)
def test_a_machine_at_a_player_s_address_falls_silent(letters: Correspondence, kind: str) -> None:
    assert FEW < echo(letters, letters.last("alice"), MACHINES[kind]) <= MANY
    assert any(last in said(letters.last("alice")) for last in ("we won't until", "for the last time today"))
    assert echo(letters, letters.last("bob"), MACHINES[kind], to="games@pbem.example") <= SOME


@pytest.mark.parametrize("kind", ["away", "a list of commands", "undecided"])
def test_a_machine_that_was_invited_falls_silent(letters: Correspondence, kind: str) -> None:
    letters.reply(letters.received[ALICE][1], "challenge desk@shop.example hexaphages")

    assert echo(letters, letters.received["desk@shop.example"][-1], MACHINES[kind]) <= SOME


@pytest.mark.parametrize("kind", ["away", "undecided"])
def test_a_machine_that_is_asked_something_falls_silent(letters: Correspondence, kind: str) -> None:
    (question,) = letters.write(ALICE, "say hello")
    assert echo(letters, question, MACHINES[kind]) <= MANY
    assert echo(letters, question, MACHINES[kind], to="games@pbem.example") <= SOME


@pytest.mark.parametrize("kind", ["away", "nothing"])
@pytest.mark.parametrize("to", [None, "games@pbem.example"])
def test_a_machine_at_a_new_address_falls_silent(letters: Correspondence, kind: str, to: str | None) -> None:
    (question,) = letters.reply(letters.received[ALICE][1], "change address desk@shop.example")
    letters.reply(question, "yes")

    assert echo(letters, letters.received["desk@shop.example"][-1], MACHINES[kind], to) <= SOME


def test_a_person_who_errs_in_several_ways_is_told_each_time(letters: Correspondence) -> None:
    turn = letters.last("alice")
    for wrong in ("b7b7", "b7a1 i2i2", "b7d7 i2a2", "b7d7 i2g2 1 z9", "mvoe b7", "frobnicate", "frobnicate it"):
        (answer,) = letters.reply(turn, wrong)
        assert "Nothing was done." in text(answer) or "You want to know" in text(answer)
    assert len(letters.reply(turn, "b7d7 i2g2 1 d7d6 g2g1")) == 2


def test_no_text_of_a_known_machine_is_answered_with_a_token_or_without(letters: Correspondence) -> None:
    texts = (Path(__file__).parent.parent / "phrases" / "machines.txt").read_text(encoding="utf-8").split("\n%%\n")
    token = letters.last("alice")["Reply-To"].addresses[0].addr_spec

    for number, mail in enumerate(texts):
        for to in ("games@pbem.example", token):
            head = f"To: {to}\nMessage-ID: <{number}.{len(to)}@mail.example>\n"
            assert letters.deliver(f"{head}{mail.rstrip()}\n\n".encode()) == [], mail
