"""The daemon: receive, work, think, send, each in a separate thread, and how they stop.

    inboxes and listeners --store--> incoming --handle--> outgoing --send--> outbox

Two threads work, each with a parser of its own: one on players' replies, and one on everything else, so that no turn
waits while a message that anybody can send is parsed. The threads share only rows and events: one for each thread that
works, set when a message was received, and one that is set when messages are due. Several daemons on one PostgreSQL
share the work: each is notified by the others, and takes what no other is working on.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from pbem import failpoints
from pbem.config import Settings
from pbem.failpoints import Step
from pbem.house.searcher import SandboxedSearcher, Searcher
from pbem.house.thinker import Thinker
from pbem.players import identity
from pbem.reading import authentication
from pbem.reading.protocol import MailParser, Unavailable
from pbem.reading.sandbox import Sandbox
from pbem.rendering.render import Renderer
from pbem.server import intake, publisher, worker
from pbem.server.examination import Services
from pbem.server.scheduler import Scheduler
from pbem.server.sender import DeliveryResults, Sign, send_due, unsigned
from pbem.server.triage import Triage
from pbem.server.work_queue import WorkQueue
from pbem.storage import database, notifications
from pbem.storage.clock import SteadyClock
from pbem.storage.locks import Locks
from pbem.storage.models import Lane
from pbem.storage.notifications import Channel
from pbem.storage.retention import Retention
from pbem.tokens import Keyring
from pbem.transports import dkim_signing, receiver
from pbem.transports.imap import ImapInbox
from pbem.transports.listener import MailListener
from pbem.transports.maildir import MaildirInbox, MaildirOutbox
from pbem.transports.protocols import Arrival, Inbox, Outbox
from pbem.transports.smtp import SmtpOutbox

log = structlog.get_logger()

STOP_SECONDS = 3.0
"""How long threads and listeners may take to end; what they haven't finished by then is still in the database, or was
never acknowledged."""

LAST_SECONDS = 1.0
"""The time left after that for marking what was sent before the message on which the sender hangs."""

LOOK_SECONDS = 10.0
"""How often to look for work without a notification (retries that are due, rows added by another program)."""

LONGEST_PAUSE = 60.0

LANES_OF_DESKS = ((Lane.REPLIES,), (Lane.PLAYERS, Lane.STRANGERS))
"""The queues that each of the working threads claims from."""

AT_A_STRETCH = 100
"""How many messages are processed before the sender is woken."""


def now() -> datetime:
    """Return the current time; all stored times come from here."""
    return datetime.now(UTC)


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
    desks: tuple[Desk, ...]
    """One for each thread of `run` that works; `queue` and `services` are for one that does all the work alone."""
    sign: Sign = unsigned
    clock: Callable[[], datetime] = now

    @property
    def triage(self) -> Triage:
        """The rules by which messages are put into a queue."""
        return Triage(self.services.keyring, self.settings.limits)

    def take(self, arrivals: tuple[Arrival, ...]) -> list[int]:
        """Store the arrivals in a transaction. Return the ids of those that are new.

        Replies are stored as soon as the database is free; others wait until no message is being handled or sent.
        """
        failpoints.reach(Step.RECEIVED)
        with database.read_only(self.engine) as session:
            new = intake.sort(session, arrivals, self.triage)
        added: list[int] = []
        if new:
            has_replies = any(each.place.lane is Lane.REPLIES for each in new)
            with database.transaction(self.engine, can_wait=not has_replies) as session:
                added = intake.store(session, new, self.clock())
                if added:
                    notifications.notify(session, Channel.RECEIVED)
        failpoints.reach(Step.STORED)
        return added

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
        """Send the next few messages that are due. Return the number of attempts; if it isn't 0, call again.

        What is due by time is done once none is left, or a minute has passed.
        """
        sent = self._send(stopped)
        if sent and not self.scheduler.is_late(self.clock()):
            return sent
        acted = self.scheduler.step(self.engine, self.settings.server, self.clock(), stopped)
        return sent or (self._send(stopped) if acted else 0)

    def _send(self, stopped: Callable[[], bool]) -> int:
        server = self.settings.server
        return send_due(self.engine, server, self.renderer, self.outbox, self.results, self.clock, stopped, self.sign)


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
    parsers = (parser, parser) if parser else (Sandbox(settings.reading), Sandbox(settings.reading))
    engine = database.connect(settings.server.database)
    results = DeliveryResults(Locks(engine))
    services = Services(settings.server, keyring, settings.checks, settings.limits, settings.house, parsers[0])
    queue, *queues = (WorkQueue(engine, clock, lanes) for lanes in (tuple(Lane), *LANES_OF_DESKS))
    thinker = Thinker(
        engine, settings.house, settings.server, searcher or SandboxedSearcher(settings.house), Locks(engine), clock
    )
    try:
        if upgrade:
            database.upgrade(engine)
        else:
            database.require_current(engine)
        yield Server(
            settings=settings,
            engine=engine,
            services=services,
            renderer=Renderer(settings.server, keyring),
            outbox=_outbox(settings),
            queue=queue,
            desks=tuple(
                Desk(each, replace(services, parser=parser)) for each, parser in zip(queues, parsers, strict=True)
            ),
            results=results,
            inboxes=tuple(_inboxes(settings)),
            listeners=tuple(_listeners(settings)),
            sign=sign,
            clock=clock,
            thinker=thinker,
            scheduler=Scheduler(
                Retention(SteadyClock(clock(), monotonic), invited_days=settings.limits.invited_again_days)
            ),
        )
    finally:
        thinker.close()
        thinker.locks.close()
        for one in parsers:
            one.close()
        for each in (queue, *queues):
            each.close()
        results.locks.close()
        engine.dispose()


def run_once(server: Server) -> tuple[int, int, int]:
    """Receive, process and send what is waiting. Return the numbers of messages received, processed and attempted."""
    received = sum(receiver.receive_once(inbox, server.store) for inbox in server.inboxes)
    handled = sent = 0
    while (some := server.handle_waiting()) == AT_A_STRETCH:
        handled += some
    handled += some
    while server.thinker.step():
        pass
    try:
        while some := server.send_due():
            sent += some
        return received, handled, sent
    finally:
        server.outbox.close()


def run(server: Server, stop: threading.Event, ready: Callable[[], object] = lambda: None) -> None:
    """Serve until `stop` is set, then return within about five seconds, with nothing half done."""
    came, owed, played = tuple(threading.Event() for _ in server.desks), threading.Event(), threading.Event()

    def store(arrivals: tuple[Arrival, ...]) -> None:
        server.store(arrivals)
        for bell in came:
            bell.set()

    def handle_waiting(desk: Desk) -> int:
        handled = server.handle_waiting(stop.is_set, desk)
        if handled:
            owed.set()
            played.set()
        return handled

    def think() -> int:
        searched = server.thinker.step(stop.is_set)
        if searched:
            owed.set()
        return searched

    threads = [
        threading.Thread(
            target=partial(receiver.receive, inbox, store, stop.is_set, stop.wait), name="receive", daemon=True
        )
        for inbox in server.inboxes
    ]
    for number, (desk, bell) in enumerate(zip(server.desks, came, strict=True), start=1):
        threads.append(_loop(f"work {number}", partial(handle_waiting, desk), bell, stop))
    threads.append(_loop("house", think, played, stop))
    threads.append(_loop("send", lambda: server.send_due(stop.is_set), owed, stop, server.outbox.close))
    if server.queue.is_shared:
        hear = partial(
            notifications.listen,
            server.engine,
            {Channel.RECEIVED: came, Channel.OWED: (owed, played)},
            stop.is_set,
            stop.wait,
        )
        threads.append(threading.Thread(target=hear, name="bells", daemon=True))
    if (wanted := server.settings.publish) is not None:
        publish = partial(publisher.publish_again_and_again, server.settings.server, wanted, stop)
        threads.append(threading.Thread(target=publish, name="publish", daemon=True))
    for listener in server.listeners:
        listener.start(store)
    for thread in threads:
        thread.start()
    log.info("ready", listening=[listener.port for listener in server.listeners], inboxes=len(server.inboxes))
    ready()
    stop.wait()
    _stop(server, threads, (*came, owed, played))


def _stop(server: Server, threads: list[threading.Thread], bells: tuple[threading.Event, ...]) -> None:
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


def _loop(
    name: str,
    step: Callable[[], object],
    bell: threading.Event,
    stop: threading.Event,
    close: Callable[[], object] = lambda: None,
) -> threading.Thread:
    """Return a thread that, whenever `bell` is set, repeats the step until nothing is left; it waits out an outage."""

    def loop() -> None:
        pause = 1.0
        while not stop.is_set():
            bell.clear()
            try:
                while step() and not stop.is_set():
                    pass
                pause = 1.0
            except DBAPIError as error:
                log.error("database", thread=name, error=str(error.orig), pause=pause)  # noqa: TRY400 - no bug of ours
                stop.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                continue
            except Unavailable as error:
                log.error("no mail can be read", thread=name, error=str(error))  # noqa: TRY400 - no bug of ours
                stop.wait(LONGEST_PAUSE)
            except Exception:  # a bug must not silently end the thread, and with it the service
                log.exception("failed", thread=name)
                stop.wait(LONGEST_PAUSE)
            if not stop.is_set():
                bell.wait(LOOK_SECONDS)
        close()

    return threading.Thread(target=loop, name=name, daemon=True)


def _outbox(settings: Settings) -> Outbox:
    if settings.outbox.smtp is not None:
        return SmtpOutbox(settings.outbox.smtp)
    assert settings.outbox.maildir is not None  # noqa: S101 - the settings have exactly one outbox
    return MaildirOutbox(settings.outbox.maildir)


def _inboxes(settings: Settings) -> Iterator[Inbox]:
    limit = settings.server.mail_limit
    if settings.inbox.imap is not None:
        yield ImapInbox(settings.inbox.imap, limit)
    if settings.inbox.maildir is not None:
        yield MaildirInbox(settings.inbox.maildir, limit)


def _listeners(settings: Settings) -> Iterator[MailListener]:
    limit = settings.server.mail_limit
    accepts = partial(identity.leads_to_us, server=settings.server)
    if settings.inbox.lmtp is not None:
        yield MailListener(settings.inbox.lmtp, "lmtp", limit, accepts)
    if settings.inbox.smtp is not None:
        yield MailListener(settings.inbox.smtp, "smtp", limit, accepts)
