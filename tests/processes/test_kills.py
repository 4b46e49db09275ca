"""A server is killed at each step of a message's path: nothing is lost, and nothing is done twice.

Each kill is a process of its own, forked from this one; tests/reliability does the same to whole daemons, at length.
"""

import os
import signal
from dataclasses import dataclass

import pytest

from pbem import config, failpoints
from pbem.failpoints import OFF_THE_PATH, VARIABLE, Step
from pbem.mail.reading.isolated_parser import MailParser
from pbem.mail.transports import receive_loop
from pbem.server import daemon
from tests.correspondence import parsed
from tests.operating import matches
from tests.operating.site import Site

pytestmark = pytest.mark.own_database


@dataclass(frozen=True)
class Aftermath:
    """What is stored right after the crash."""

    received: int = 1
    played: int = 0
    owed: int = 0
    sent: int = 0
    """Messages that have left the server."""


TABLE = {
    Step.RECEIVED: Aftermath(received=0),
    Step.STORED: Aftermath(),
    Step.ACKNOWLEDGED: Aftermath(),
    Step.COUNTED: Aftermath(),
    Step.READ: Aftermath(),
    Step.AUTHORISED: Aftermath(),
    Step.EXECUTED: Aftermath(),
    Step.COMMITTING: Aftermath(),
    Step.COMMITTED: Aftermath(played=1, owed=2),
    Step.BEGUN: Aftermath(played=1, owed=2),
    Step.RENDERED: Aftermath(played=1, owed=2),
    Step.SENT: Aftermath(played=1, owed=2, sent=1),
    Step.MARKED: Aftermath(played=1, owed=0, sent=2),
}
HANDLING = (Step.COUNTED, Step.READ, Step.AUTHORISED, Step.EXECUTED, Step.COMMITTING)
"""The steps after which a process of its own would handle the message, which takes long; not so here."""


def serve(site: Site) -> None:
    """Receive, process and send what is waiting, without processes of parsers, and without what is due by time."""
    with daemon.open_server(config.load(site.config), parser=MailParser()) as server:
        receive_loop.receive_once(server.inboxes[0], server.take)
        server.handle_waiting()
        server.send(lambda: False)


def killed(site: Site, step: Step) -> bool:
    """Return whether a server that is killed at the step gets there."""
    child = os.fork()
    if child == 0:
        try:
            os.environ[VARIABLE] = step
            failpoints._failpoint.cache_clear()
            serve(site)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == -signal.SIGKILL


def test_every_step_is_in_the_table() -> None:
    """Except those of mailboxes without MOVE, of collected news, of the house and of what is due by time."""
    assert set(TABLE) == set(Step) - {Step.COPIED, Step.GATHERING, Step.GATHERED} - OFF_THE_PATH


def test_a_server_that_is_killed_loses_nothing_and_does_nothing_twice(site: Site) -> None:
    with site.server() as server:
        first, *moves = matches.in_play(server, 1 + len(TABLE))
    site.drop(first.raw)
    serve(site)  # what is compiled here needs no compiling in the forks
    for move, (step, aftermath) in zip(moves, TABLE.items(), strict=True):
        before = len(site.sent())
        site.drop(move.raw)
        assert killed(site, step), step
        ((received, played, owed),) = site.rows(
            "select (select count(*) from incoming where key not in (select key from incoming where id < :first)"
            " and id >= :first), (select count(*) from ply where match = :match),"
            " (select count(*) from outgoing where match = :match and state = 'owed')",
            match=move.match,
            first=move.match,
        )
        found = Aftermath(received, played, owed, len(site.sent()) - before)
        assert found == aftermath, step

        if step in HANDLING:
            site.rows("update incoming set attempts = 0 where state = 'new'")
        serve(site)  # as after a restart
        assert site.rows("select text from ply where match = :match", match=move.match) == [move.text]
        sent = [str(parsed(raw)["Message-ID"]) for raw in site.sent()[before:]]
        assert len(set(sent)) == 2
        assert len(sent) == (3 if step is Step.SENT else 2), "what was in hand may go out twice"

    assert site.rows("select distinct state, verdict from incoming") == [("done", "done: move")]
    assert site.rows("select state, count(*) from outgoing group by state") == [("sent", 2 + 2 * len(TABLE))]
    assert not list((site.folder / "in" / "new").iterdir())
