"""A real PgBouncer before PostgreSQL: in session mode all works; otherwise doctor and the server say what to do."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Engine, text

from pbem import config
from pbem.cli.doctor import storage
from pbem.cli.doctor.findings import Level
from pbem.storage import database, notifications, poolers
from pbem.storage.locks import Locks
from pbem.storage.notifications import Channel
from pbem.vitals import Vitals
from tests.operating.daemons import Daemon
from tests.operating.people import written
from tests.operating.site import ADDRESS, FOLDER_OUT, LMTP_IN, Site
from tests.pgbouncer import PgBouncer
from tests.postgres import Postgres
from tests.servers import until

pytestmark = [pytest.mark.slow, pytest.mark.own_database]


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


@pytest.fixture
def session_mode(pooled: Callable[..., PgBouncer]) -> Iterator[Engine]:
    engine = database.connect(pooled("session").url)
    yield engine
    engine.dispose()


def clock_of(url: str) -> datetime:
    """Return the time that the database's clock shows: it isn't faked where ours is."""
    engine = database.connect(url)
    with database.read_only(engine) as session:
        shown: datetime = session.connection().execute(text("SELECT now()")).scalar_one()
    engine.dispose()
    return shown.astimezone(UTC)


def problems(site: Site, url: str) -> list[str]:
    """Return the problems that doctor finds with the database at that URL, each with what to do."""
    site.database = url
    site.configure()
    found = storage.check(config.load(site.config).server, lambda: clock_of(url))
    return [f"{each.sentence} -> {each.advice}" for each in found if each.level is Level.PROBLEM]


def test_in_session_mode_doctor_finds_nothing(site: Site, pooled: Callable[..., PgBouncer]) -> None:
    bouncer = pooled("session")
    assert problems(site, bouncer.url) == []
    assert problems(site, bouncer.direct) == []


@pytest.mark.parametrize("mode", ["transaction", "statement"])
def test_other_modes_are_refused(site: Site, pooled: Callable[..., PgBouncer], mode: str) -> None:
    bouncer = pooled(mode)
    (said,) = problems(site, bouncer.url)
    assert said == (
        "the pooler before the database gives sessions by transaction, so locks would be lost, and notifications too"
        " -> write pool_mode = session in the pooler's configuration, or name PostgreSQL itself in database of [server]"
    )
    done = site.process("run", "--once")
    assert done.code == 2
    assert "pbem: the pooler before the database gives sessions by transaction" in done.err


def test_other_modes_are_seen_while_others_use_the_sessions(pooled: Callable[..., PgBouncer]) -> None:
    bouncer = pooled("transaction", size=3)
    engine = database.connect(bouncer.url)
    with engine.connect() as one:
        one.execute(text("SELECT 1"))  # holds a session until its transaction ends
        with pytest.raises(poolers.Shared):
            poolers.require_own_sessions(engine)
    engine.dispose()


def test_a_pool_that_is_too_small_is_told(
    site: Site, pooled: Callable[..., PgBouncer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(poolers, "WAIT_SECONDS", 1.0)
    (said,) = problems(site, pooled("session", size=3).url)
    assert said == (
        "the database, or the pooler before it, gives only 3 sessions at once, and a server needs 8 and more"
        " -> raise default_pool_size of PgBouncer, or max_connections of PostgreSQL"
    )


def test_what_a_pooler_does_not_take_is_told(site: Site, pooled: Callable[..., PgBouncer]) -> None:
    (said,) = problems(site, pooled("session").url + "?options=-csearch_path%3Dgames")
    assert "unsupported startup parameter" in said
    assert said.endswith("-> take it out of database in [server], or name PostgreSQL itself there")


def test_locks_go_through_it_and_end_with_their_session(session_mode: Engine) -> None:
    one, other = Locks(session_mode), Locks(session_mode)
    for _ in range(10):  # often enough for the driver to prepare the statements
        assert one.try_acquire("a")
        assert not other.try_acquire("a")
        one.release("a")
        assert other.try_acquire_each(["a", "b"]) == {"a", "b"}
        other.release_each(["a", "b"])
    assert one.try_acquire("a")
    one.close()
    until(lambda: other.try_acquire("a"), "the pooler gives the lock back with the session")
    other.close()


def test_notifications_go_through_it(session_mode: Engine) -> None:
    heard, stop = threading.Event(), threading.Event()
    events = {Channel.RECEIVED: (heard,), Channel.OWED: ()}
    link = Vitals().link("notifications", lost="lost", again="again")
    thread = threading.Thread(
        target=notifications.listen, args=(session_mode, events, stop.is_set, stop.wait, link), daemon=True
    )
    thread.start()
    assert heard.wait(110)  # set once when it listens
    heard.clear()
    with database.transaction(session_mode) as session:
        notifications.notify(session.connection(), Channel.RECEIVED)
    assert heard.wait(110)
    stop.set()
    thread.join(110)


def test_a_server_works_through_it_and_survives_its_restart(
    site: Site, pooled: Callable[..., PgBouncer], start: Callable[..., Daemon]
) -> None:
    bouncer = pooled("session", size=30)
    site.database = bouncer.url
    site.configure(LMTP_IN, FOLDER_OUT)
    daemon = start(site)
    for number in (1, 2, 3):
        daemon.deliver(f"ann{number}@mail.example", ADDRESS, written(f"ann{number}@mail.example", ADDRESS, "help"))
        until(lambda wanted=number: len(site.sent()) >= wanted, "the reply was sent")
        if number == 2:
            bouncer.restart()
            until(lambda: daemon.lines("database again"), "the daemon has its database again")
    assert daemon.end()[0].code == 0
