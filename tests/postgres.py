"""A real PostgreSQL of our own, in a folder of its own, on a free port; an empty place for whoever asks."""

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import HOST, free_port, missing


class Postgres:
    """The server; it refuses to be run by root."""

    def __init__(self) -> None:
        programs = _programs()
        if programs is None:
            missing("PostgreSQL", "postgresql")
            raise AssertionError
        self._programs = programs
        self._folder, self._port = Path(tempfile.mkdtemp(prefix="pg")), free_port()
        self._as_other = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
        if self._as_other:
            os.chown(self._folder, pwd.getpwnam("nobody").pw_uid, -1)
        self._numbers = itertools.count(1)
        self._run("initdb", "-D", self._data, "-A", "trust", "-U", "pbem", "-E", "UTF8", "--no-sync")
        self.start()

    def database(self) -> str:
        """The URL of a place without tables: a schema of its own, which is made and removed faster than a database."""
        name = f"case{next(self._numbers)}"
        where = ("-h", HOST, "-p", str(self._port), "-U", "pbem")
        self._run("psql", *where, "-q", "-c", f"create schema {name}", "postgres")
        return f"postgresql+psycopg://pbem@{HOST}:{self._port}/postgres?options=-csearch_path%3D{name}"

    def start(self) -> None:
        """Take connections."""
        # Without fsync: what is rehearsed here are crashes of programs, which the system's cache survives.
        options = f"-k {self._folder} -p {self._port} -h {HOST} -c fsync=off"
        self._run("pg_ctl", "-D", self._data, "-w", "-l", str(self._folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        """End at once, every connection with it, as a crash does."""
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "stop")

    def remove(self) -> None:
        """Stop, and leave nothing."""
        self.stop()
        shutil.rmtree(self._folder)

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    def _run(self, program: str, *words: str) -> None:
        command = [*self._as_other, str(self._programs / program), *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self._folder)


def _programs() -> Path | None:
    """Where initdb and pg_ctl are; Debian keeps them out of the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    on_path = shutil.which("pg_ctl")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    server = Postgres()
    yield server
    server.remove()
