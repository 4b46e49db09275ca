"""The daemon: receive, work, think, send, each in a separate thread, and how they stop.

    inboxes and listeners --store--> incoming --handle--> outgoing --send--> outbox

Two threads work, each with a parser of its own: one on players' replies, and one on everything else, so that no turn
waits while a message that anybody can send is parsed. The threads share only rows and events: one for each thread that
works, set when a message was received, and one that is set when messages are due. Several daemons on one PostgreSQL
share the work: each is notified by the others, and takes what no other is working on.
"""

import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy import Engine

from pbem import failpoints
from pbem.config import Settings
from pbem.failpoints import Step
from pbem.house.searcher import SandboxedSearcher, Searcher
from pbem.house.thinker import Thinker
from pbem.oauth2.access import AccessTokens
from pbem.reading import authentication
from pbem.reading.protocol import MailParser
from pbem.reading.sandbox import Sandbox
from pbem.rendering.render import Renderer
from pbem.server import doors, intake, loops, worker
from pbem.server.backups import Backups
from pbem.server.examination import Services
from pbem.server.health import exposure
from pbem.server.health.reports import Reporter
from pbem.server.health.systemd import Systemd
from pbem.server.health.watch import Watch
from pbem.server.loops import Loop
from pbem.server.publisher import Publisher
from pbem.server.scheduler import Scheduler
from pbem.server.sender import DeliveryResults, Sign, send_due, unsigned
from pbem.server.triage import Triage
from pbem.server.work_queue import WorkQueue
from pbem.storage import database, notifications, poolers
from pbem.storage.clock import SteadyClock
from pbem.storage.locks import Locks
from pbem.storage.models import Lane
from pbem.storage.notifications import Channel
from pbem.storage.retention import Retention
from pbem.storage.utc import now
from pbem.tokens import Keyring
from pbem.transports import dkim_signing, receiver
from pbem.transports.listener import MailListener
from pbem.transports.protocols import Arrival, Inbox, Outbox
from pbem.vitals import FirstOfEach, Vitals

log = structlog.get_logger()

STOP_SECONDS = 3.0
"""How long threads and listeners may take to end; what they haven't finished by then is still in the database, or was
never acknowledged."""

LAST_SECONDS = 1.0
"""The time left after that for marking what was sent before the message on which the sender hangs."""

LANES_OF_DESKS = ((Lane.REPLIES,), (Lane.PLAYERS, Lane.STRANGERS))
"""The queues that each of the working threads claims from."""

AT_A_STRETCH = 100
"""How many messages are processed before the sender is woken."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What a thread needs to process messages: the queues that it claims them from, and a parser."""

    queue: WorkQueue
    services: Services


@dataclass(frozen=True, slots=True)
class Server:
    """The parts of a running server."""

    settings: Settings
    engine: Engine
    services: Services
    renderer: Renderer
    outbox: Outbox
    queue: WorkQueue
    results: DeliveryResults
    inboxes: tuple[Inbox, ...]
    listeners: tuple[MailListener, ...]
    scheduler: Scheduler
    thinker: Thinker
    backups: Backups
    desks: tuple[Desk, ...]
    """One for each thread of `run` that works; `queue` and `services` are for one that does all the work alone."""
    sign: Sign = unsigned
    clock: Callable[[], datetime] = now

    @property
    def vitals(self) -> Vitals:
        """What the server knows of itself."""
        return self.services.vitals

    @property
    def triage(self) -> Triage:
        """The rules by which messages are put into a queue."""
        return Triage(self.services.keyring)

    def take(self, arrivals: tuple[Arrival, ...]) -> dict[int, Lane]:
        """Store the arrivals in a transaction. Return the ids of those that are new, with their queues.

        Replies are stored as soon as the database is free; others wait until no message is being handled or sent.
        """
        failpoints.reach(Step.RECEIVED)
        with database.reading(self.engine) as connection:
            new = intake.sort(connection, arrivals, self.triage)
        added: dict[int, Lane] = {}
        if new:
            has_replies = any(each.place.lane is Lane.REPLIES for each in new)
            with database.writing(self.engine, can_wait=not has_replies) as connection:
                added = intake.store(connection, new, self.clock())
                if added:
                    notifications.notify(connection, Channel.RECEIVED)
        failpoints.reach(Step.STORED)
        return added

    def keep_locks(self) -> None:
        """Use the sessions that hold locks, which PostgreSQL takes from a daemon that is frozen."""
        for desk in self.desks:
            desk.queue.keep()
        for locks in (self.results.locks, self.thinker.locks, self.backups.locks):
            locks.keep()

    def store(self, arrivals: tuple[Arrival, ...]) -> None:
        """Store the arrivals, with the signature that transports expect."""
        self.take(arrivals)

    def handle_waiting(self, stopped: Callable[[], bool] = lambda: False, desk: Desk | None = None) -> int:
        """Process the next stored messages in order. Return their number; if it is AT_A_STRETCH, call again."""
        queue, services = (desk.queue, desk.services) if desk is not None else (self.queue, self.services)
        handled = 0
        while handled < AT_A_STRETCH and not stopped() and (incoming_id := queue.claim_next()) is not None:
            handled += worker.handle(self.engine, services, queue, incoming_id, self.clock())
        return handled

    def send_due(self, stopped: Callable[[], bool] = lambda: False) -> int:
        """Send all messages that are due, and do what is due by time, until nothing is left.

        Return the number of attempts. What is due by time is done once no message is left, or a minute has passed.
        """
        return self.send(stopped) + self.act_due(stopped)

    def act_due(self, stopped: Callable[[], bool]) -> int:
        """Do what is due by time, and send what that queues, until nothing is left. Return the number of attempts."""
        attempts = 0
        while self._act(stopped) and (sent := self.send(stopped)):
            attempts += sent
        return attempts

    def send(self, stopped: Callable[[], bool]) -> int:
        """Send all messages that are due. Return the number of attempts."""
        server, attempts = self.settings.server, 0
        while True:
            batch = send_due(
                self.engine, server, self.renderer, self.outbox, self.results, self.clock, stopped, self.sign
            )
            attempts += batch.attempts
            if batch.is_last or stopped():
                return attempts
            if self.scheduler.is_late(self.clock()):
                self._act(stopped)

    def _act(self, stopped: Callable[[], bool]) -> int:
        return self.scheduler.step(self.engine, self.settings.server, self.clock(), stopped)


