"""Our own servers for LMTP and SMTP: a message is acknowledged with 250 once it is stored, not before."""

import asyncio
import errno
import logging
import math
import socket
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, AnyStr, Literal

import structlog
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session, syntax

from pbem import failpoints
from pbem.config import ListenSettings
from pbem.failpoints import Step
from pbem.mail.transports.gate import USUAL, Capacity, Gate
from pbem.mail.transports.message_data import BytesInFlight, DataProblem, MessageData
from pbem.mail.transports.protocols import Arrival, Store, gist, not_listening

log = structlog.get_logger()

BEAT_SECONDS = 5.0
TELL_SECONDS = 60.0
GRACE_SECONDS = 3.0
"""How long stopping waits for messages that are being received."""

LINE_BYTES = 64 * 1024
"""Longer lines than SMTP allows are common in HTML mail, and harmless up to here."""

WHATEVER_IS_THERE = 1 << 30
"""How many bytes are read at once: all that came, which is little, because the socket waits while they aren't read."""

COMMANDS = {"MAIL": 1000, "RCPT": 5000, "DATA": 1000, "RSET": 1000, "NOOP": 100, "*": 20}
"""How often a connection may send each command: an MTA sends many messages, a prober many other commands."""

BUSY = "421 4.3.2 Too many connections, please try again later"
NO_ROOM = "452 4.3.1 Too much mail is arriving at once, please try again later"
CANNOT_STORE = "451 4.3.0 This server can't store mail just now, please try again later"
GOODBYE = "421 4.3.2 This server is closing down, please try again later"


class MailListener:
    """A server for LMTP (behind an MTA) or SMTP (small setups); once started, `port` is the actual port."""

    def __init__(
        self,
        settings: ListenSettings,
        protocol: Literal["lmtp", "smtp"],
        limit: int,
        accepts: Callable[[str], bool],
        capacity: Capacity = USUAL,
    ) -> None:
        self.port = settings.port
        self._settings = settings
        self._capacity = capacity
        self._gate = Gate(capacity)
        self.protocol = protocol
        self._limit = limit
        self._in_flight = BytesInFlight(max(capacity.bytes_in_flight, limit))
        self._accepts = accepts
        self._hostname = socket.gethostname()
        self._sessions: set[_Smtp] = set()
        self._handler: _Handler | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._server: asyncio.Server | None = None

    def start(self, store: Store, beat: Callable[[], object] = lambda: None) -> None:
        """Listen in a thread of its own; every message is stored before it is acknowledged. Raises OSError.

        `beat` is called every few seconds, as long as the listener goes on.
        """
        if self._loop is not None:
            raise RuntimeError("this listener is already started")
        # aiosmtpd logs every command: recipients' addresses are secrets here, and mail is private.
        logging.getLogger("mail.log").setLevel(logging.ERROR)
        self._loop = loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_run, args=(loop,), name=self.protocol, daemon=True)
        self._thread.start()
        self._handler = handler = _Handler(store, self._accepts, loop, self._capacity.recipients)
        listening = loop.create_server(lambda: self._new_connection(handler), self._settings.host, self.port)
        try:
            self._server = asyncio.run_coroutine_threadsafe(listening, loop).result()
        except OSError as error:
            self._end_loop()
            raise not_listening(f"inbox.{self.protocol}", self._settings.host, self.port, error) from error
        self.port = self._server.sockets[0].getsockname()[1]
        loop.call_soon_threadsafe(_beat, loop, beat)
        log.info("listening", protocol=self.protocol, host=self._settings.host, port=self.port)

    def stop(self) -> None:
        """Stop listening, and wait a few seconds for messages that are being received."""
        if self._loop is None:
            return
        asyncio.run_coroutine_threadsafe(self._finish(), self._loop).result()
        self._end_loop()

    def _end_loop(self) -> None:
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop = self._thread = self._server = None

    def _new_connection(self, handler: "_Handler") -> asyncio.BaseProtocol:
        kind = _Lmtp if self.protocol == "lmtp" else _Smtp
        new_session = partial(
            kind,
            handler,
            data_size_limit=self._limit,
            enable_SMTPUTF8=True,
            decode_data=False,
            hostname=self._hostname,
            ident="pbem",
            timeout=self._capacity.idle_seconds,
            command_call_limit=COMMANDS,
            auth_exclude_mechanism=("LOGIN", "PLAIN"),
            loop=handler.loop,
            on_close=self._sessions.discard,
            in_flight=self._in_flight,
        )
        return _Admission(self._gate, new_session, self._sessions)

    async def _finish(self) -> None:
        loop = asyncio.get_running_loop()
        if self._server is not None:
            self._server.close()
        for session in tuple(self._sessions):
            session.dismiss()
        deadline = loop.time() + GRACE_SECONDS
        while (self._sessions or (self._handler and self._handler.storing)) and loop.time() < deadline:
            await asyncio.sleep(0.02)
        for session in tuple(self._sessions):
            log.warning("a connection was cut off while stopping")
            session.cut_off()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


