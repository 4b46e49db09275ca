"""The daemon: receive, work, think, send, each in a separate thread, and how they stop.

    inboxes and listeners --store--> incoming --handle--> outgoing --send--> outbox

Two threads work, each with a parser of its own: one on players' replies, and one on everything else, so that no turn
waits while a message that anybody can send is parsed. The threads share only rows and bells. Several daemons on one
PostgreSQL share the work: each is notified by the others, and takes what no other is working on.
"""

import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from notation.games import GAMES
from pbem.config import Settings
from pbem.conversation.feature import Features
from pbem.features.accounts import data_export
from pbem.features.accounts.name_rules import can_be_named
from pbem.features.all import FEATURES
from pbem.features.house.search_process import Searcher
from pbem.features.house.search_tasks import Thinker
from pbem.mail.reading import authentication
from pbem.mail.reading.isolated_parser import IsolatedParser, MailParser
from pbem.mail.transports import dkim_signing, receive_loop
from pbem.mail.transports.listener import MailListener
from pbem.mail.transports.maildir import MaildirInbox
from pbem.mail.transports.protocols import Arrival, Inbox, Outbox
from pbem.matches import missing_games
from pbem.messages.render import Renderer
from pbem.process_vitals import Vitals
from pbem.server import configured_transports, intake, key_of_database, loop_runner, running_servers, worker
from pbem.server import sender as senders
from pbem.server.backups import Backups
from pbem.server.figures import Exposition
from pbem.server.incoming_queue import work_queue
from pbem.server.liveness import Systemd, Watch
from pbem.server.loop_runner import Loop
from pbem.server.metrics_port import MetricsPort
from pbem.server.one_click_unsubscribe import OneClick
from pbem.server.running_servers import Reporter
from pbem.server.scheduler import Scheduler
from pbem.server.suspects_handled_alone import Suspects
from pbem.server.worker import Desk, Services
from pbem.storage import database, leases, sqlite
from pbem.storage.models import Analysis, Incoming, Lane, Outgoing, Search
from pbem.storage.notifications import Channel, listen
from pbem.storage.queue import is_unfinished
from pbem.storage.retention import Retention
from pbem.storage.utc import now

log = structlog.get_logger()

STOP_SECONDS = 3.0
"""How long threads and listeners may take to end; what is unfinished then is in the database, or unacknowledged."""
LAST_SECONDS = 1.0  # the time left after that for marking what was sent before the message on which the sender hangs
LANES_OF_DESKS = ((Lane.REPLIES,), (Lane.PLAYERS, Lane.STRANGERS))
"""The queues that each of the working threads claims from."""
AT_A_STRETCH = 100  # how many messages are processed before the sender is woken


@dataclass(frozen=True, slots=True)
class Server:
    settings: Settings
    engine: Engine
    services: Services
    sender: senders.MailSender
    desks: tuple[Desk, ...]  # one for each thread of `run` that works
    desk: Desk  # one for a thread that does all the work alone
    suspects: Suspects
    inboxes: tuple[Inbox, ...]
    listeners: tuple[MailListener, ...]
    scheduler: Scheduler
    thinker: Thinker
    newest: sqlite.Newest | None
    clock: Callable[[], datetime] = now

    @property
    def vitals(self) -> Vitals:
        return self.services.vitals

    @property
    def renderer(self) -> Renderer:
        return self.sender.renderer

    @property
    def outbox(self) -> Outbox:
        return self.sender.outbox

    def take(self, arrivals: tuple[Arrival, ...]) -> dict[int, Lane]:
        """Store arrivals, and note whether that works."""
        try:
            added = self.store(arrivals)
        except DBAPIError as error:
            self.vitals.counts.not_stored.inc()
            self.vitals.database.fails("store", str(error.orig), "store")
            raise
        self.vitals.database.works("store")
        return added

    def store(self, arrivals: tuple[Arrival, ...]) -> dict[int, Lane]:
        """Store arrivals, and wake those who work on them."""
        added = intake.take(self.engine, self.services.keyring, arrivals, self.clock())
        if added and self.newest is not None:
            self.newest.note(max(added))
        for desk, lanes in zip(self.desks, LANES_OF_DESKS, strict=True):
            if any(lane in lanes for lane in added.values()):
                desk.queue.bell.set()
        return added

    def give_back(self) -> None:
        """Record what was sent, and give back what is claimed, in an orderly end: nobody is to wait for its leases."""
        self.sender.record()
        self.sender.queue.give_back()
        self.desk.queue.give_back()

    def handle_waiting(self, stopped: Callable[[], bool] = lambda: False, desk: Desk | None = None) -> int:
        """Process the next stored messages; without a desk, suspects too. Return how many, AT_A_STRETCH at most."""
        own, handled = desk or self.desk, 0
        while handled < AT_A_STRETCH and not stopped():
            claims = own.next_message()
            for claim in claims:
                worker.handle(own, claim, self.clock())
            if not claims and (desk is not None or not self.suspects.step()):
                break
            handled += 1
        return handled

    def send_due(self, stopped: Callable[[], bool] = lambda: False) -> int:
        """Send all messages that are due, and do what is due by time, until nothing is left; return the attempts."""
        attempts = self.send(stopped)
        while self._act(stopped) and (sent := self.send(stopped)):
            attempts += sent
        return attempts

    def send(self, stopped: Callable[[], bool]) -> int:
        attempts = 0
        while some := self.sender.send_next(stopped):
            attempts += some
            if stopped():
                break
            if self.scheduler.is_late(self.clock()):
                self._act(stopped)
        return attempts

    def _act(self, stopped: Callable[[], bool]) -> int:
        return self.scheduler.step(self.engine, self.settings.server, self.clock(), stopped)


