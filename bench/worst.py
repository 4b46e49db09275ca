"""What one message costs at most: CPU time of the parser and of the daemon, for every hostile message of the tests.

Run `make bench`. Each message is delivered to a server as a player's reply, as large as that may be, and handled until
everything that follows has been sent. CPU time depends on the machine and on who else uses it, so it is compared with
that of 900 KB of plain words in the same run; the aim is half a second. `--stranger` lists what is parsed of the same
messages if a stranger sends them. `--publish` stores what the worst one costs.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NoReturn, TypeVar

import structlog
from rich.console import Console
from rich.table import Table

from bench import performance
from bench.performance import Row
from pbem.config import ChecksSettings
from pbem.mail.reading.authentication import Checked
from pbem.mail.reading.limits import LARGEST_OF_STRANGERS
from pbem.mail.reading.message import Message
from pbem.mail.reading.protocol import InProcessParser
from pbem.mail.reading.text.ours import NOBODY, Ours
from tests.correspondence import Correspondence, correspondence
from tests.hostile import HEAD, MAILS, filled
from tests.pbem.conftest import two_turns

PROSE = HEAD + b"\n" + filled(b"I think that this square is the best one for you.\nAnd so it goes on, my friend.\n\n")
PERSON = HEAD + b"\nc4d4\n\nOn Mon, 2 Mar 2026 at 09:59, PBeM <games@pbem.example> wrote:\n" + b"> . . O . . X .\n" * 40
RUNS = 2
"""How often each is measured; the cheaper run counts."""
AIM_MS = 500

Result = TypeVar("Result")


class TimedParser(InProcessParser):
    """A parser that knows how much CPU time it has taken."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def read(self, raw: bytes, sender: str | None, recipients: tuple[str, ...], ours: Ours = NOBODY) -> Message:
        """See MailParser."""
        return self._timed(lambda: super(TimedParser, self).read(raw, sender, recipients, ours))

    def is_final(self, raw: bytes) -> bool:
        """See MailParser."""
        return self._timed(lambda: super(TimedParser, self).is_final(raw))

    def check(self, raw: bytes, ours: str, settings: ChecksSettings, now: datetime) -> Checked:
        """See MailParser."""
        return self._timed(lambda: super(TimedParser, self).check(raw, ours, settings, now))

    def _timed(self, act: Callable[[], Result]) -> Result:
        before = time.process_time()
        try:
            return act()
        finally:
            self.seconds += time.process_time() - before


@dataclass(frozen=True)
class Cost:
    """What it cost to handle a message."""

    name: str
    size: int
    parser: float
    daemon: float
    verdict: str

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.parser + self.daemon


class Desk:
    """Delivers messages and measures what they cost."""

    def __init__(self, letters: Correspondence, parser: TimedParser, most: int | None) -> None:
        self._letters, self._parser, self._most = letters, parser, most
        self._to = letters.last("alice")["Reply-To"].addresses[0].addr_spec.encode()
        self._sent = 0

    def cost(self, name: str, raw: bytes) -> Cost:
        """Return what it costs at least; each run is another message."""
        return min((self._handled(name, raw) for _ in range(RUNS)), key=lambda each: each.seconds)

    def _handled(self, name: str, raw: bytes) -> Cost:
        self._sent += 1
        raw = raw.replace(b"Message-ID: <1@", b"Message-ID: <%d@" % self._sent, 1)
        if self._most is None:
            raw = raw.replace(b"To: games@pbem.example\n", b"To: " + self._to + b"\n", 1)
        else:
            raw = raw.replace(b"alice@", b"mallory%d@" % self._sent)[: self._most]
        self._letters.clock.advance(hours=30)
        self._parser.seconds, before = 0.0, time.process_time()
        self._letters.deliver_unread(raw)
        spent = time.process_time() - before
        ((verdict,),) = self._letters.execute("select verdict from incoming order by id desc limit 1")
        return Cost(name, len(raw), self._parser.seconds, spent - self._parser.seconds, str(verdict))


def _drop(_logger: object, _name: str, _event: object) -> NoReturn:
    raise structlog.DropEvent


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listed", type=int, default=10, help="how many of the worst to list (10)")
    parser.add_argument("--stranger", action="store_true", help="as a stranger sends them")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only those whose names contain this")
    performance.add_option(parser)
    given = parser.parse_args()
    structlog.configure(processors=[_drop])
    timed = TimedParser()
    most = LARGEST_OF_STRANGERS if given.stranger else None
    with tempfile.TemporaryDirectory(prefix="worst") as folder, correspondence(Path(folder), parser=timed) as letters:
        letters.play(two_turns)
        desk = Desk(letters, timed, most)
        desk.cost("", PERSON)  # import and compile what is needed
        person, prose = desk.cost("a person's turn", PERSON), desk.cost("plain words", PROSE)
        chosen = [name for name in MAILS if not given.names or any(each in name for each in given.names)]
        found = sorted((desk.cost(name, MAILS[name]()) for name in chosen), key=lambda each: -each.seconds)
    table = Table("the message", "KB", "CPU, ms", "of the parser", "of plain words", "verdict")
    for each in (person, prose, *found[: given.listed]):
        times = (f"{1000 * each.seconds:.0f}", f"{1000 * each.parser:.0f}", f"{each.seconds / prose.seconds:.1f}")
        table.add_row(each.name, f"{each.size / 1024:.0f}", *times, each.verdict[:32])
    Console(width=120).print(table)
    performance.report(list(_rows(found[0], prose, len(found))), published=given.publish)


def _rows(worst: Cost, prose: Cost, number: int) -> Iterator[Row]:
    """Yield what the worst of that many messages costs, compared with the aim and with plain words."""
    what = f"the worst of {number} hostile messages: CPU of parser and daemon"
    for base, aim in ((AIM_MS, "<= 1"), (1000 * prose.seconds, "")):
        beside = "" if aim else ", to plain words"
        yield performance.compared("worst", f"{what}{beside}", 1000 * worst.seconds, base, aim, form="{:.0f} ms")


if __name__ == "__main__":
    main()