@contextmanager
def open_server(
    settings: Settings,
    clock: Callable[[], datetime] = now,
    parser: MailParser | None = None,
    searcher: Searcher | None = None,
    *,
    upgrade: bool = True,
    monotonic: Callable[[], float] = time.monotonic,
) -> Iterator[Server]:
    """Open a server with an up-to-date database, and close it at the end. Raises BadConfig and database errors.

    Unless a parser is given, messages are parsed in separate processes, started with the first one; unless a searcher
    is given, the house thinks in others. The outbox isn't
    closed here but by the thread that sends, which may be in the middle of a message when the server closes.
    """
    keyring = Keyring(settings.server.key.read())
    dkim = settings.outbox.dkim
    sign = dkim_signing.signer(dkim, settings.server.domain) if dkim else unsigned
    authentication.prepare(settings.checks)
    vitals = Vitals()
    killed = vitals.counts.killed
    kill_reader = killed.labels("reading").inc
    parsers = (parser or Sandbox(kill_reader), parser or Sandbox(kill_reader))
    searcher = searcher or SandboxedSearcher(lost=killed.labels("house").inc)
    engine = database.connect(settings.server.database)
    results = DeliveryResults(Locks(engine), vitals)
    services = Services(
        settings.server, keyring, settings.checks, settings.limits, settings.house, parsers[0], vitals=vitals
    )
    queue, *queues = (WorkQueue(engine, clock, lanes) for lanes in (tuple(Lane), *LANES_OF_DESKS))
    thinker = Thinker(engine, settings.server, searcher, Locks(engine), clock)
    tokens = AccessTokens(settings.oauth2) if settings.oauth2 is not None else None
    backups = Backups(engine, settings, Locks(engine), clock)
    try:
        if upgrade:
            poolers.require_own_sessions(engine)
            database.upgrade(engine, _log_first)
        else:
            database.require_current(engine)
        yield Server(
            settings=settings,
            engine=engine,
            services=services,
            renderer=Renderer(settings.server, keyring, settings.limits.keep_mail_days),
            outbox=doors.outbox(settings, tokens),
            queue=queue,
            desks=tuple(
                Desk(each, replace(services, parser=parser)) for each, parser in zip(queues, parsers, strict=True)
            ),
            results=results,
            inboxes=tuple(doors.inboxes(settings, tokens)),
            listeners=tuple(doors.listeners(settings)),
            sign=sign,
            clock=clock,
            thinker=thinker,
            backups=backups,
            scheduler=Scheduler(
                Retention(
                    SteadyClock(clock(), monotonic), settings.limits.keep_mail_days, settings.limits.keep_waiting_days
                )
            ),
        )
    finally:
        thinker.close()
        thinker.locks.close()
        backups.locks.close()
        for one in parsers:
            one.close()
        for each in (queue, *queues):
            each.close()
        results.locks.close()
        engine.dispose()


def _log_first(_doing: str, done: int, steps: int) -> None:
    """Log that the tables are made, or upgraded, which can take a while with many messages."""
    if not done:
        log.info("upgrading the tables", steps=steps)


def run_once(server: Server) -> tuple[int, int, int]:
    """Receive, process and send what is waiting. Return the numbers of messages received, processed and attempted."""
    received = sum(receiver.receive_once(inbox, server.store) for inbox in server.inboxes)
    handled = 0
    while (some := server.handle_waiting()) == AT_A_STRETCH:
        handled += some
    handled += some
    while server.thinker.step():
        pass
    try:
        return received, handled, server.send_due()
    finally:
        server.outbox.close()


