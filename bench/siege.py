"""A siege: two people play match after match while fifty connections send hostile mail, in 512 MB of memory.

Run `make siege`, as root, or where a group with limited memory can be made:

    systemd-run --user --scope -p Delegate=yes make siege

The daemon runs as under its unit: in a group of processes with limited memory, with its parser processes, a database in
an SQLite file, an LMTP listener with the default limits, and an SMTP server to which it sends. First the two play
alone, for comparison, then the attackers (bench/attackers.py) come too: strangers, forgers, and a hostile player with a
token. Other programs keep the processors busy meanwhile. Each message of the players goes through the same listener and
is timed from its "250" until the last message that it causes has been handed over: the answer, and for a turn also the
opponent's, which is timed by itself, too. At the end, the database is compared with what was played.

The exit code is 1 if one of the players' messages was not answered or answered twice, if their turns took longer than
aimed at, or if the daemon ended, or it or a parser was killed for memory; 2 if no such group can be made here.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench import performance
from bench.contest import HOSTILE, NAMES, Contest, Exchange, TimedOffice
from bench.memory_group import MemoryGroup, Unavailable, memory_group
from pbem.storage.models import Lane
from tests.operating.site import Site, environment, smtp_out
from tests.servers import free_port, listens, until

ATTACKERS = Path(__file__).with_name("attackers.py")
AIM = (2.0, 5.0)
"""After how many seconds the opponent has a turn: the median, and the 99th percentile."""
MEGABYTE = 1 << 20
SAMPLE_SECONDS = 0.5
"""How often to look at the memory, and at whether the daemon still runs."""
START_SECONDS = 60.0
MORE_MATCHES = "[limits]\nmatches_per_player = 10000\n"
PROGRAM = """
from pbem.cli import main
from pbem.players import invitations
invitations.CHALLENGES_PER_DAY = invitations.CHALLENGES_PER_PAIR = 10_000
main()
"""
"""The daemon, but for two limits: the players play more matches in their minutes than anybody does in a day."""


class Daemon:
    """A daemon that is started again whenever it ends, as its unit does it."""

    def __init__(self, site: Site, group: MemoryGroup, port: int) -> None:
        self.restarts = 0
        self.anonymous = 0
        """The maximum of memory in use, in bytes, without cached files."""
        self._site = site
        self._group = group
        self._port = port
        self._ends = threading.Event()
        self._process = self._started()
        until(lambda: listens(port), "the daemon listens", START_SECONDS)
        self._watching = threading.Thread(target=self._watch)
        self._watching.start()

    def end(self) -> None:
        """Let it stop in good order."""
        self._ends.set()
        self._watching.join()
        self._process.terminate()
        self._process.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-P", "-c", PROGRAM, "run"]
        with (self._site.folder / "log").open("ab") as log:
            return subprocess.Popen(
                self._group.command(words), cwd=self._site.folder, env=environment(), stdout=log, stderr=log
            )

    def _watch(self) -> None:
        while not self._ends.wait(SAMPLE_SECONDS):
            self.anonymous = max(self.anonymous, self._group.anonymous())
            if self._process.poll() is not None:
                self.restarts += 1
                self._process = self._started()


@dataclass(frozen=True)
class Outcome:
    """What came of a siege."""

    alone: list[Exchange]
    besieged: list[Exchange]
    replies: dict[str, int]
    """How many replies of each kind the attackers got."""
    facts: dict[str, str]
    faults: list[str]


def besiege(group: MemoryGroup, given: argparse.Namespace, progress: Progress) -> Outcome:
    """Run the server, the players and the attackers."""
    port = free_port()
    addresses = [f"{name}@mail.example" for name in NAMES]
    with ExitStack() as stack:
        post = stack.enter_context(TimedOffice([*addresses, *(f"{name}@mail.example" for name in HOSTILE)]))
        site = Site(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="siege", dir=given.folder))) / "site")
        site.configure(f"[inbox.lmtp]\nport = {port}\n{MORE_MATCHES}", smtp_out(post.port))
        site.make()
        with running(site, group, port) as daemon:
            hostile = Contest(port, post, HOSTILE)
            hostile.play(time.monotonic() + START_SECONDS, 1)
            contest = Contest(port, post)
            with shown(progress, "the two alone", given.alone):
                contest.play(time.monotonic() + given.alone)
            alone = len(contest.exchanges)
            for _ in range(given.busy):
                stack.callback(subprocess.Popen([sys.executable, "-c", "while True: pass"]).kill)
            limits = (port, given.seconds, given.connections, given.rate, given.kind)
            words = [sys.executable, "-P", str(ATTACKERS), *map(str, (*limits, hostile.personal[0], *hostile.plies))]
            attackers = subprocess.Popen([*words, *addresses], stdout=subprocess.PIPE, text=True)
            stack.callback(attackers.kill)
            with shown(progress, "besieged", given.seconds):
                contest.play(time.monotonic() + given.seconds)
            replies: dict[str, int] = json.loads(attackers.communicate()[0])
            facts = facts_of(site, group, daemon)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        facts |= {
            "messages handed over to others": str(post.others),
            "players told to come back later": str(contest.later),
            "CPU of the daemon and its parsers": f"{spent:.0f} s; load of the machine {os.getloadavg()[0]:.1f}",
        }
        faults = [
            *differences({**hostile.plies, **contest.plies}, site),
            *(f"twice: {what}" for what in contest.doubled()),
        ]
        keep(site, given.log)
    if daemon.restarts or group.kills():
        faults.append(f"the daemon ended {daemon.restarts} times, {group.kills()} processes were killed")
    exchanges = contest.exchanges[:alone], contest.exchanges[alone:]
    faults += [f"not answered: {each.what} {each.message_id}" for each in exchanges[1] if each.answer is None]
    median, last, _ = spread(turns(exchanges[1]))
    if median > AIM[0] or last > AIM[1]:
        faults.append(f"turns reach the opponent after {median:.1f} s at the median, {last:.1f} s at p99")
    return Outcome(*exchanges, replies, facts, faults)


@contextmanager
def running(site: Site, group: MemoryGroup, port: int) -> Iterator[Daemon]:
    """Run the daemon."""
    daemon = Daemon(site, group, port)
    try:
        yield daemon
    finally:
        daemon.end()


@contextmanager
def shown(progress: Progress, what: str, seconds: float) -> Iterator[None]:
    """Show how the time passes."""
    task, over = progress.add_task(what, total=seconds), threading.Event()

    def advance() -> None:
        while not over.wait(1.0):
            progress.advance(task)

    clock = threading.Thread(target=advance)
    clock.start()
    try:
        yield
    finally:
        over.set()
        clock.join()
        progress.update(task, completed=seconds)


def facts_of(site: Site, group: MemoryGroup, daemon: Daemon) -> dict[str, str]:
    """Return what the group and the database say."""
    stored = dict(site.rows("select lane, count(*) from incoming group by lane"))
    waiting = dict(site.rows("select lane, count(*) from incoming where state = 'new' group by lane"))
    size = site.rows("select coalesce(sum(length(raw)), 0) from rawmessage")[0]
    by_lane = (f"{lane.name.lower()} {stored.get(lane, 0)} ({waiting.get(lane, 0)} waiting)" for lane in Lane)
    return {
        "stored in each queue": ", ".join(by_lane) + f"; {size / MEGABYTE:.0f} MB",
        "peak memory": f"{daemon.anonymous / MEGABYTE:.0f} MB; {group.peak() / MEGABYTE:.0f} MB with cached files",
        "killed for memory": str(group.kills()),
        "restarts": str(daemon.restarts),
    }


def turns(exchanges: list[Exchange]) -> list[float]:
    """Return after how many seconds each turn had reached the opponent, in order."""
    return sorted(each.news for each in exchanges if each.what == "turn" and each.news is not None)


def differences(plies: dict[int, int], site: Site) -> list[str]:
    """Return where the database isn't what the players played."""
    stored = dict(site.rows("select match, count(*) from ply group by match"))
    played = {match: number for match, number in plies.items() if number}
    return [] if stored == played else [f"the players played {played}, stored are {stored}"]


