"""Listeners of our own for LMTP and SMTP: a mail is answered with 250 once it is stored, not before."""

import asyncio
import logging
import socket
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, AnyStr, Literal

import structlog
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from pbem import failpoints
from pbem.config import ListenSettings
from pbem.failpoints import Step
from pbem.transports.protocols import Arrival, Store, gist

log = structlog.get_logger()

MINUTE = 60.0
GRACE_SECONDS = 3.0
"""How long stopping waits for mails in hand."""

LINE_BYTES = 64 * 1024
"""Longer lines than SMTP allows are common in HTML mail, and harmless up to here."""

COMMANDS = {"MAIL": 1000, "RCPT": 5000, "DATA": 1000, "RSET": 1000, "NOOP": 100, "*": 20}
"""How often a connection may say what: an MTA sends many mails over one, a prober says many other things."""

BUSY = "421 4.3.2 Too many connections, please try again later"
OUR_FAULT = "451 4.3.0 This server can't store mail just now, please try again later"
GOODBYE = "421 4.3.2 This server is closing down, please try again later"


class MailListener:
    """A Listener for LMTP (behind an MTA) or SMTP (small setups); `port` is the real one once started."""

    def __init__(
        self,
        settings: ListenSettings,
        protocol: Literal["lmtp", "smtp"],
        limit: int,
        accepts: Callable[[str], bool],
    ) -> None:
        self.port = settings.port
        self._settings = settings
        self._gate = _Gate(settings)
        self._protocol = protocol
        self._limit = limit
        self._accepts = accepts
        self._hostname = socket.gethostname()
        self._open: set[_Smtp] = set()
        self._handler: _Handler | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._server: asyncio.Server | None = None

    def start(self, store: Store) -> None:
        """Listen in a thread of its own; every mail is stored before it is acknowledged. Raises OSError."""
        if self._loop is not None:
            raise RuntimeError("this listener is already started")
        # aiosmtpd logs every command: recipients' addresses are secrets here, and mail is nobody's business.
        logging.getLogger("mail.log").setLevel(logging.ERROR)
        self._loop = loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_run, args=(loop,), name=self._protocol, daemon=True)
        self._thread.start()
        self._handler = handler = _Handler(store, self._accepts, loop, self._settings.recipients)
        listening = loop.create_server(lambda: self._answer(handler), self._settings.host, self.port)
        try:
            self._server = asyncio.run_coroutine_threadsafe(listening, loop).result()
        except OSError:
            self._end_loop()
            raise
        self.port = self._server.sockets[0].getsockname()[1]
        log.info("listening", protocol=self._protocol, host=self._settings.host, port=self.port)

    def stop(self) -> None:
        """Finish the mails in hand, for ten seconds at most, and listen no more."""
        if self._loop is None:
            return
        asyncio.run_coroutine_threadsafe(self._finish(), self._loop).result()
        self._end_loop()

    def _end_loop(self) -> None:
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop = self._thread = self._server = None

    def _answer(self, handler: "_Handler") -> asyncio.BaseProtocol:
        """Give the protocol for one more connection."""
        kind = _Lmtp if self._protocol == "lmtp" else _Smtp
        open_door = partial(
            kind,
            handler,
            data_size_limit=self._limit,
            enable_SMTPUTF8=True,
            decode_data=False,
            hostname=self._hostname,
            ident="pbem",
            timeout=self._settings.idle_seconds,
            command_call_limit=COMMANDS,
            auth_exclude_mechanism=("LOGIN", "PLAIN"),
            loop=handler.loop,
            gone=self._open.discard,
        )
        return _Porch(self._gate, open_door, self._open)

    async def _finish(self) -> None:
        loop = asyncio.get_running_loop()
        if self._server is not None:
            self._server.close()
        for door in tuple(self._open):
            door.dismiss()
        deadline = loop.time() + GRACE_SECONDS
        while (self._open or (self._handler and self._handler.storing)) and loop.time() < deadline:
            await asyncio.sleep(0.02)
        for door in tuple(self._open):
            log.warning("a connection was cut off while stopping")
            door.cut_off()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