def run(
    server: Server, stop: threading.Event, ready: Callable[[], object] = lambda: None, systemd: Systemd | None = None
) -> None:
    """Serve until `stop` is set, then return within about five seconds, with nothing half done."""
    vitals, systemd, bound = server.vitals, systemd or Systemd({}), loops.bounds(server.settings)
    came, owed, played = tuple(threading.Event() for _ in server.desks), threading.Event(), threading.Event()
    reporter = Reporter(vitals, server.clock())
    looked = -loops.SPACING_SECONDS  # when what is due by time was last looked for

    def store(arrivals: tuple[Arrival, ...]) -> None:
        ring(came, server.take(arrivals).values())

    def handle_waiting(desk: Desk, stopped: Callable[[], bool]) -> int:
        handled = server.handle_waiting(stopped, desk)
        if handled:
            owed.set()
            played.set()
        return handled

    def send(stopped: Callable[[], bool]) -> None:
        nonlocal looked
        server.send(stopped)
        while (left := looked + loops.SPACING_SECONDS - time.monotonic()) > 0 and owed.wait(left) and not stopped():
            owed.clear()
            server.send(stopped)
        server.act_due(stopped)
        looked = time.monotonic()

    def think(stopped: Callable[[], bool]) -> int:
        searched = server.thinker.step(stopped)
        if searched:
            owed.set()
        return searched

    def report(_stopped: Callable[[], bool]) -> None:
        reporter.tell(server.engine, server.clock())

    def announce() -> None:
        vitals.is_ready = True
        log.info("ready", listening=[listener.port for listener in server.listeners], inboxes=len(server.inboxes))
        systemd.ready()
        ready()

    working = [
        *(
            Loop(vitals.pulse(f"work {number}", bound.work), partial(handle_waiting, desk), bell)
            for number, (desk, bell) in enumerate(zip(server.desks, came, strict=True), start=1)
        ),
        Loop(vitals.pulse("house", bound.house), think, played, rests=loops.SPACING_SECONDS),
        Loop(vitals.pulse("send", bound.send), send, owed, server.outbox.close),
        Loop(vitals.pulse("report", bound.other), report, threading.Event(), partial(reporter.end, server.engine)),
    ]
    if server.settings.backup.folder is not None:
        working.append(Loop(vitals.pulse("backup", bound.backup), server.backups.step, threading.Event()))
    if server.settings.publish.folder is not None:
        publisher = Publisher(server.settings.server, server.settings.publish, server.clock)
        working.append(Loop(vitals.pulse("publish", bound.other), publisher.step, threading.Event()))
    if server.queue.is_shared:
        pulse = vitals.pulse("locks", bound.other)
        working.append(Loop(pulse, lambda _stopped: server.keep_locks(), threading.Event()))
    threads = [loop.thread(stop, vitals) for loop in working]
    if server.settings.metrics.are_wanted:
        threads += exposure.serve(server.settings.metrics, server.engine, vitals, server.clock, stop)
    if server.queue.is_shared:
        bells = {Channel.RECEIVED: came, Channel.OWED: (owed, played)}
        link = vitals.link("notifications", lost="notifications lost", again="notifications again")
        threads.append(loops.hearing(server.engine, bells, stop, vitals.pulse("bells", bound.other), link))
    links = [vitals.inbox(doors.kind(inbox)) for inbox in server.inboxes]
    first = FirstOfEach(len(links), announce)
    for inbox, link in zip(server.inboxes, links, strict=True):
        link.call_on_first(first.happened)
        threads.append(loops.receiving(inbox, store, stop, vitals.pulse(f"receive {link.name}", bound.receive), link))
    for listener in server.listeners:
        listener.start(store, vitals.pulse(listener.protocol, bound.other).beat)
    for thread in threads:
        thread.start()
    Watch(vitals, systemd).start(stop)
    if not links:
        announce()
    stop.wait()
    systemd.stopping()
    _stop(server, threads, {loop.bell for loop in working})


def ring(bells: Sequence[threading.Event], lanes: Collection[Lane]) -> None:
    """Wake those of the working threads in whose queues a message was stored."""
    for bell, own in zip(bells, LANES_OF_DESKS, strict=True):
        if not set(own).isdisjoint(lanes):
            bell.set()


def _stop(server: Server, threads: list[threading.Thread], bells: Collection[threading.Event]) -> None:
    deadline = time.monotonic() + STOP_SECONDS
    server.thinker.close()
    for bell in bells:
        bell.set()
    for listener in server.listeners:
        threads.append(threading.Thread(target=listener.stop, name="listener", daemon=True))
        threads[-1].start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    late = [thread.name for thread in threads if thread.is_alive()]
    last = threading.Thread(target=server.results.release, args=(server.engine, server.clock()), daemon=True)
    last.start()
    last.join(LAST_SECONDS)
    log.info("stopped", unfinished=late)