@contextmanager
def open_server(
    settings: Settings,
    clock: Callable[[], datetime] = now,
    parser: MailParser | None = None,
    searcher: Searcher | None = None,
    *,
    features: Features = FEATURES,
    upgrade: bool = True,
) -> Iterator[Server]:
    """Open a server with an up-to-date database, and close it at the end. Raises BadConfig and database errors.

    Unless a parser or a searcher is given, messages are parsed, and the house thinks, in separate processes. The outbox
    is closed by the thread that sends: it may be in the middle of a message when the server closes.
    """
    GAMES.enable(settings.games.enabled, partial(can_be_named, features=features))
    ours, limits, dkim = settings.server, settings.limits, settings.outbox.dkim
    keyring, vitals, holder = ours.keyring(), Vitals(), leases.new_holder()
    sign = dkim_signing.signer(dkim, ours.domain) if dkim else senders.unsigned
    authentication.prepare(settings.checks)
    engine, tokens = database.connect(ours.database), configured_transports.tokens(settings)
    newest = sqlite.Newest(engine.url) if engine.dialect.name == "sqlite" else None
    killed = vitals.counts.killed
    parsers = tuple(parser or IsolatedParser(killed.labels("reading").inc) for _ in LANES_OF_DESKS)
    services = Services(ours, keyring, settings.checks, limits, settings.house, parsers[0], features, vitals)
    boards = settings.serve.url if settings.serve.boards else ""
    encloser = data_export.encloser(ours, features.exports)
    renderer = Renderer(ours, keyring, limits.keep_mail_days, encloser, boards)
    outbox, sending = configured_transports.outbox(settings, tokens), senders.send_queue(engine, holder)
    sender = senders.MailSender(sending, ours, renderer, keyring, outbox, clock, vitals, sign)
    desk, *desks = (
        Desk(work_queue(engine, holder, lanes), sending, replace(services, parser=own))
        for lanes, own in zip((tuple(Lane), *LANES_OF_DESKS), (parsers[0], *parsers), strict=True)
    )
    apart = work_queue(engine, leases.new_holder(), are_suspect=True)  # what it has isn't given back: that was counted
    suspects = Suspects(replace(desk, queue=apart), clock, tuple(desk.queue.bell for desk in desks))
    searcher = searcher or Searcher(lost=killed.labels("house").inc)
    thinker = Thinker(engine, ours, searcher, holder, clock)
    try:
        if upgrade:
            database.upgrade(engine, lambda *_: log.info("upgrading the tables"))
            key_of_database.adopt(engine, ours)
            with database.read_only(engine) as session:
                missing_games.require(session)
                if newest is not None and (why := newest.missing(session.connection())):
                    log.error("messages are missing", why=why)
            void_leases(engine)
        else:
            database.require_current(engine)
            key_of_database.require(engine, ours)
        inboxes, listeners = (
            tuple(configured_transports.inboxes(settings, tokens)),
            tuple(configured_transports.listeners(settings)),
        )
        scheduler = Scheduler(Retention(limits.keep_mail_days, limits.keep_waiting_days), features.due)
        workers = (services, sender, tuple(desks), desk, suspects)
        yield Server(settings, engine, *workers, inboxes, listeners, scheduler, thinker, newest, clock)
    finally:
        thinker.close()
        suspects.isolated.close()
        for parser in parsers:
            parser.close()
        engine.dispose()


def void_leases(engine: Engine) -> None:
    """End all leases of daemons that don't run any more, so that their work goes on at once."""
    with database.writing(engine) as connection:
        for queue in (Incoming, Outgoing):
            leases.void(connection, queue, is_unfinished(queue))
        for table in (Search, Analysis):
            leases.void(connection, table)


