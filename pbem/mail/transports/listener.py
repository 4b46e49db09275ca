"""Our own servers for LMTP and SMTP: a message is acknowledged with 250 once it is stored, not before."""

import asyncio
import errno
import logging
import math
import socket
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, AnyStr, Literal

import structlog
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session, syntax

from pbem import failpoints
from pbem.config import ListenSettings
from pbem.failpoints import Step
from pbem.mail.transports.protocols import Arrival, Store, gist, not_listening
from pbem.mail.transports.smtp_data import NO_ROOM, BytesInFlight, MessageData, too_large

log = structlog.get_logger()

MINUTE = TELL_SECONDS = 60.0
BEAT_SECONDS = 5.0
GRACE_SECONDS = 3.0  # how long stopping waits for messages that are being received

LINE_BYTES = 64 * 1024  # longer lines than SMTP allows are common in HTML mail, and harmless up to here

WHATEVER_IS_THERE = 1 << 30
"""How many bytes are read at once: all that came, which is little, because the socket waits while they aren't read."""

COMMANDS = {"MAIL": 1000, "RCPT": 5000, "DATA": 1000, "RSET": 1000, "NOOP": 100, "*": 20}
"""How often a connection may send each command: an MTA sends many messages, a prober many other commands."""

BUSY = "421 4.3.2 Too many connections, please try again later"
CANNOT_STORE = "451 4.3.0 This server can't store mail just now, please try again later"
GOODBYE = "421 4.3.2 This server is closing down, please try again later"
EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a listener takes at once. A mail server that gets a "later" keeps the message and comes again."""

    connections: int = 100
    per_address: int = 50
    per_minute: int = 1_200  # from one address
    recipients: int = 50  # per message
    bytes_in_flight: int = 32_000_000  # of all messages that arrive at once
    idle_seconds: float = 300.0  # for a command, or a message's data


USUAL = Capacity()


class MailListener:
    """A server for LMTP (behind an MTA) or SMTP (small setups); once started, `port` is the actual port.

    aiosmtpd calls the methods named `handle_...` for the commands of each session.
    """

    def __init__(
        self,
        settings: ListenSettings,
        protocol: Literal["lmtp", "smtp"],
        limit: int,
        accepts: Callable[[str], bool],
        capacity: Capacity = USUAL,
    ) -> None:
        self.port = settings.port
        self.protocol = protocol
        self.limit = limit
        self.capacity = capacity
        self.in_flight = BytesInFlight(max(capacity.bytes_in_flight, limit))
        self.hostname = socket.gethostname()
        self.sessions: set[_Smtp] = set()
        self._host = settings.host
        self._accepts = accepts
        self._store: Store = lambda _: None
        self._storing: set[asyncio.Future[object]] = set()
        self._connections: Counter[str] = Counter()
        """How many each address has opened since the minute began."""
        self._minute = self._trouble = -math.inf
        """When the minute began, and when the log last said that no connections can be taken."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._server: asyncio.Server | None = None

    def start(self, store: Store, beat: Callable[[], object] = lambda: None) -> None:
        """Listen in a thread of its own; every message is stored before it is acknowledged. Raises OSError.

        `beat` is called every few seconds, as long as the listener goes on.
        """
        # aiosmtpd logs every command: recipients' addresses are secrets here, and mail is private.
        logging.getLogger("mail.log").setLevel(logging.ERROR)
        self._store = store
        self._loop = loop = asyncio.new_event_loop()
        loop.set_exception_handler(self._report)
        self._thread = threading.Thread(target=loop.run_forever, name=self.protocol, daemon=True)
        self._thread.start()
        listening = loop.create_server(lambda: _Admission(self), self._host, self.port)
        try:
            self._server = asyncio.run_coroutine_threadsafe(listening, loop).result()
        except OSError as error:
            self._end_loop()
            raise not_listening(f"inbox.{self.protocol}", self._host, self.port, error) from error
        self.port = self._server.sockets[0].getsockname()[1]
        loop.call_soon_threadsafe(_beat, loop, beat)
        log.info("listening", protocol=self.protocol, host=self._host, port=self.port)

    def stop(self) -> None:
        """Stop listening, and wait a few seconds for messages that are being received."""
        if self._loop is not None:
            asyncio.run_coroutine_threadsafe(self._finish(), self._loop).result()
            self._end_loop()

    def admits(self, address: str, now: float) -> bool:
        """Return whether another connection from that address is taken."""
        if now - self._minute >= MINUTE:
            self._connections.clear()
            self._minute = now
        self._connections[address] += 1
        open_from = [session.address for session in self.sessions]
        return (
            len(open_from) < self.capacity.connections
            and open_from.count(address) < self.capacity.per_address
            and self._connections[address] <= self.capacity.per_minute
        )

    def _end_loop(self) -> None:
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
        self._loop = self._thread = self._server = None

    async def _finish(self) -> None:
        loop = asyncio.get_running_loop()
        if self._server is not None:
            self._server.close()
        for session in tuple(self.sessions):
            session.dismiss()
        deadline = loop.time() + GRACE_SECONDS
        while (self.sessions or self._storing) and loop.time() < deadline:
            await asyncio.sleep(0.02)
        for session in tuple(self.sessions):
            log.warning("a connection was cut off while stopping")
            session.cut_off()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def _report(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log once a minute that no more files can be opened: asyncio reports some thousand attempts a minute."""
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in EXHAUSTED:
            loop.default_exception_handler(context)
        elif loop.time() - self._trouble > TELL_SECONDS:
            self._trouble = loop.time()
            log.error("no connections can be taken", error=gist(error))

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not _is_printable(address):
            return "553 5.1.7 This sender address has characters that no address has"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 Ok"

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if len(envelope.rcpt_tos) >= self.capacity.recipients:
            return f"452 4.5.3 At most {self.capacity.recipients} recipients at a time"
        if not _is_printable(address) or not self._accepts(address):
            return "550 5.1.1 There is no such address here"
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 Ok"

    async def handle_DATA(  # noqa: N802 - aiosmtpd's name
        self, server: "_Smtp", _session: Session, envelope: Envelope
    ) -> str:
        """Store the message, then acknowledge it; storing, which blocks, goes to a thread."""
        arrival = Arrival(
            raw=envelope.original_content or b"",
            source="lmtp" if self.protocol == "lmtp" else f"smtp {server.address}",
            sender="" if envelope.mail_from in (None, "<>") else envelope.mail_from,
            recipients=tuple(dict.fromkeys(envelope.rcpt_tos)),
        )
        storing = asyncio.get_running_loop().run_in_executor(None, self._store, (arrival,))
        self._storing.add(storing)
        storing.add_done_callback(self._storing.discard)
        try:
            await asyncio.shield(storing)  # a client that hangs up doesn't undo what is being committed
        except Exception as error:  # noqa: BLE001 - whatever fails, the client is to try again
            # No traceback: it may quote the message.
            log.error("a mail could not be stored", source=arrival.source, error=gist(error))  # noqa: TRY400
            return CANNOT_STORE
        return "250 2.0.0 Stored"

    async def handle_exception(self, error: Exception) -> str:
        """Ask the client to try again after an unforeseen error: the message must not bounce."""
        log.error("a mail session failed", error=gist(error))
        return CANNOT_STORE


class _Smtp(SMTP):
    """aiosmtpd's session, with an orderly end, and replies that help a person."""

    line_length_limit = LINE_BYTES

    def __init__(self, listener: MailListener, address: str) -> None:
        super().__init__(
            listener,
            data_size_limit=listener.limit,
            enable_SMTPUTF8=True,
            decode_data=False,
            hostname=listener.hostname,
            ident="pbem",
            timeout=listener.capacity.idle_seconds,
            command_call_limit=COMMANDS,
            auth_exclude_mechanism=("LOGIN", "PLAIN"),
            loop=asyncio.get_running_loop(),
        )
        self.address = address
        self._listener = listener
        self._busy = False
        self._leaving = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if self._leaving:
            self.dismiss()

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self._listener.sessions.discard(self)

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
            reply = await self._receive_and_store(self.envelope)
            replies = [reply] * (len(self.envelope.rcpt_tos) if isinstance(self, LMTP) else 1)
            self._set_post_data_state()  # type: ignore[no-untyped-call]
            await self.push("\r\n".join(replies))
            failpoints.reach(Step.ACKNOWLEDGED)
        finally:
            self._busy = False
        if self._leaving:
            self.dismiss()

    async def _receive_and_store(self, envelope: Envelope) -> str:
        in_flight = self._listener.in_flight
        data = MessageData(self._listener.limit, LINE_BYTES, in_flight)
        try:
            await self._receive(data)
            if data.refusal == NO_ROOM:
                log.warning("too much mail at once", bytes=in_flight.held)
            if data.refusal:
                return data.refusal
            envelope.content = envelope.original_content = data.content()
            storing = self.loop.create_task(self._call_handler_hook("DATA"))
        except BaseException:
            data.release()
            raise
        storing.add_done_callback(lambda _: data.release())
        reply: str = await asyncio.shield(storing)  # a client that hangs up doesn't end it
        return reply

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

    async def push(self, status: AnyStr) -> None:
        """Send a reply, with more helpful words where aiosmtpd refuses a message that is announced as too large."""
        if isinstance(status, str) and status.startswith("552 Error: message size exceeds"):
            await super().push(too_large(self._listener.limit))
        else:
            await super().push(status)


class _Lmtp(_Smtp, LMTP):
    """The same session for LMTP."""


class _Admission(asyncio.Protocol):
    """A new connection, which becomes a session unless there are too many."""

    def __init__(self, listener: MailListener) -> None:
        self._listener = listener

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else "local"
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - a socket's is one
        if not self._listener.admits(address, asyncio.get_running_loop().time()):
            log.warning("too many connections", address=address)
            transport.write(f"{BUSY}\r\n".encode())
            transport.close()
            return
        session = (_Lmtp if self._listener.protocol == "lmtp" else _Smtp)(self._listener, address)
        self._listener.sessions.add(session)
        transport.set_protocol(session)
        session.connection_made(transport)


def _is_printable(address: str) -> bool:
    return address.isprintable()  # false for control characters, and for surrogates, which stand for stray bytes


def _beat(loop: asyncio.AbstractEventLoop, beat: Callable[[], object]) -> None:
    beat()
    loop.call_later(BEAT_SECONDS, _beat, loop, beat)