class _Handler:
    """Callbacks of aiosmtpd for each command; storing, which blocks, goes to threads."""

    def __init__(
        self, store: Store, accepts: Callable[[str], bool], loop: asyncio.AbstractEventLoop, recipients: int
    ) -> None:
        self.loop = loop
        self._recipients = recipients
        self.storing: set[asyncio.Future[object]] = set()
        self._store = store
        self._accepts = accepts

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not _is_printable(address):
            return "553 5.1.7 This sender address has characters that no address has"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 Ok"

    async def handle_RCPT(  # noqa: N802
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if len(envelope.rcpt_tos) >= self._recipients:
            return f"452 4.5.3 At most {self._recipients} recipients at a time"
        if not _is_printable(address) or not self._accepts(address):
            return "550 5.1.1 There is no such address here"
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 Ok"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Store the message, then acknowledge it: for LMTP once per accepted recipient."""
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
            await asyncio.shield(storing)  # a client that hangs up doesn't undo what is being committed
        except Exception as error:  # noqa: BLE001 - whatever fails, the client is to try again
            # No traceback: it may quote the message.
            log.error("a mail could not be stored", source=arrival.source, error=gist(error))  # noqa: TRY400
            status = CANNOT_STORE
        return "\r\n".join([status] * (len(envelope.rcpt_tos) if lmtp else 1))

    async def handle_exception(self, error: Exception) -> str:
        """Ask the client to try again after an unforeseen error: the message must not bounce."""
        log.error("a mail session failed", error=gist(error))
        return CANNOT_STORE


class _Smtp(SMTP):
    """aiosmtpd's session, with an orderly end, and replies that help a person."""

    line_length_limit = LINE_BYTES

    def __init__(self, *args: Any, on_close: Callable[[Any], None], in_flight: BytesInFlight, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._on_close = on_close
        self._in_flight = in_flight
        self.on_leaving: Callable[[], None] = lambda: None
        self._busy = False
        self._leaving = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if self._leaving:
            self.dismiss()

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self._on_close(self)
        self.on_leaving()

    def dismiss(self) -> None:
        self._leaving = True
        if self.transport is not None and not self._busy:
            self._writer.write(f"{GOODBYE}\r\n".encode())
            self.transport.close()

    def cut_off(self) -> None:
        if self.transport is not None:
            self._writer.transport.abort()

    @syntax("DATA")
    async def smtp_DATA(self, arg: str | None) -> None:  # noqa: N802 - aiosmtpd's name
        """Receive a message in pieces, as they come: aiosmtpd would keep each line as an object of its own."""
        assert self.envelope is not None  # noqa: S101 - a session that takes commands has one
        if await self.check_helo_needed():
            return
        if not self.envelope.rcpt_tos:
            await self.push("503 5.5.1 Error: need RCPT command")
            return
        if arg:
            await self.push("501 5.5.4 Syntax: DATA")
            return
        self._busy = True
        try:
            await self.push("354 End data with <CR><LF>.<CR><LF>")
            replies = await self._receive_and_store(self.envelope)
            self._set_post_data_state()  # type: ignore[no-untyped-call]
            await self.push(replies)
            failpoints.reach(Step.ACKNOWLEDGED)
        finally:
            self._busy = False
        if self._leaving:
            self.dismiss()

    async def _receive_and_store(self, envelope: Envelope) -> str:
        data = MessageData(self.data_size_limit or 0, LINE_BYTES, self._in_flight)
        try:
            await self._receive(data)
            if data.problem is not None:
                return self._refusal(envelope, data.problem)
            envelope.content = envelope.original_content = data.content()
            storing = self.loop.create_task(self._call_handler_hook("DATA"))
        except BaseException:
            data.release()
            raise
        storing.add_done_callback(lambda _: data.release())
        replies: str = await asyncio.shield(storing)  # a client that hangs up doesn't end it
        return replies

    async def _receive(self, data: MessageData) -> None:
        """Receive the data up to its end; what follows it are the client's next commands."""
        rest = None
        while rest is None:
            piece = await self._reader.read(WHATEVER_IS_THERE)
            if not piece:
                raise ConnectionResetError("the client hung up")
            rest = data.take(piece)
        if rest and not self._reader.at_eof():
            self._reader.feed_data(rest)  # nothing else has come since: everything that was there was read

    def _refusal(self, envelope: Envelope, problem: DataProblem) -> str:
        """Return the replies to data that wasn't kept: for LMTP one for each recipient."""
        match problem:
            case DataProblem.TOO_LARGE:
                reply = self._too_large()
            case DataProblem.LINE_TOO_LONG:
                reply = f"500 5.6.0 A line of this mail is longer than {LINE_BYTES // 1024} KB"
            case DataProblem.NO_ROOM:
                log.warning("too much mail at once", bytes=self._in_flight.held)
                reply = NO_ROOM
        return "\r\n".join([reply] * (len(envelope.rcpt_tos) if isinstance(self, LMTP) else 1))

    def _too_large(self) -> str:
        size = (self.data_size_limit or 0) // 1024
        return f"552 5.3.4 This server takes mails up to {size} KB; please send plain text, without files"

    async def push(self, status: AnyStr) -> None:
        """Send a reply, with more helpful words where aiosmtpd refuses a message that is announced as too large."""
        if isinstance(status, str) and status.startswith("552 Error: message size exceeds"):
            await super().push(self._too_large())
        else:
            await super().push(status)


class _Lmtp(_Smtp, LMTP):
    """The same session for LMTP."""


class _Admission(asyncio.Protocol):
    def __init__(self, gate: Gate, new_session: Callable[[], _Smtp], sessions: set[_Smtp]) -> None:
        self._gate, self._new_session, self._sessions = gate, new_session, sessions

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else "local"
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - a socket's is one
        if not self._gate.enter(address, asyncio.get_running_loop().time()):
            log.warning("too many connections", address=address)
            transport.write(f"{BUSY}\r\n".encode())
            transport.close()
            return
        session = self._new_session()
        self._sessions.add(session)
        session.on_leaving = partial(self._gate.leave, address)
        transport.set_protocol(session)
        session.connection_made(transport)


def _is_printable(address: str) -> bool:
    return address.isprintable()  # false for control characters, and for surrogates, which stand for stray bytes


def _beat(loop: asyncio.AbstractEventLoop, beat: Callable[[], object]) -> None:
    beat()
    loop.call_later(BEAT_SECONDS, _beat, loop, beat)


EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class _Trouble:
    """Tells once a minute that no more files can be opened: asyncio tells each of some thousand attempts a minute."""

    def __init__(self) -> None:
        self._told = -math.inf

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in EXHAUSTED:
            loop.default_exception_handler(context)
        elif loop.time() - self._told > TELL_SECONDS:
            self._told = loop.time()
            log.error("no connections can be taken", error=gist(error))


def _run(loop: asyncio.AbstractEventLoop) -> None:
    loop.set_exception_handler(_Trouble())
    try:
        loop.run_forever()
    finally:
        loop.close()
