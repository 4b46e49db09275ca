"""Fixtures: a folder to run pbem in, a post office for its players, and the mail servers of tests.servers."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog

from tests.operating.daemons import Daemon
from tests.operating.people import PostOffice
from tests.operating.site import Site
from tests.postgres import postgres
from tests.publishing.test_in_a_browser import browser
from tests.servers import SmtpSink, dovecot, mailbox, smtp_sink

__all__ = ["SmtpSink", "browser", "dovecot", "mailbox", "postgres", "smtp_sink"]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Make a folder with a configuration that reads messages from a folder and writes them to another."""
    monkeypatch.delenv("PBEM_CONFIG", raising=False)
    site = Site(tmp_path / "site")
    site.configure()
    site.make()
    yield site
    structlog.reset_defaults()


@pytest.fixture
def post() -> Iterator[PostOffice]:
    """Run the post office that receives all messages to players."""
    with PostOffice() as services:
        yield services


@pytest.fixture
def start() -> Iterator[Callable[..., Daemon]]:
    """Return a function that starts daemons, and waits until they are ready; the test's end kills them."""
    started: list[Daemon] = []

    def begin(site: Site, *, waits: bool = True) -> Daemon:
        started.append(Daemon(site))
        return started[-1].ready() if waits else started[-1]

    yield begin
    for daemon in started:
        daemon.kill()
