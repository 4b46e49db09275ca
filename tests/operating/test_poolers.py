"""A real PgBouncer before PostgreSQL: a server works through it, whether it gives sessions or transactions."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pbem import config
from pbem.cli.doctor import storage
from pbem.cli.doctor.findings import Severity
from pbem.storage import database
from tests import faked_clock
from tests.operating.daemons import Daemon
from tests.operating.people import written
from tests.operating.site import ADDRESS, FOLDER_OUT, LMTP_IN, Site
from tests.pgbouncer import PgBouncer
from tests.postgres import Postgres
from tests.servers import until

pytestmark = [pytest.mark.slow, pytest.mark.own_database]
MODES = pytest.mark.parametrize("mode", ["session", "transaction"])


@pytest.fixture
def pooled(postgres: Postgres) -> Iterator[Callable[..., PgBouncer]]:
    """Return a function that starts a pooler before a database of its own, with tables."""
    started: list[PgBouncer] = []

    def start(mode: str, **more: Any) -> PgBouncer:
        started.append(PgBouncer(postgres, mode, **more))
        engine = database.connect(started[-1].direct)
        database.upgrade(engine)
        engine.dispose()
        return started[-1]

    yield start
    for each in started:
        each.__exit__()


def problems(site: Site, url: str) -> list[str]:
    """Return the problems that doctor finds with the database at that URL, each with what to do."""
    site.database = url
    site.configure()
    found = storage.database_in_use(config.load(site.config))
    return [f"{each.sentence} -> {each.advice}" for each in found if each.level is Severity.PROBLEM]


@pytest.mark.skipif(faked_clock.IS_FAKED, reason="PostgreSQL is told the real time")
def test_a_pooler_by_statement_is_told_and_no_other(site: Site, pooled: Callable[..., PgBouncer]) -> None:
    assert problems(site, pooled("transaction").url) == []
    (said,) = problems(site, pooled("statement").url)
    assert said.endswith("-> write pool_mode = transaction or session in the pooler's configuration")


@MODES
def test_a_server_works_through_it_and_survives_its_restart(
    site: Site, pooled: Callable[..., PgBouncer], start: Callable[..., Daemon], mode: str
) -> None:
    bouncer = pooled(mode, size=30 if mode == "session" else 3)
    site.database = bouncer.url
    site.configure(LMTP_IN, FOLDER_OUT)
    daemon = start(site)
    for number in range(1, 16):  # often enough for a driver to prepare statements
        daemon.deliver(f"ann{number}@mail.example", ADDRESS, written(f"ann{number}@mail.example", ADDRESS, "help"))
        until(lambda wanted=number: len(site.sent()) >= wanted, "the reply was sent")
        if number == 8:
            bouncer.restart()
    assert daemon.end().code == 0
