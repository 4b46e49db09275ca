"""PostgreSQL without a password in the URL, as docs/operating.md has it: by the environment, a file, or the socket."""

import getpass
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url

from tests.docs.pages import page
from tests.operating.site import Site
from tests.postgres import Postgres
from tests.servers import HOST

pytestmark = [pytest.mark.slow, pytest.mark.own_database]
PASSWORD = "the @/: of pbem"
PEER = "local pbem pbem peer map=pbem"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Start a PostgreSQL with such a user and database; return the URL of its administrator."""
    running = Postgres()
    url = make_url(running.database())
    admin = create_engine(url, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:

        def run(sql: str) -> str:
            return str(connection.exec_driver_sql(sql).scalar())

        connection.exec_driver_sql(f"create role games login password '{PASSWORD}'")
        connection.exec_driver_sql("create database games owner games")
        connection.exec_driver_sql("create database pbem")
        rules, names = Path(run("show hba_file")), Path(run("show ident_file"))
        rules.write_text(f"host games games {HOST}/32 scram-sha-256\n{PEER}\n{rules.read_text()}", encoding="utf-8")
        names.write_text(f"pbem {getpass.getuser()} pbem\n", encoding="utf-8")
        run("select pg_reload_conf()")
        folder = run("show unix_socket_directories")
    admin.dispose()
    yield url.set(query={"host": folder}).render_as_string()
    running.remove()


def set_up(site: Site, database: str, **around: str) -> tuple[int, str]:
    """Make the tables there, and a backup. Return how that ended."""
    site.database = database
    site.configure()
    done = site.process("init", **around)
    if done.code == 0:
        (site.folder / "a.tar.gz").unlink(missing_ok=True)
        done = site.process("backup", "a.tar.gz", **around)
    return done.code, done.said


def test_the_password_is_taken_from_where_postgresql_s_programs_take_it(site: Site, server: str) -> None:
    port = make_url(server).port
    url = f"postgresql+psycopg://games@{HOST}:{port}/games"
    code, said = set_up(site, url)
    assert code == 2
    assert "no password supplied" in said
    assert set_up(site, url, PGPASSWORD=PASSWORD)[0] == 0
    file = site.folder / "pgpass"
    file.write_text(f"{HOST}:{port}:games:games:{PASSWORD.replace(':', chr(92) + ':')}\n", encoding="utf-8")
    file.chmod(0o600)
    assert set_up(site, url, PGPASSFILE=str(file))[0] == 0


def test_a_role_without_rights_on_sequences_is_told_what_it_lacks(site: Site, server: str) -> None:
    url = make_url(server)
    assert set_up(site, f"postgresql+psycopg://pbem@{HOST}:{url.port}/pbem")[0] == 0
    admin = create_engine(url.set(database="pbem"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.exec_driver_sql("create role guest login")
        connection.exec_driver_sql("grant all on all tables in schema public to guest")
    admin.dispose()
    site.database = f"postgresql+psycopg://guest@{HOST}:{url.port}/pbem"
    site.configure()
    done = site.process("feed", "-", stdin=b"From: x@mail.example\nTo: games@pbem.example\nSubject: rules\n\nrules\n")
    assert (done.code, "permission denied for sequence" in done.err, "Make guest the owner" in done.err) == (
        2,
        True,
        True,
    )


def test_what_a_role_prefers_changes_nothing(site: Site, server: str) -> None:
    admin = create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        for preference in (
            "DateStyle = 'German'",
            "default_transaction_isolation = 'serializable'",
            "default_transaction_read_only = on",
        ):
            connection.exec_driver_sql(f"alter role pbem set {preference}")
    admin.dispose()
    url = make_url(server)
    here = f"postgresql+psycopg://pbem@/pbem?host={url.query['host']}&port={url.port}"
    assert set_up(site, here)[0] == 0
    done = site.process("feed", "-", stdin=b"From: x@mail.example\nTo: games@pbem.example\nSubject: rules\n\nrules\n")
    assert "message 1: done" in done.said


def test_by_the_socket_no_password_is_needed(site: Site, server: str) -> None:
    url = make_url(server)
    documented = "postgresql+psycopg://pbem@/pbem?host=/run/postgresql"
    assert documented in page("docs/operating.md")
    assert PEER in page("docs/operating.md")
    here = f"{documented.replace('/run/postgresql', str(url.query['host']))}&port={url.port}"
    code, said = set_up(site, here)
    assert code == 0, said
