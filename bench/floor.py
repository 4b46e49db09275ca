"""The floor that bench/mail.py measures against, in a process of its own with nothing of pbem in it.

Each mail of a mailbox is fetched, committed to SQLite and answered: the least that a server can do which loses
nothing. What it has to do comes as JSON in its one argument, what it did goes as JSON to standard output.
"""

import json
import smtplib
import sqlite3
import ssl
import sys
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from imapclient import IMAPClient

TOGETHER = 50
HOST = "127.0.0.1"


@dataclass(frozen=True)
class Errand:
    """Where the mails are, where replies go, how many replies a mail gets and how large they are."""

    imap: int
    user: str
    password: str
    cert: str
    smtp: int
    folder: str
    replies: int
    size: int


@dataclass(frozen=True)
class Figures:
    """What one side did: mails handled, the seconds it took, and the most memory it held, in MB."""

    mails: int
    seconds: float
    memory: float

    @property
    def rate(self) -> float:
        """Mails a second."""
        return self.mails / self.seconds


def run(errand: Errand) -> Figures:
    """Fetch, commit and answer every mail that waits."""
    reply = b"Subject: reply\r\n\r\n" + (b"x" * 70 + b"\r\n") * max(1, (errand.size - 18) // 72)
    began = time.perf_counter()
    number = 0
    with (
        closing(sqlite3.connect(Path(errand.folder) / "floor.sqlite", isolation_level=None)) as database,
        IMAPClient(HOST, errand.imap, ssl_context=ssl.create_default_context(cafile=errand.cert)) as inbox,
        smtplib.SMTP(HOST, errand.smtp) as outbox,
    ):
        database.execute("pragma journal_mode = wal")
        database.execute("pragma synchronous = full")
        database.execute("create table mail (raw blob)")
        inbox.login(errand.user, errand.password)
        if not inbox.folder_exists("Processed"):
            inbox.create_folder("Processed")
        inbox.select_folder("INBOX")
        uids = inbox.search()
        for at in range(0, len(uids), TOGETHER):
            batch = uids[at : at + TOGETHER]
            for uid in batch:
                raw = inbox.fetch([uid], ["BODY.PEEK[]"])[uid][b"BODY[]"]
                database.execute("insert into mail values (?)", (raw,))  # outside a transaction: a commit of its own
                for _ in range(errand.replies):
                    outbox.sendmail(errand.user, ["ann@mail.example"], reply)
                number += 1
            inbox.move(batch, "Processed")
        seconds = time.perf_counter() - began
    return Figures(number, seconds, peak_memory("self"))


def peak_memory(pid: int | str) -> float:
    """The most memory that a process ever held, in MB."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    print(json.dumps(asdict(run(Errand(**json.loads(sys.argv[1]))))))