def keep(site: Site, path: Path | None) -> None:
    """Copy the log of the daemon if that is wanted."""
    if path is not None:
        path.write_bytes((site.folder / "log").read_bytes())


def report(outcome: Outcome) -> None:
    """Print the tables, and a line for scripts."""
    console = Console(width=100)
    times = Table("the players' messages", "number", "p50, s", "p99, s", "max, s", "accepted after, p50", "max, s")
    figures = {}
    for name, exchanges in (("alone", outcome.alone), ("besieged", outcome.besieged)):
        answers = sorted(exchange.answer for exchange in exchanges if exchange.answer is not None)
        deliveries = sorted(exchange.delivery for exchange in exchanges)
        cells = [*spread(answers), spread(deliveries)[0], spread(deliveries)[2]]
        times.add_row(name, str(len(exchanges)), *(f"{cell:.2f}" for cell in cells))
        figures[name] = [len(exchanges), *(round(cell, 3) for cell in cells)]
        figures[f"{name}, turns"] = [len(turns(exchanges)), *(round(cell, 3) for cell in spread(turns(exchanges)))]
        times.add_row(
            f"{name}: turns, to the opponent",
            str(len(turns(exchanges))),
            *(f"{cell:.2f}" for cell in spread(turns(exchanges))),
        )
    console.print(times)
    rest = Table("the siege", "")
    for reply, number in sorted(outcome.replies.items()):
        rest.add_row(f"attackers: {reply}", str(number))
    for fact, told in outcome.facts.items():
        rest.add_row(fact, told)
    console.print(rest)
    for fault in outcome.faults[:20]:
        console.print(fault, style="red")
    aim = "aim: every message answered once, turns at the opponent within {:g} s at p50 and {:g} s at p99:"
    console.print(aim.format(*AIM), "missed" if outcome.faults else "reached")
    print("bench-siege " + json.dumps(figures | {"replies": outcome.replies, "faults": len(outcome.faults)}))


