"""A mailbox on an IMAP server: the folder itself is the queue, and only UIDs are ever acted upon.

No text from a mail reaches imapclient: it would send a line break as it is, and what follows as a command.
"""

import contextlib
import imaplib
import logging
import select
import ssl
import time
from collections.abc import Callable, Iterator
from typing import Any

import structlog
from imapclient import IMAPClient, SocketTimeout

from pbem import failpoints
from pbem.config import BadConfig, ImapSettings
from pbem.failpoints import Step
from pbem.reading.limits import LARGEST_HEADER_BLOCK, header_block
from pbem.transports.protocols import Arrival, Unreachable

log = structlog.get_logger()

BATCH_MAILS = 50
BATCH_BYTES = 4 * 1024 * 1024
SIZES_AT_ONCE = 250
WINDOW = 50_000
"""So many mails are listed at once: imaplib gives up on a line of a million bytes."""

STRIKES = 3
"""A mail over which the connection ended so often is passed over until the next start."""

DONE = "$PbemDone"
"""The keyword of a mail that is stored but could not be moved away."""

SLICE = 0.25
"""How long a wait sleeps before it asks again whether it should stop."""

GOODBYE_SECONDS = 1.0
IDLE_NAP = 1.0
"""Between two IDLEs when a server keeps saying things that are no mail."""

# What a lost, confused or refusing server makes imaplib, imapclient and the socket raise.
TROUBLE = (imaplib.IMAP4.error, OSError, ValueError, LookupError, AttributeError, TypeError, AssertionError)


