"""Conversations with s-nail over real IMAP and SMTP servers, read and answered as players do.

They are about a reminder, an undo, a tree of conditional moves, a vacation and a time-out. Days pass
by moving what has happened into the past.
"""

import email
import email.policy
import os
import re
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import Engine

from pbem.storage import database
from tests.correspondence import text
from tests.docs.try_it import NEEDS, started
from tests.reliability.past import by_day, long_ago
from tests.servers import GENEROUS, REAL_CLOCK, until

pytestmark = [pytest.mark.slow, NEEDS]

SERVER = "games@game.test"
DELIVERED = re.compile(r"(\d+)\.M(\d+)P")


class Player:
    """A person at s-nail."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        self._mailbox = folder / "home" / f"{name}@game.test" / "Maildir"
        self._read: set[int] = set()

    def write(self, words: str) -> None:
        """Write a new message."""
        self._run(["-s", "hello", SERVER], f"{words}\n")

    def answer(self, number: int, words: str) -> None:
        """Reply to a message, by its number in the mailbox; s-nail quotes it above the words."""
        self._run(["-#~", "-f", self._inbox()], f"reply {number}\n{words}\n~.\nexit\n")

    def reads(self, words: str) -> int:
        """Wait for a message that was not read so far and has these words. Return its number, once s-nail shows it."""

        def found() -> int | None:
            for number, mail in enumerate(self.mails(), start=1):
                if number not in self._read and words in " ".join(text(mail).split()):
                    return number
            return None

        number = int(until(found, f"{self.name} gets a message with {words!r}", 60))
        shown = self._run(["-#", "-f", self._inbox()], f"type {number}\nexit\n")
        assert words in " ".join(shown.split())
        self._read.add(number)
        return number

    def mails(self) -> list[EmailMessage]:
        """Return the messages in the mailbox, oldest first."""
        paths = [path for name in ("new", "cur") for path in (self._mailbox / name).glob("*")]
        found = []
        for path in sorted(paths, key=_delivered):
            mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
            assert isinstance(mail, EmailMessage)
            found.append(mail)
        return found

    def _inbox(self) -> str:
        lines = (self.folder / f"{self.name}.mailrc").read_text(encoding="utf-8").splitlines()
        return next(line.removeprefix("set inbox=") for line in lines if line.startswith("set inbox="))

    def _run(self, words: list[str], typed: str) -> str:
        around = {**(REAL_CLOCK or os.environ), "MAILRC": str(self.folder / f"{self.name}.mailrc")}
        done = subprocess.run(
            ["s-nail", "-n", *words],
            input=typed,
            capture_output=True,
            text=True,
            timeout=GENEROUS,
            check=False,
            env=around,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def _delivered(path: Path) -> tuple[int, ...]:
    found = DELIVERED.match(path.name)
    assert found is not None
    return tuple(map(int, found.groups()))


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with started("imap") as place:
        yield place


@pytest.fixture(scope="module")
def people(folder: Path) -> tuple[Player, Player]:
    """Let alice and bob join."""
    both = Player(folder, "alice"), Player(folder, "bob")
    for one in both:
        one.write(f"join {one.name}")
        one.answer(one.reads("If it was you, reply"), "yes")
        one.reads(f"Welcome, {one.name}!")
    return both


@pytest.fixture(scope="module")
def engine(folder: Path) -> Iterator[Engine]:
    engine = database.connect(f"sqlite:///{folder}/pbem.sqlite")
    yield engine
    engine.dispose()


WELCOME = 2
"""The number of the message whose reply address is a player's own."""


def test_a_conversation(people: tuple[Player, Player], engine: Engine) -> None:
    alice, bob = people
    by_day(engine, int(subprocess.check_output(["date", "-u", "+%H"], env=REAL_CLOCK)))
    alice.answer(WELCOME, "challenge bob quadrature time=3d/move")
    bob.answer(bob.reads("alice challenges you"), "accept")
    alice.answer(alice.reads("Your turn against bob"), "e3f4")
    bob.answer(bob.reads("alice played e3f4."), "e9f8")
    turn = alice.reads("bob played e9f8.")

    # Taking a turn back
    alice.answer(turn, "c3c4")
    slip = alice.reads("You played c3c4.")
    bob.reads("alice played c3c4.")
    alice.answer(slip, "undo\n\nI meant another man, sorry.")
    bob.answer(bob.reads("alice has asked to take back c3c4."), "accept")
    turn = alice.reads("Taken back, as agreed: c3c4.")

    # A tree of conditional moves
    alice.answer(turn, "b3b4\nif b9b8 then c3c4 then if c9c8 then d3d4\nelse b4b5")
    alice.reads("Prepared in match #1")
    turn = bob.reads("alice played b3b4.")

    # A reminder
    long_ago(engine, 1, timedelta(hours=40))
    reminder = bob.reads("This is a reminder")
    bob.answer(reminder, "b9b8")
    bob.reads("c3c4")
    alice.reads("c3c4")

    # A vacation
    bob.answer(WELCOME, "vacation 10d")
    bob.reads("You're on vacation until")
    alice.reads("bob is on vacation")
    bob.answer(WELCOME, "vacation off")
    bob.reads("Your vacation is over")

    # A time-out
    long_ago(engine, 1, timedelta(days=4))
    alice.answer(alice.reads("has run out of time"), "claim")
    alice.reads("You won!")
    bob.reads("you ran out of time")
