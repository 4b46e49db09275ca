"""For bench/siege.py: pairs of people who play by mail as fast as they get answers, and the next hop for these."""

import email
import email.policy
import smtplib
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from email.message import EmailMessage
from functools import partial

from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.operating import matches
from tests.operating.people import Person, PostOffice
from tests.operating.site import ADDRESS
from tests.servers import HOST

NAMES = ("anna", "bert")
HOSTILE = ("mallory", "oscar")
"""Two who play a match so as to ask for its record."""
LOST_SECONDS = 60.0
"""A message that isn't answered by then is lost."""
THINKING_SECONDS = 0.3
"""How long a player looks at the board."""
RETRY_SECONDS = 0.2


@dataclass(frozen=True)
class Taken:
    """A message that was handed over to the next hop."""

    at: float
    recipient: str
    mail: EmailMessage

    def header(self, name: str) -> str:
        """Return a header, or an empty string."""
        return str(self.mail.get(name, ""))


class TimedOffice(PostOffice):
    """The next hop: notes when it took each message to the players, and counts the others."""

    def __init__(self, players: Collection[str]) -> None:
        super().__init__()
        self.notes: list[Taken] = []
        self.others = 0
        self._players = players
        self._came = threading.Condition()

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Take a message."""
        at = time.monotonic()
        for recipient in envelope.rcpt_tos:
            if recipient not in self._players:
                self.others += 1
                continue
            mail = email.message_from_bytes(envelope.content or b"", policy=email.policy.default)
            assert isinstance(mail, EmailMessage)
            with self._came:
                self.notes.append(Taken(at, recipient, mail))
                self._came.notify_all()
        return "250 taken"

    def await_one(self, is_it: Callable[[Taken], bool], since: int) -> Taken | None:
        """Return the first such message after that many; None if it doesn't come."""
        with self._came:
            return self._came.wait_for(lambda: next(filter(is_it, self.notes[since:]), None), LOST_SECONDS)


@dataclass(frozen=True)
class Exchange:
    """A message of a player, and what it caused."""

    what: str
    message_id: str
    delivery: float
    """The seconds until it was accepted, with all attempts."""
    answer: float | None
    """The seconds from then until all that it causes was handed over; None if something never was."""
    news: float | None
    """The same for what the other person gets."""


class Contest:
    """Two people who play match after match by mail, as fast as they get their answers."""

    def __init__(self, port: int, post: TimedOffice, names: tuple[str, str] = NAMES) -> None:
        self.exchanges: list[Exchange] = []
        self.later = 0
        """How often the listener told a player to come back later."""
        self.plies: dict[int, int] = {}
        """The number of turns that they played, by match."""
        self._post = post
        self._port = port
        self._accepted = 0.0
        self._people = tuple(Person(name, ADDRESS, self._deliver, post) for name in names)
        self.personal = [self._join(person) for person in self._people]
        self._turns = matches.sample().moves

    def play(self, end: float, most: int | None = None) -> None:
        """Play until that time, or so many matches."""
        while time.monotonic() < end:
            number = len(self.plies)
            if number == most:
                return
            first, second = self._people if number % 2 == 0 else self._people[::-1]
            challenge = partial(first.write, f"challenge {second.name} quadraphages", to=self.personal[number % 2])
            offer = self._ask("challenge", first, challenge, lambda taken: taken.header("X-PBeM-Event") == "challenge")
            if offer is None:
                continue
            match = int(offer.header("X-PBeM-Match"))
            self.plies[match] = 0
            newest = self._ask("accept", second, partial(second.answer, offer.mail, "accept"), _turn(match, 0))
            for turn in self._turns:
                if newest is None or time.monotonic() >= end:
                    break
                newest = self._move(match, newest, turn)

    def _move(self, match: int, newest: Taken, turn: str) -> Taken | None:
        """Play a turn. Return the opponent's message about it."""
        time.sleep(THINKING_SECONDS)
        to_move = newest.header("X-PBeM-To-Move")
        mover = next(person for person in self._people if person.name == to_move)
        is_it = _turn(match, self.plies[match])
        seen = next(taken for taken in self._post.notes if taken.recipient == mover.address and is_it(taken))
        self.plies[match] += 1
        return self._ask("turn", mover, partial(mover.answer, seen.mail, turn), _turn(match, self.plies[match]))

    def _join(self, person: Person) -> str:
        """Become a player. Return the personal address."""
        asked = self._ask("join", person, partial(person.write, "join " + person.name))
        assert asked is not None
        welcome = self._ask("join", person, partial(person.answer, asked.mail, "yes"))
        assert welcome is not None
        return str(welcome.mail["Reply-To"].addresses[0].addr_spec)

    def _ask(
        self, what: str, person: Person, write: Callable[[], bytes], other: Callable[[Taken], bool] | None = None
    ) -> Taken | None:
        """Send a message and wait for its answer and for what the opponent gets. Return the latter, or the answer."""
        since, began = len(self._post.notes), time.monotonic()
        message_id = str(email.message_from_bytes(write())["Message-ID"])
        accepted = self._accepted
        awaited = [lambda taken: taken.recipient == person.address and taken.header("In-Reply-To") == message_id]
        if other is not None:
            awaited.append(lambda taken: taken.recipient != person.address and other(taken))
        came = [self._post.await_one(each, since) for each in awaited]
        answer = None if None in came else max(taken.at for taken in came if taken) - accepted
        news = came[1].at - accepted if len(came) > 1 and came[1] is not None else None
        self.exchanges.append(Exchange(what, message_id, accepted - began, answer, news))
        return came[-1]

    def _deliver(self, sender: str, recipient: str, raw: bytes) -> None:
        """Deliver a message as a mail server does, which tries again when it's told to."""
        while True:
            try:
                with smtplib.LMTP(HOST, self._port, timeout=LOST_SECONDS) as lmtp:
                    lmtp.sendmail(sender, [recipient], raw)
            except (OSError, smtplib.SMTPException):
                self.later += 1
                time.sleep(RETRY_SECONDS)
            else:
                self._accepted = time.monotonic()
                return

    def doubled(self) -> list[str]:
        """Return what somebody got twice: a message, two answers to one of theirs, or two messages about one turn."""
        counted: Counter[tuple[str, ...]] = Counter()
        own = {exchange.message_id for exchange in self.exchanges}
        for taken in self._post.notes:
            counted["message", taken.header("Message-ID")] += 1
            if taken.header("In-Reply-To") in own:
                counted["answer", taken.recipient, taken.header("In-Reply-To")] += 1
            if taken.header("X-PBeM-Event") == "turn":
                counted["turn", taken.recipient, taken.header("X-PBeM-Match"), taken.header("X-PBeM-Number")] += 1
        return [" ".join(what) for what, times in counted.items() if times > 1]


def _turn(match: int, number: int) -> Callable[[Taken], bool]:
    """Return what tells a message about that position of that match."""

    def is_it(taken: Taken) -> bool:
        at = (taken.header("X-PBeM-Match"), taken.header("X-PBeM-Number"))
        return taken.header("X-PBeM-Event") in ("turn", "over") and at == (str(match), str(number))

    return is_it