def run_once(server: Server) -> tuple[int, int, int]:
    """Receive, process and send what is waiting. Return the numbers of messages received, processed and attempted."""
    received = sum(receive_loop.receive_once(inbox, server.take) for inbox in server.inboxes)
    handled = sum(iter(server.handle_waiting, 0))
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
    settings, vitals = server.settings, server.vitals
    systemd = systemd or Systemd({})
    vitals.outbox.certificate_ends = partial(getattr, server.outbox, "certificate_ends", None)
    sending, played = server.sender.queue, threading.Event()
    looked_at = -loop_runner.SPACING_SECONDS  # when what is due by time was last looked for

    def handle_waiting(desk: Desk, stopped: Callable[[], bool]) -> bool:
        handled = server.handle_waiting(stopped, desk)
        if handled:
            played.set()
        return handled == AT_A_STRETCH

    def send(stopped: Callable[[], bool]) -> None:
        nonlocal looked_at
        server.send(stopped)
        rests_until = looked_at + loop_runner.SPACING_SECONDS
        while (rest := rests_until - time.monotonic()) > 0 and sending.bell.wait(rest) and not stopped():
            sending.bell.clear()
            server.send(stopped)
        server.send_due(stopped)
        looked_at = time.monotonic()

    def think(stopped: Callable[[], bool]) -> int:
        if steps := server.thinker.step(stopped):
            sending.bell.set()
        return steps

    def announce() -> None:
        log.info("ready", listening=[listener.port for listener in server.listeners], inboxes=len(server.inboxes))
        systemd.tell("READY=1")
        ready()

    look = loop_runner.WATCHFUL_SECONDS if settings.serve.post else loop_runner.LOOK_SECONDS
    reporter = Reporter(server.engine, vitals, server.clock, announce)
    working = [
        *(
            Loop(
                vitals.pulse(f"work {n}", loop_runner.WORKING),
                partial(handle_waiting, desk),
                desk.queue.bell,
                look=look,
            )
            for n, desk in enumerate(server.desks, start=1)
        ),
        Loop(
            vitals.pulse("work alone", loop_runner.WORKING), server.suspects.step, close=server.suspects.isolated.close
        ),
        Loop(vitals.pulse("house", loop_runner.THINKING), think, played, pause=loop_runner.SPACING_SECONDS),
        Loop(vitals.pulse("send", loop_runner.SENDING), send, sending.bell, close=server.outbox.close),
        Loop(
            vitals.pulse("report", loop_runner.PATIENCE),
            reporter.step,
            vitals.changed,
            reporter.end,
            look=running_servers.EVERY,
        ),
    ]
    if settings.backup.folder is not None:
        backups = Backups(server.engine, settings, server.clock)
        working.append(Loop(vitals.pulse("backup", loop_runner.BACKING_UP), backups.step, look=60.0))
    threads = [loop_runner.thread(loop.pulse, loop.run, stop, vitals) for loop in working]
    if settings.metrics.port is not None:
        port = metrics_port(server, settings.metrics.host, settings.metrics.port)
        threads.append(threading.Thread(target=port.run, args=(stop,), name="metrics", daemon=True))
    if server.engine.dialect.name == "postgresql":
        bells = {Channel.RECEIVED: [desk.queue.bell for desk in server.desks], Channel.OWED: [sending.bell, played]}
        link = vitals.link("notifications", "notifications lost", "notifications again")
        pulse = vitals.pulse("bells", loop_runner.PATIENCE)
        stopped = partial(pulse.stopped, stop)
        threads.append(loop_runner.thread(pulse, listen, server.engine, bells, stopped, stop.wait, link))
    for inbox in server.inboxes:
        link = vitals.mailbox("maildir" if isinstance(inbox, MaildirInbox) else "imap")
        link.certificate_ends = partial(getattr, inbox, "certificate_ends", None)
        pulse = vitals.pulse(f"receive {link.name}", loop_runner.RECEIVING)
        stopped, pause = partial(pulse.stopped, stop), partial(pulse.wait, stop)
        threads.append(loop_runner.thread(pulse, receive_loop.receive, inbox, server.take, stopped, pause, link))
    for listener in server.listeners:
        listener.start(server.take, vitals.pulse(listener.protocol, loop_runner.PATIENCE).beat)
    for thread in threads:
        thread.start()
    files = sqlite.Files(server.engine.url) if server.engine.dialect.name == "sqlite" else None
    watch = Watch(vitals, systemd, files=files)
    threading.Thread(target=watch.run, args=(stop,), name="watch", daemon=True).start()
    vitals.is_open = True
    vitals.changed.set()
    stop.wait()
    systemd.tell("STATUS=stopping\nSTOPPING=1")
    _stop(server, threads, {loop.bell for loop in working})


def metrics_port(server: Server, host: str, port: int) -> MetricsPort:
    """Return the port that shows metrics, and hears who unsubscribes if that is configured, open already."""
    ours, keyring = server.settings.server, server.services.keyring
    one_click = OneClick(ours, keyring, server.engine, server.take, server.clock) if ours.unsubscribe_url else None
    return MetricsPort(host, port, Exposition(server.engine, server.vitals, server.clock, server.settings), one_click)


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
    last = threading.Thread(target=server.give_back, daemon=True)
    last.start()
    last.join(LAST_SECONDS)
    log.info("stopped", unfinished=late)