def spread(sides: list[float]) -> tuple[float, float, float]:
    """Return the median, the 99th percentile and the maximum."""
    if len(sides) < 2:
        return (sides[0],) * 3 if sides else (0.0,) * 3
    cuts = quantiles(sides, n=100, method="inclusive")
    return cuts[49], cuts[98], sides[-1]


def main() -> None:
    """Besiege and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=300, help="how long the siege takes (300)")
    parser.add_argument("--alone", type=int, default=20, help="how long the two play alone before (20)")
    parser.add_argument("--connections", type=int, default=50, help="how many connections attack (50)")
    parser.add_argument(
        "--rate", type=int, default=500, help="how many messages they send a minute; 0: all they can (500)"
    )
    parser.add_argument(
        "--kind", default="all", help="what all of them do: forms, joins, lines, slow, drops, forged, token (all)"
    )
    parser.add_argument("--busy", type=int, default=3, help="how many programs keep the processors busy (3)")
    parser.add_argument("--megabytes", type=int, default=512, help="the memory of the daemon and its parsers (512)")
    parser.add_argument("--folder", help="where to make the database: on a disk, as a server has it")
    parser.add_argument("--log", type=Path, help="where to copy the daemon's log")
    performance.add_option(parser)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the daemon and its group must not stay behind
    try:
        with memory_group(given.megabytes * MEGABYTE) as group, Progress() as progress:
            outcome = besiege(group, given, progress)
    except Unavailable as problem:
        print(f"The memory of a group of processes can't be limited here: {problem}.", file=sys.stderr)
        sys.exit(2)
    report(outcome)
    taken = zip(("median", "99th percentile"), spread(turns(outcome.besieged)), AIM, strict=False)
    rows = [
        performance.compared("siege", f"a turn reaches the opponent: {name}", took, aim, "<= 1", form="{:.2f} s")
        for name, took, aim in taken
    ]
    performance.report(rows, published=given.publish)
    sys.exit(1 if outcome.faults else 0)


if __name__ == "__main__":
    main()
