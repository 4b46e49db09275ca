"""Setup shared by all tests: no log output unless a test asks for it, and which tests run on which database."""

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings
from sqlmodel import Session

from tests import compiled_sql, compiled_templates, databases, faked_clock, moments, stopped_leases
from tests.contests import three_players
from tests.correspondence import Correspondence, correspondence
from tests.operating.daemons import start
from tests.operating.people import post
from tests.operating.site import site
from tests.postgres import postgres
from tests.postgres import remove as remove_postgres
from tests.provider import provider
from tests.servers import bare_dovecot, dovecot, mailbox, old_dovecot, smtp_sink

__all__ = [
    "bare_dovecot",
    "dovecot",
    "mailbox",
    "old_dovecot",
    "post",
    "postgres",
    "provider",
    "site",
    "smtp_sink",
    "start",
]

KEEPERS = {"Archive", "correspondence", "Correspondence", "databases", "opened"}
"""A test module that imports one of these stores data in a database."""
WITH_SERVERS = {"by_mail", "processes", "stories"}
"""The folders whose tests may run a server in `make test`; elsewhere such tests are left to `make test-all`."""


# By default, Hypothesis fails slow examples; no test here depends on the speed of the machine.
for _name, _examples in (("quick", 10), ("long", 100)):
    settings.register_profile(
        _name, max_examples=_examples, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile("quick")  # unless --hypothesis-profile says otherwise

# Without cached bytecode, compiling modules and rewriting assertions would take half a minute on every start.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
faked_clock.mend()
stopped_leases.stop()
compiled_sql.share()
compiled_templates.share()


def pytest_configure(config: pytest.Config) -> None:
    """Keep files in memory, and drop log lines from fixtures of modules and of the session as well."""
    memory = Path("/dev/shm")
    if memory.is_dir() and not os.statvfs(memory).f_flag & os.ST_NOEXEC:  # tests also run programs there
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what runs in the background
    structlog.configure(processors=[_drop], cache_logger_on_first_use=False)


@pytest.fixture(autouse=True)
def _quiet_log() -> None:
    structlog.configure(processors=[_drop], cache_logger_on_first_use=False)


def _drop(_logger: object, _name: str, _event: dict[str, object]) -> dict[str, object]:
    raise structlog.DropEvent


@pytest.fixture(autouse=True, scope="session")
def _shared_by_the_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let the processes of a run share moments, and PostgreSQL if a test needs it; leave nothing running."""
    folder = tmp_path_factory.getbasetemp()
    moments.keep_in((folder.parent if os.environ.get("PYTEST_XDIST_WORKER") else folder) / "moments")
    yield
    remove_postgres()
    moments.forget()


@pytest.fixture
def letters(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Correspondence]:
    """Run a server with the settings of `server` marks, after the scenes of `scene` marks."""
    marks = [*request.node.iter_markers()][::-1]  # the module's first
    settings: dict[str, Any] = {}
    for mark in marks:
        settings |= mark.kwargs if mark.name == "server" else {}
    with correspondence(tmp_path, **settings) as letters:
        for mark in marks:
            if mark.name == "scene":
                letters.play(*mark.args)
        yield letters


@pytest.fixture
def session() -> Iterator[Session]:
    """Provide alice, bob and carol in a database in memory."""
    with three_players() as session:
        yield session


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Let other tests use the database of one that is over."""
    folder = getattr(item, "funcargs", {}).get("tmp_path")
    try:
        return (yield)
    finally:
        if folder is not None:
            databases.give_back(folder)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what `make test` leaves out, and what stores data in the run's database; on PostgreSQL, select only that."""
    quick = tuple(f"{folder}/" for folder in config.getini("testpaths"))
    for item in items:
        if _keeps_data(item):
            item.add_marker(pytest.mark.database)
            if not WITH_SERVERS.intersection(item.path.parts):
                item.add_marker(pytest.mark.slow)
        if not item.nodeid.startswith(quick):
            item.add_marker(pytest.mark.slow)
    if databases.kind() != "sqlite":
        chosen = [item for item in items if item.get_closest_marker("database")]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen


def pytest_collection_finish() -> None:
    """Spare the garbage collector all that stays until the end; it takes a tenth of the time otherwise."""
    gc.collect()
    gc.freeze()


def _keeps_data(item: pytest.Item) -> bool:
    """Return whether the test uses the database of the run, instead of choosing its own."""
    if item.get_closest_marker("own_database") or {"stage", "postgres"} & set(getattr(item, "fixturenames", ())):
        return False
    known = vars(item.module) if isinstance(item, pytest.Function) else {}
    return bool({"letters", "site"} & set(getattr(item, "fixturenames", ()))) or not KEEPERS.isdisjoint(known)