class ImapInbox:
    """An Inbox over IMAP; connects when asked for mail, and again after anything went wrong."""

    def __init__(self, settings: ImapSettings, limit: int) -> None:
        self._settings = settings
        self._limit = limit
        self._client: Any = None
        self._handed: dict[str, int] = {}
        """Source -> UID of what the last fetch handed out: valid on this connection and UIDVALIDITY only."""
        self._stuck: set[int] = set()
        """UIDs that are stored, but could be neither moved nor marked; not to be handed out again."""
        self._strikes: dict[int, int] = {}
        """How often the connection ended while a mail was being fetched."""
        self._folder = settings.folder
        self._processed = settings.processed
        self._validity = 0
        self._more = False

    def fetch(self) -> Iterator[tuple[Arrival, ...]]:
        """All of the folder, in batches by UID; over the limit, only header and size."""
        with self._edge():
            known = self._client
            client = self._connected()
            uids = self._list(client)
            if client is not known:
                self._clear_marked(client)
        for at in range(0, len(uids), SIZES_AT_ONCE):
            with self._edge():
                sizes = self._sizes(client, uids[at : at + SIZES_AT_ONCE])
            for some in _batches(sizes, self._limit):
                with self._edge():
                    batch = self._read(client, some)
                if batch:
                    yield batch
                    if self._client is not client:
                        raise Unreachable(f"{self._name}: the connection went away in between")

    def done(self, batch: tuple[Arrival, ...]) -> None:
        """Move a batch to the processed folder; where that can't be, mark it so that it is not read again.

        A batch from an earlier connection is not moved, because its UIDs may mean other mails by now.
        """
        client = self._client
        uids = [self._handed[mail.source] for mail in batch if mail.source in self._handed]
        if client is None or len(uids) != len(batch):
            raise Unreachable(f"{self._name}: a batch from an earlier connection; it will come again")
        with self._edge():
            if not self._put_away(client, uids):
                self._mark(client, uids)
        for mail in batch:
            del self._handed[mail.source]

    def wait(self, seconds: float, stopped: Callable[[], bool]) -> None:
        """IDLE, or sleep until the next poll; return at once where the server told of new mail meanwhile."""
        if self._client is None:
            raise Unreachable(f"{self._name}: not connected")
        if self._more or self._new_mail():
            return
        with self._edge():
            if self._settings.use_idle and self._client.has_capability("IDLE"):
                self._idle(min(seconds, self._settings.idle_seconds), stopped)
            else:
                _nap(min(seconds, self._settings.poll_seconds), stopped)

    def close(self) -> None:
        """Log out if the server listens, for a second at most; never raises."""
        if self._client is not None:
            with contextlib.suppress(*TROUBLE):
                self._client.socket().settimeout(GOODBYE_SECONDS)
                self._client.logout()
        self._drop()

    # The connection

    @property
    def _name(self) -> str:
        return f"{self._settings.host}:{self._settings.port}"

    @contextlib.contextmanager
    def _edge(self) -> Iterator[None]:
        """Whatever goes wrong inside ends the connection and becomes Unreachable."""
        try:
            yield
        except (*TROUBLE, BadConfig) as error:
            self._drop()
            raise Unreachable(f"{self._name}: {type(error).__name__}: {error}") from error

    def _connected(self) -> Any:
        if self._client is None:
            settings = self._settings
            logging.getLogger("imapclient").setLevel(logging.WARNING)  # below that, it logs every line
            tls = settings.tls.context() if settings.security != "none" else None
            self._client = client = IMAPClient(
                settings.host,
                settings.port,
                ssl=settings.security == "tls",
                ssl_context=tls,
                timeout=SocketTimeout(connect=settings.connect_seconds, read=settings.answer_seconds),
            )
            if settings.security == "starttls":
                client.starttls(tls)
            self._authenticate(client)
            self._folder = _in_namespace(client, settings.folder)
            self._processed = _in_namespace(client, settings.processed)
            if not client.folder_exists(self._processed):
                self._make_processed(client)
        return self._client

    def _authenticate(self, client: Any) -> None:
        """Log in; OAuth2 will be another case, with client.oauth2_login."""
        settings = self._settings
        match settings.auth:
            case "password":
                password = settings.password.read()
                if (settings.username + password).isascii():
                    client.login(settings.username, password)
                else:  # LOGIN is ASCII in imaplib; SASL PLAIN is UTF-8
                    client.plain_login(settings.username, password)

    def _make_processed(self, client: Any) -> None:
        client.create_folder(self._processed)
        with contextlib.suppress(imaplib.IMAP4.error):  # only a courtesy to mail programs
            client.subscribe_folder(self._processed)

    def _drop(self) -> None:
        """Let go without a word: the other end may not be listening."""
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(*TROUBLE):
                client.shutdown()

    # Reading

    def _list(self, client: Any) -> list[int]:
        """List the UIDs to read; selecting anew each time tells UIDVALIDITY and the count as they are now."""
        selected = client.select_folder(self._folder)
        validity = int(selected[b"UIDVALIDITY"])
        if validity != self._validity:
            self._validity = validity
            self._stuck.clear()
            self._strikes.clear()
        self._handed.clear()
        self._new_mail()  # forget the count just told: any that comes from here on is news
        new = f"UNKEYWORD {DONE}"
        flood: list[int] = []
        if int(selected[b"EXISTS"]) > WINDOW:
            flood = self._search(client, f"1:{WINDOW} {new}")
        self._more = bool(flood)
        return flood or self._search(client, new)

    def _search(self, client: Any, what: str) -> list[int]:
        return sorted(uid for uid in client.search(what) if uid not in self._stuck)

    def _sizes(self, client: Any, uids: list[int]) -> dict[int, int]:
        answers = self._asked(client, uids, "RFC822.SIZE")
        return {uid: int(answers[uid].get(b"RFC822.SIZE", 0)) for uid in uids if uid in answers}

    def _read(self, client: Any, sizes: dict[int, int]) -> tuple[Arrival, ...]:
        """Read the mails themselves; one that another client expunged meanwhile is left out."""
        small = [uid for uid, size in sizes.items() if size <= self._limit]
        large = [uid for uid, size in sizes.items() if size > self._limit]
        bodies = self._asked(client, small, "BODY.PEEK[]")
        heads = self._asked(client, large, f"BODY.PEEK[HEADER]<0.{LARGEST_HEADER_BLOCK}>")
        batch: list[Arrival] = []
        for uid, size in sizes.items():
            source = f"imap {self._settings.folder} {self._validity}/{uid}"
            raw: bytes | None = bodies.get(uid, {}).get(b"BODY[]")
            answer = heads.get(uid, {})
            head: bytes | None = next((answer[k] for k in answer if k.startswith(b"BODY[HEADER]")), None)
            if raw is not None and len(raw) > self._limit:  # the server's RFC822.SIZE was wrong
                head, size, raw = header_block(raw), len(raw), None
            if raw is not None:
                batch.append(Arrival(raw=raw, source=source))
            elif head is not None:
                batch.append(Arrival(raw=head[:LARGEST_HEADER_BLOCK], source=source, size=size))
            else:
                continue
            self._handed[source] = uid
        return tuple(batch)

    def _asked(self, client: Any, uids: list[int], item: str) -> dict[int, dict[bytes, Any]]:
        """FETCH the item of each; mails over which a connection ended are asked for alone, three times."""
        answers: dict[int, dict[bytes, Any]] = {}
        if calm := [uid for uid in uids if uid not in self._strikes]:
            answers |= self._ask(client, calm, item)
        for uid in uids:
            if 0 < self._strikes.get(uid, 0) < STRIKES:
                answers |= self._ask(client, [uid], item)
        return answers

    def _ask(self, client: Any, uids: list[int], item: str) -> dict[int, dict[bytes, Any]]:
        """FETCH; where the server refuses a set, one by one, so that one bad mail hides no other."""
        try:
            answers: dict[int, dict[bytes, Any]] = client.fetch(uids, [item])
        except (imaplib.IMAP4.abort, OSError):
            # Dovecot, for one, hangs up over a mail that it can't read.
            for uid in uids:
                self._strikes[uid] = self._strikes.get(uid, 0) + 1
                if self._strikes[uid] == STRIKES:
                    log.warning("a mail is passed over: reading it ends the connection", uid=uid)
            raise
        except imaplib.IMAP4.error as error:
            if len(uids) == 1:
                log.warning("a mail can't be fetched", uid=uids[0], error=str(error))
                return {}
            return {found: answer for uid in uids for found, answer in self._ask(client, [uid], item).items()}
        if item.startswith("BODY"):
            for uid in uids:
                self._strikes.pop(uid, None)
        return answers

    # Putting away

    def _put_away(self, client: Any, uids: list[int]) -> bool:
        """Move, or else copy and expunge just these; false where the server can or will do neither."""
        if not client.has_capability("MOVE") and not client.has_capability("UIDPLUS"):
            return False  # a bare EXPUNGE would take what other clients marked \Deleted
        try:
            try:
                self._bring(client, uids)
            except imaplib.IMAP4.abort:
                raise
            except imaplib.IMAP4.error:
                # The folder is gone, or some of the mails are: then none was moved, and by now the server
                # has noticed what is left.
                if not client.folder_exists(self._processed):
                    self._make_processed(client)
                self._bring(client, uids)
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error as error:
            log.warning("mail can't be moved; marked instead", folder=self._processed, error=str(error))
            return False
        return True

    def _bring(self, client: Any, uids: list[int]) -> None:
        if client.has_capability("MOVE"):
            client.move(uids, self._processed)
        else:
            client.copy(uids, self._processed)
            failpoints.reach(Step.COPIED)
            client.delete_messages(uids, silent=True)
            client.uid_expunge(uids)

    def _mark(self, client: Any, uids: list[int]) -> None:
        """Set the keyword; where a server doesn't keep it, remember the UIDs for as long as we run."""
        if int(client.select_folder(self._folder)[b"UIDVALIDITY"]) != self._validity:
            raise imaplib.IMAP4.abort("UIDVALIDITY changed")  # then the refusal came from stale UIDs
        try:
            kept = client.add_flags(uids, [DONE])
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error:
            kept = {}
        self._stuck.update(uid for uid in uids if DONE.encode() not in kept.get(uid, ()))

    def _clear_marked(self, client: Any) -> None:
        """Try once a connection to move what could only be marked before, say because of a quota."""
        if client.has_capability("MOVE") and (marked := client.search(f"KEYWORD {DONE}")):
            self._put_away(client, marked[:SIZES_AT_ONCE])

    # Waiting

    def _new_mail(self) -> bool:
        """Whether the server told a count of mails, in the course of any command, since we last asked."""
        return bool(self._client._imap.response("EXISTS")[1] != [None])  # noqa: SLF001 - documented in imaplib

    def _idle(self, seconds: float, stopped: Callable[[], bool]) -> None:
        """Return on new mail, after `seconds`, or when stopped.

        Not imapclient's idle(): its idle_check() misses what came together with the "+", takes half a
        line for a broken one, and returns [] at once and for ever after the server has gone.
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end and not stopped():
            if self._idle_once(end, stopped):
                if self._new_mail():
                    return
                _nap(min(IDLE_NAP, end - time.monotonic()), stopped)

    def _idle_once(self, end: float, stopped: Callable[[], bool]) -> bool:
        """One IDLE, until the server says something: then true."""
        imap = self._client._imap  # noqa: SLF001 - imapclient has no other door to IDLE
        tag = imap._command("IDLE")  # noqa: SLF001
        while imap._get_response() is not None:  # noqa: SLF001 - until the "+"
            if imap.tagged_commands[tag]:
                raise imaplib.IMAP4.error("the server refused IDLE")
        heard = _unread(imap)
        poller = select.poll()
        poller.register(self._client.socket().fileno(), select.POLLIN)
        while not heard and not stopped() and (left := end - time.monotonic()) > 0:
            heard = bool(poller.poll(1000 * min(SLICE, left)))
        if stopped():
            self._client.socket().settimeout(GOODBYE_SECONDS)
        # Reading is left to DONE: it takes whole lines, and raises on BYE, end of file and silence.
        imap.send(b"DONE\r\n")
        imap._command_complete("IDLE", tag)  # noqa: SLF001
        return heard


def _unread(imap: Any) -> bool:
    """Whether there are bytes that left the socket already, where poll can't see them."""
    if isinstance(imap.sock, ssl.SSLSocket) and imap.sock.pending():
        return True
    if hasattr(imap, "_readbuf"):  # Python 3.14
        return bool(imap._readbuf)  # noqa: SLF001
    timeout = imap.sock.gettimeout()
    imap.sock.setblocking(False)
    try:
        return bool(imap.file.peek(1))
    except OSError:  # nothing there, in the words of TLS
        return False
    finally:
        imap.sock.settimeout(timeout)


def _nap(seconds: float, stopped: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while not stopped() and (left := end - time.monotonic()) > 0:
        time.sleep(min(SLICE, left))


def _in_namespace(client: Any, folder: str) -> str:
    """Give the folder's full name: some servers keep everything of a person below "INBOX."."""
    if not client.has_capability("NAMESPACE"):
        return folder
    personal = client.namespace().personal
    prefix = personal[0][0] if personal else ""
    return folder if folder.upper() == "INBOX" or folder.startswith(prefix) else prefix + folder


def _batches(sizes: dict[int, int], limit: int) -> Iterator[dict[int, int]]:
    batch: dict[int, int] = {}
    weight = 0
    for uid, size in sizes.items():
        cost = size if size <= limit else LARGEST_HEADER_BLOCK
        if batch and (len(batch) == BATCH_MAILS or weight + cost > BATCH_BYTES):
            yield batch
            batch, weight = {}, 0
        batch[uid] = size
        weight += cost
    if batch:
        yield batch
