"""The baseline for bench/mail.py, in a separate process without any code of pbem.

It fetches each message of a mailbox, commits it to SQLite and replies: the least that a server which loses nothing
can do. Its one argument is an Errand as JSON; it prints Figures as JSON.
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
    """Where the messages are, where replies go, the number of replies to a message and their size in bytes."""

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
    """The results of one side: messages processed, seconds taken, and peak memory in MB."""

    mails: int
    seconds: float
    memory: float

    @property
    def rate(self) -> float:
        """Messages per second."""
        return self.mails / self.seconds


def run(errand: Errand) -> Figures:
    """Fetch, commit and reply to every waiting message."""
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
                database.execute("insert into mail values (?)", (raw,))  # autocommit
                for _ in range(errand.replies):
                    outbox.sendmail(errand.user, ["ann@mail.example"], reply)
                number += 1
            inbox.move(batch, "Processed")
        seconds = time.perf_counter() - began
    return Figures(number, seconds, peak_memory("self"))


def peak_memory(pid: int | str) -> float:
    """Return the peak memory of a process in MB."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    print(json.dumps(asdict(run(Errand(**json.loads(sys.argv[1]))))))
