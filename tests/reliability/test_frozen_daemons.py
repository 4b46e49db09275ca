"""A daemon that is frozen, not dead, loses its locks; one that is only busy keeps them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from pbem.storage import database
from pbem.storage.locks import Locks
from tests.operating.daemons import Daemon
from tests.operating.site import FOLDER_OUT, LMTP_IN, Site
from tests.postgres import Postgres
from tests.servers import until

pytestmark = [pytest.mark.slow, pytest.mark.own_database]

HOLDER = """
import sys, threading
from pbem.storage import database, locks
locks.IDLE_SECONDS = 20
held = locks.Locks(database.connect(sys.argv[1]))
assert held.try_acquire("mail 1")
while True:
    for _ in range(50):
        held.keep()
        threading.Event().wait(0.1)
    print("kept", flush=True)
"""


def test_a_frozen_process_loses_its_locks_and_a_busy_one_keeps_them(postgres: Postgres) -> None:
    url = postgres.database()
    ours = Locks(database.connect(url))
    with subprocess.Popen([sys.executable, "-c", HOLDER, url], stdout=subprocess.PIPE) as theirs:
        try:
            assert theirs.stdout
            assert theirs.stdout.readline() == b"kept\n"
            assert not ours.try_acquire("mail 1")
            os.kill(theirs.pid, signal.SIGSTOP)
            until(lambda: ours.try_acquire("mail 1"), "the lock is free")
            os.kill(theirs.pid, signal.SIGCONT)
            assert theirs.wait(110) == 1  # it is told
        finally:
            theirs.kill()
            ours.close()


def test_a_thread_is_told_that_its_locks_are_gone(postgres: Postgres) -> None:
    url = postgres.database()
    ours, admin = Locks(database.connect(url)), Locks(database.connect(url))
    assert ours.try_acquire("mail 1")
    (session,) = ours.query(text("SELECT pg_backend_pid()"))
    admin.query(text("SELECT pg_terminate_backend(:session)"), session=session)
    with pytest.raises(DBAPIError):
        ours.keep()
    with pytest.raises(DBAPIError):
        ours.try_acquire("mail 2")
    assert ours.try_acquire("mail 2")
    ours.close()
    admin.close()


def test_a_daemon_keeps_the_sessions_of_its_locks(tmp_path: Path, postgres: Postgres) -> None:
    site = Site(tmp_path / "site")
    site.database = postgres.migrated()
    site.configure(LMTP_IN, FOLDER_OUT)
    daemon = Daemon(site)
    try:
        daemon.ready()
        kept = (
            "select count(*) from pg_stat_activity where application_name = current_setting('application_name')"
            " and query like '%keeps its locks%' and pid <> pg_backend_pid()"
        )
        until(lambda: site.rows(kept) >= [1], "a session is kept")
    finally:
        daemon.kill()
