"""A real PostgreSQL server in its own folder, on a free port, with a schema for each test."""

import fcntl
import itertools
import json
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine
from sqlmodel import SQLModel

from pbem.storage import database
from tests.servers import HOST, free_port, missing

TEMPLATE = "template_of_cases"


class Postgres:
    """The server. It refuses to run as root, so root runs it as nobody."""

    def __init__(self, *, syncs: bool = False) -> None:
        found = programs()
        if found is None:
            missing("PostgreSQL", "postgresql")
            raise AssertionError
        self._programs = found
        self._numbers = itertools.count(1)
        self._free: list[str] = []
        self._as_other = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
        # Tests only crash programs, not the machine, and the system's cache survives that without fsync.
        self._settings = " -c max_connections=300" + ("" if syncs else " -c fsync=off")
        self._folder, self._port = self._placed()

    def _placed(self) -> tuple[Path, int]:
        """Start a server. Return its folder and its port."""
        self._folder, self._port = Path(tempfile.mkdtemp(prefix="pg")), free_port()
        if self._as_other:
            os.chown(self._folder, pwd.getpwnam("nobody").pw_uid, -1)
        self._run("initdb", "-D", self._data, "-A", "trust", "-U", "pbem", "-E", "UTF8", "--no-sync")
        self.start()
        return self._folder, self._port

    def database(self) -> str:
        """Return the URL of a new schema without tables; creating a schema is faster than creating a database."""
        name = self._next("case")
        self._execute(f"create schema {name}")
        return self._url(name)

    def elsewhere(self, url: str) -> str:
        """Return the URL of another, empty database, with a schema of the same name as that one's."""
        name, schema = self._next("other"), _name(url)
        self._execute(f"create database {name}")
        other = url.replace("/postgres?", f"/{name}?")
        engine = create_engine(other)
        with engine.begin() as connection:
            connection.exec_driver_sql(f"create schema {schema}")
        engine.dispose()
        return other

    def migrated(self) -> str:
        """Return the URL of a schema that only has what the migrations created.

        To make its tables takes PostgreSQL ten times as long as to empty one that is used no more.
        """
        while self._free:
            url = self._free.pop()
            if not self._is_used(url) and self._shape(_name(url)) == self._shape(TEMPLATE):
                self._copy(TEMPLATE, _name(url))
                return url
        name = self._next("case")
        self._execute(self._tables.replace(TEMPLATE, name))
        return self._url(name)

    def give_back(self, url: str) -> None:
        """Let the schema be used again, once nobody is connected to it any more."""
        self._free.append(url)

    def _is_used(self, url: str) -> bool:
        with self._engine.connect() as connection:
            who = (_name(url),)
            found = connection.exec_driver_sql("select 1 from pg_stat_activity where application_name = %s", who)
            return found.first() is not None

    def _shape(self, schema: str) -> tuple[Any, ...]:
        """Return what tells apart a schema whose tables or version a test has changed."""
        names = (
            "select md5(string_agg(concat(relname, attname, atttypid, attnotnull), ' ' order by relname, attnum))"
            " from pg_attribute join pg_class on pg_class.oid = attrelid"
            " where relnamespace = %s::regnamespace and not attisdropped"
        )
        with self._engine.connect() as connection:
            shape = connection.exec_driver_sql(names, (schema,)).one()
            if not connection.exec_driver_sql("select to_regclass(%s)", (f"{schema}.alembic_version",)).scalar():
                return (*shape, None)
            return (*shape, *connection.exec_driver_sql(f"select version_num from {schema}.alembic_version").all())

    def keep(self, engine: Engine) -> str:
        """Copy all rows to a schema that nothing else uses, and return its name."""
        kept = self._next("kept")
        self._execute(self._tables.replace(TEMPLATE, kept))
        self._copy(_schema(engine), kept)
        return kept

    def put_back(self, kept: str, engine: Engine) -> None:
        """Replace all rows with the kept ones."""
        self._copy(kept, _schema(engine))

    def _next(self, kind: str) -> str:
        """Return the name of a new schema; several processes may share the server."""
        return f"{kind}{os.getpid()}_{next(self._numbers)}"

    def _copy(self, source: str, target: str) -> None:
        tables = [table.name for table in SQLModel.metadata.sorted_tables]
        script = [f'delete from {target}."{name}"' for name in reversed(tables)]
        script += [f'insert into {target}."{name}" select * from {source}."{name}"' for name in tables]
        script += [
            f"select setval(pg_get_serial_sequence('{target}.{name}', 'id'), last_value, is_called)"
            f" from {source}.{name}_id_seq"
            for name in (table.name for table in SQLModel.metadata.sorted_tables if "id" in table.columns)
        ]
        self._execute(";\n".join(script))

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        options = f"-k {self._folder} -p {self._port} -h {HOST}{self._settings}"
        self._run("pg_ctl", "-D", self._data, "-w", "-l", str(self._folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        """Stop at once, closing every connection, as in a crash."""
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "stop")

    @property
    def process(self) -> int:
        """The id of the process from which all others of the server stem."""
        return int(Path(self._data, "postmaster.pid").read_text(encoding="ascii").splitlines()[0])

    def remove(self) -> None:
        """Stop the server and delete its folder."""
        self._engine.dispose()
        self.stop()
        shutil.rmtree(self._folder)

    @cached_property
    def _tables(self) -> str:
        """The tables as an SQL script; running the migrations for every test would take most of its time."""
        self._execute(f"create schema {TEMPLATE}")
        engine = database.connect(self._url(TEMPLATE))
        database.upgrade(engine)
        engine.dispose()
        where = ("-h", HOST, "-p", str(self._port), "-U", "pbem", "postgres")
        dump = self._run("pg_dump", "--schema", TEMPLATE, "--inserts", "--no-owner", *where)
        # Lines with a backslash are for psql only, and settings would outlast the script.
        lines = (line for line in dump.splitlines() if not line.startswith(("\\", "--", "SET ", "SELECT pg_catalog.")))
        return "\n".join(lines)

    @cached_property
    def _engine(self) -> Engine:
        return create_engine(self._url("public"), isolation_level="AUTOCOMMIT", pool_pre_ping=True)

    def _execute(self, script: str) -> None:
        with self._engine.connect() as connection:
            connection.exec_driver_sql(script)

    def _url(self, schema: str) -> str:
        return f"postgresql+psycopg://pbem@{HOST}:{self._port}/postgres?application_name={schema}&options=-csearch_path%3D{schema}"

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    def _run(self, program: str, *words: str) -> str:
        command = [*self._as_other, str(self._programs / program), *words]
        wanted = subprocess.PIPE if program == "pg_dump" else subprocess.DEVNULL  # a server keeps a pipe open
        real = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # see .ci/at
        return subprocess.run(command, check=True, stdout=wanted, cwd=self._folder, text=True, env=real).stdout or ""


def _name(url: str) -> str:
    """Return the name of the schema to which a URL leads."""
    return url.rpartition("%3D")[2]


def _schema(engine: Engine) -> str:
    with engine.connect() as connection:
        return str(connection.exec_driver_sql("select current_schema()").scalar())


def programs() -> Path | None:
    """Return the folder of initdb and pg_ctl, which Debian doesn't put in PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    on_path = shutil.which("pg_ctl")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


class SharedPostgres(Postgres):
    """A server that the processes of a test run share: the first one starts it, and the last one removes it."""

    def __init__(self, run: str) -> None:
        self._note = Path(tempfile.gettempdir()) / f"pbem-postgres-{run}"
        super().__init__()

    def _placed(self) -> tuple[Path, int]:
        with self._noted() as note:
            folder, port = (Path(note["folder"]), int(note["port"])) if note else super()._placed()
            self._folder, self._port = folder, port
            if not note:
                note["tables"] = super()._tables
            note |= {"folder": str(folder), "port": port, "users": note.get("users", 0) + 1}
        self._tables = note["tables"]
        return folder, port

    def remove(self) -> None:
        """Leave the server to the others, or remove it."""
        with self._noted() as note:
            note["users"] -= 1
            if note["users"]:
                self._engine.dispose()
            else:
                super().remove()
                self._note.unlink()
                note.clear()

    @contextmanager
    def _noted(self) -> Iterator[dict[str, Any]]:
        """Provide what is known of the server, and note what has changed; other processes wait."""
        with self._note.open("a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            note: dict[str, Any] = json.loads(file.read() or "{}")
            yield note
            file.truncate(0)
            file.write(json.dumps(note))


@cache
def running() -> Postgres:
    """Return the server of this process or its test run; tests/conftest.py removes it at the end."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    return Postgres() if run is None else SharedPostgres(run)


def give_back(url: str) -> None:
    """Let a schema of the server be used again, if the server is still there."""
    if running.cache_info().currsize:
        running().give_back(url)


def remove() -> None:
    """Remove the server of this process, if there is one."""
    if running.cache_info().currsize:
        running().remove()
        running.cache_clear()


@pytest.fixture
def postgres() -> Postgres:
    return running()
