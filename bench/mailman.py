"""GNU Mailman 3 as it comes, for bench/mail.py: what its answer to "help" and a post to two members cost.

It runs from an environment of its own (`make .venv/mailman/ready`) with an SQLite file, takes messages by its LMTP
runner, and sends to the same server as ours. Whatever it doesn't need for that is off: archives and its REST service.
It polls its queues once a second, so messages are delivered together, and what its processes use while idle for as
long is subtracted. Both are in its favour: our messages come one by one.
"""

import os
import smtplib
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import processes
from bench.stamped_sink import StampedSink
from tests.operating.people import written
from tests.servers import HOST, free_port, listens, until

BIN = Path(__file__).parent.parent / ".venv" / "mailman" / "bin"
PATIENCE_SECONDS = 120.0
FIRST = 20
"""Messages before the measurement."""
IDLE_SECONDS, LAST_SECONDS = 20.0, 3.0
"""How long its idle processes are watched, and how long after the last message the others are still counted."""
LIST = "games@lists.example"
MEMBERS = ("ann@mail.example", "bob@mail.example")
CONFIG = """\
[mailman]
layout: bench
site_owner: owner@lists.example
[paths.bench]
var_dir: {folder}
bin_dir: {bin}
[mta]
incoming: mailman.mta.null.NullMTA
lmtp_host: {host}
lmtp_port: {lmtp}
smtp_host: {host}
smtp_port: {smtp}
[database]
class: mailman.database.sqlite.SQLiteDatabase
url: sqlite:///{folder}/mailman.db
[runner.rest]
start: no
[archiver.prototype]
enable: no
"""


@dataclass(frozen=True)
class Errand:
    """Messages of one kind: from whom, to which address, and their text."""

    sender: str
    to: str
    text: str


HELP = Errand("carol@mail.example", "games-request@lists.example", "help\n")
POST = Errand(MEMBERS[0], LIST, "c4c5 d2\n" * 20)
"""Its two copies are one message with two recipients."""


def cost(errand: Errand, number: int) -> float:
    """Return how many milliseconds of CPU a message costs all its processes together."""
    with (
        StampedSink() as sink,
        tempfile.TemporaryDirectory(prefix="mailman") as folder,
        _running(Path(folder), sink.port) as (lmtp, pid),
    ):
        _deliver(errand, FIRST, lmtp, sink)
        idle = processes.cpu_seconds(pid)
        time.sleep(IDLE_SECONDS)
        idle = (processes.cpu_seconds(pid) - idle) / IDLE_SECONDS
        began, before = time.monotonic(), processes.cpu_seconds(pid)
        _deliver(errand, number, lmtp, sink)
        spent = processes.cpu_seconds(pid) - before - idle * (time.monotonic() - began)
        return 1000 * spent / number


def _deliver(errand: Errand, number: int, lmtp: int, sink: StampedSink) -> None:
    """Deliver so many messages, and wait until what follows from them has arrived and is tidied up."""
    with smtplib.LMTP(HOST, lmtp, timeout=PATIENCE_SECONDS) as client:
        for _ in range(number):
            raw = written(errand.sender, errand.to, errand.text, Subject=errand.text.split()[0])
            client.sendmail(errand.sender, [errand.to], raw)
    for _ in range(number):
        sink.next()
    time.sleep(LAST_SECONDS)


@contextmanager
def _running(folder: Path, smtp: int) -> Iterator[tuple[int, int]]:
    """Run Mailman with a list of two members. Yield its port for LMTP and the process that started all its others."""
    lmtp, config = free_port(), folder / "mailman.cfg"
    config.write_text(CONFIG.format(folder=folder, bin=BIN, host=HOST, lmtp=lmtp, smtp=smtp), encoding="utf-8")
    environment = os.environ | {"MAILMAN_CONFIG_FILE": str(config)}
    for words, given in (["create", LIST], ""), (["addmembers", "-W", "-", LIST], "\n".join(MEMBERS)):
        command = [BIN / "mailman", "--run-as-root", *words]
        subprocess.run(command, env=environment, input=given, text=True, check=True, stdout=subprocess.DEVNULL)
    with (folder / "log").open("wb") as log:
        master = subprocess.Popen([BIN / "master"], env=environment, stdout=log, stderr=log)
    try:
        until(lambda: listens(lmtp), "Mailman listens", PATIENCE_SECONDS)
        yield lmtp, master.pid
    finally:
        master.terminate()
        master.wait()