class _Handler:
    """What aiosmtpd asks about each command; blocking work goes to threads."""

    def __init__(
        self, store: Store, accepts: Callable[[str], bool], loop: asyncio.AbstractEventLoop, recipients: int
    ) -> None:
        self.loop = loop
        self._recipients = recipients
        self.storing: set[asyncio.Future[None]] = set()
        self._store = store
        self._accepts = accepts

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not _sound(address):
            return "553 5.1.7 This sender address has characters that no address has"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 Ok"

    async def handle_RCPT(  # noqa: N802
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if len(envelope.rcpt_tos) >= self._recipients:
            return f"452 4.5.3 At most {self._recipients} recipients at a time"
        if not _sound(address) or not await asyncio.to_thread(self._accepts, address):
            return "550 5.1.1 There is no such address here"
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 Ok"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Store, then say so: for LMTP once per accepted recipient."""
        lmtp = isinstance(server, LMTP)
        content = envelope.original_content or b""
        sender = "" if envelope.mail_from in (None, "<>") else envelope.mail_from
        peer = session.peer[0] if isinstance(session.peer, tuple) else "local"
        arrival = Arrival(
            raw=content,
            source="lmtp" if lmtp else f"smtp {peer}",
            sender=sender,
            recipients=tuple(dict.fromkeys(envelope.rcpt_tos)),
        )
        status = "250 2.0.0 Stored"
        storing = self.loop.run_in_executor(None, self._store, (arrival,))
        self.storing.add(storing)
        storing.add_done_callback(self.storing.discard)
        try:
            await asyncio.shield(storing)  # a client that hangs up does not undo what is being committed
        except Exception as error:  # noqa: BLE001 - whatever it is, it is our fault, and said so
            # No traceback: it may show the mail.
            log.error("a mail could not be stored", source=arrival.source, error=gist(error))  # noqa: TRY400
            status = OUR_FAULT
        return "\r\n".join([status] * (len(envelope.rcpt_tos) if lmtp else 1))

    async def handle_exception(self, error: Exception) -> str:
        """Anything unforeseen is our fault until shown otherwise: the mail must not be bounced."""
        log.error("a mail session failed", error=gist(error))
        return OUR_FAULT


class _Smtp(SMTP):
    """What we add to aiosmtpd: an orderly end, and words a person can use."""

    line_length_limit = LINE_BYTES

    def __init__(self, *args: Any, gone: Callable[[Any], None], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._gone = gone
        self._left: Callable[[], None] = lambda: None
        self._busy = False
        self._leaving = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if self._leaving:
            self.dismiss()

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self._gone(self)
        self._left()

    def on_leaving(self, left: Callable[[], None]) -> None:
        """Call that when the connection is over."""
        self._left = left

    def dismiss(self) -> None:
        """Hang up, after the mail in hand."""
        self._leaving = True
        if self.transport is not None and not self._busy:
            self._writer.write(f"{GOODBYE}\r\n".encode())
            self.transport.close()

    def cut_off(self) -> None:
        """Hang up at once."""
        if self.transport is not None:
            self._writer.transport.abort()

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 - aiosmtpd's name
        self._busy = True
        try:
            await super().smtp_DATA(arg)
            failpoints.reach(Step.ACKNOWLEDGED)
        finally:
            self._busy = False
        if self._leaving:
            self.dismiss()

    async def push(self, status: AnyStr) -> None:
        """Answer; a refusal of the data by aiosmtpd itself goes to each recipient where LMTP wants that."""
        words = self._reworded(status) if isinstance(status, str) else None
        if words is None:
            await super().push(status)
        elif self._busy and self.envelope is not None and isinstance(self, LMTP):
            await super().push("\r\n".join([words] * len(self.envelope.rcpt_tos)))
        else:
            await super().push(words)

    def _reworded(self, status: str) -> str | None:
        """Give aiosmtpd's refusals of a mail for its size in words that help; None for all else."""
        if status.startswith(("552 Error: Too much mail data", "552 Error: message size exceeds")):
            size = (self.data_size_limit or 0) // 1024
            return f"552 5.3.4 This server takes mails up to {size} KB; please send plain text, without files"
        if status.startswith("500 Line too long"):
            return f"500 5.6.0 A line of this mail is longer than {LINE_BYTES // 1024} KB"
        return None


class _Lmtp(_Smtp, LMTP):
    """The same for LMTP."""


class _Gate:
    """Who may come in: so many at once, so many of one address, and so many of it within a minute."""

    def __init__(self, settings: ListenSettings) -> None:
        self._settings = settings
        self._inside: Counter[str] = Counter()
        self._came: Counter[str] = Counter()
        self._minute = 0.0

    def enter(self, address: str, now: float) -> bool:
        """Count one more, if there is room for it; who was let in has to `leave`."""
        if now - self._minute >= MINUTE:
            self._came.clear()
            self._minute = now
        self._came[address] += 1
        if (
            self._inside.total() >= self._settings.connections
            or self._inside[address] >= self._settings.connections_per_address
            or self._came[address] > self._settings.connections_per_minute
        ):
            return False
        self._inside[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Make room for another."""
        self._inside[address] -= 1
        if not self._inside[address]:
            del self._inside[address]


class _Porch(asyncio.Protocol):
    """Where each connection comes first: it is let in, or told to come later."""

    def __init__(self, gate: _Gate, open_door: Callable[[], _Smtp], inside: set[_Smtp]) -> None:
        self._gate, self._open_door, self._inside = gate, open_door, inside

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else "local"
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - a socket's is one
        if not self._gate.enter(address, asyncio.get_running_loop().time()):
            log.warning("too many connections", address=address)
            transport.write(f"{BUSY}\r\n".encode())
            transport.close()
            return
        door = self._open_door()
        self._inside.add(door)
        door.on_leaving(partial(self._gate.leave, address))
        transport.set_protocol(door)
        door.connection_made(transport)


def _sound(address: str) -> bool:
    """Whether a database can hold it: no control characters and nothing that is not Unicode."""
    return address.isprintable()  # false for controls and for surrogates, which stand for stray bytes


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()
