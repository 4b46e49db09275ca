"""A mailbox on an IMAP server: its folder is the queue, and only UIDs are ever acted upon.

`imap_client` connects and waits. No text from a message reaches imapclient, because it would send a line break
unchanged, and the rest as a command.
"""

import contextlib
import imaplib
import time
from collections.abc import Callable, Iterator
from typing import Any

import structlog

from pbem import failpoints
from pbem.config import ImapSettings
from pbem.failpoints import Step
from pbem.mail.oauth2.access import AccessTokens
from pbem.mail.reading.limits import LARGEST_HEADER_BLOCK, header_block
from pbem.mail.transports import imap_client
from pbem.mail.transports.imap_client import CONNECTION_ERRORS
from pbem.mail.transports.protocols import ENDS_SOON, USUAL, Arrival, Patience, ServerUnreachable, certificate_end
from pbem.secret_setting import BadConfig

log = structlog.get_logger()

BATCH_MAILS = 50
BATCH_BYTES = 4 * 1024 * 1024
SIZES_AT_ONCE = 250
WINDOW = 50_000  # how many messages are listed at once: imaplib gives up on a line of a million bytes

STRIKES = 3  # a message that ended the connection this often is skipped until the next start

DONE = "$PbemDone"  # the keyword of a message that is stored but couldn't be moved


class ImapInbox:
    """An Inbox over IMAP; connects when asked for mail, and again after any failure."""

    def __init__(
        self,
        settings: ImapSettings,
        limit: int,
        tokens: AccessTokens | None = None,
        *,
        patience: Patience = USUAL,
        idle_seconds: float = imap_client.IDLE_SECONDS,
        poll_seconds: float = imap_client.POLL_SECONDS,
    ) -> None:
        self._settings = settings
        self._name = f"{settings.host}:{settings.port}"
        self._patience = patience
        self._idle_seconds, self._poll_seconds = idle_seconds, poll_seconds
        self._tokens = tokens
        self._limit = limit
        self._client: Any = None
        self.certificate_ends: float | None = None
        self._fetched: dict[str, int] = {}
        """Source -> UID of what the last fetch returned: valid on this connection and UIDVALIDITY only."""
        self._stuck: set[int] = set()
        """UIDs that are stored, but could be neither moved nor marked; not to be fetched again."""
        self._strikes: dict[int, int] = {}
        """How often the connection ended while a message was being fetched."""
        self._folder = settings.folder
        self._processed = settings.processed
        self._validity = 0
        self._more = False

    def fetch(self) -> Iterator[tuple[Arrival, ...]]:
        """Yield all of the folder in batches by UID; of a message over the limit, only header block and size."""
        with self._disconnecting():
            known = self._client
            client = self._connected()
            uids = self._list(client)
            if client is not known:
                self._clear_marked(client)
        for at in range(0, len(uids), SIZES_AT_ONCE):
            part = uids[at : at + SIZES_AT_ONCE]
            with self._disconnecting():
                answers = self._fetch_items(client, part, "RFC822.SIZE")
                sizes = {uid: int(answers[uid].get(b"RFC822.SIZE", 0)) for uid in part if uid in answers}
            for uids_and_sizes in _batches(sizes, self._limit):
                with self._disconnecting():
                    batch = self._read(client, uids_and_sizes)
                if batch:
                    yield batch
                    if self._client is not client:
                        raise ServerUnreachable(f"{self._name}: the connection was lost in between")

    def done(self, batch: tuple[Arrival, ...]) -> None:
        """Move a batch to the processed folder; if that isn't possible, mark it so that it isn't read again.

        A batch from an earlier connection isn't moved, because its UIDs may mean other messages by now.
        """
        client = self._client
        uids = [self._fetched[arrival.source] for arrival in batch if arrival.source in self._fetched]
        if client is None or len(uids) != len(batch):
            raise ServerUnreachable(f"{self._name}: a batch from an earlier connection; it will come again")
        with self._disconnecting():
            if not self._put_away(client, uids):
                self._mark(client, uids)
        for arrival in batch:
            del self._fetched[arrival.source]

    def wait(self, seconds: float, stopped: Callable[[], bool]) -> None:
        """IDLE, or sleep until the next poll; return at once if the server has announced new mail meanwhile."""
        if self._client is None:
            raise ServerUnreachable(f"{self._name}: not connected")
        if self._more or imap_client.has_new_mail(self._client):
            return
        with self._disconnecting():
            if self._client.has_capability("IDLE"):
                imap_client.idle(self._client, min(seconds, self._idle_seconds), stopped)
            else:
                imap_client.nap(min(seconds, self._poll_seconds), stopped)
        if self.certificate_ends is not None and self.certificate_ends - time.time() < ENDS_SOON:
            self._drop()  # the server may have a newer one for the next connection

    def close(self) -> None:
        """Log out if the server listens, for a second at most; never raises."""
        if self._client is not None:
            with contextlib.suppress(*CONNECTION_ERRORS):
                self._client.socket().settimeout(imap_client.GOODBYE_SECONDS)
                self._client.logout()
        self._drop()

    # The connection

    @contextlib.contextmanager
    def _disconnecting(self) -> Iterator[None]:
        """Drop the connection on any failure inside, and raise ServerUnreachable instead."""
        try:
            yield
        except (*CONNECTION_ERRORS, BadConfig) as error:
            self._drop()
            raise ServerUnreachable(f"{self._name}: {type(error).__name__}: {error}") from error

    def _connected(self) -> Any:
        if self._client is None:
            self._client = client = imap_client.connect(self._settings, self._tokens, self._patience)
            self.certificate_ends = certificate_end(client.socket())
            self._folder = imap_client.full_name(client, self._settings.folder)
            self._processed = imap_client.full_name(client, self._settings.processed)
            if self._processed == self._folder:  # what stayed there would be read again for ever
                raise BadConfig("processed in [inbox.imap] is the same as folder: write another folder")
            imap_client.ensure_folder(client, self._processed)
        return self._client

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            imap_client.disconnect(client)

    # Reading

    def _list(self, client: Any) -> list[int]:
        """Return the UIDs to read; selecting the folder again tells the current UIDVALIDITY and count."""
        selected = client.select_folder(self._folder)
        validity = int(selected[b"UIDVALIDITY"])
        if validity != self._validity:
            self._validity = validity
            self._stuck.clear()
            self._strikes.clear()
        self._fetched.clear()
        imap_client.has_new_mail(client)  # forget the count just announced: any later one is news
        new = f"UNKEYWORD {DONE}"
        flood: list[int] = []
        if int(selected[b"EXISTS"]) > WINDOW:
            flood = self._search(client, f"1:{WINDOW} {new}")
        self._more = bool(flood)
        return flood or self._search(client, new)

    def _search(self, client: Any, what: str) -> list[int]:
        return sorted(uid for uid in client.search(what) if uid not in self._stuck)

    def _read(self, client: Any, sizes: dict[int, int]) -> tuple[Arrival, ...]:
        """Return the messages; one that another client has expunged meanwhile is left out."""
        small = [uid for uid, size in sizes.items() if size <= self._limit]
        large = [uid for uid, size in sizes.items() if size > self._limit]
        bodies = self._fetch_items(client, small, "BODY.PEEK[]")
        heads = self._fetch_items(client, large, f"BODY.PEEK[HEADER]<0.{LARGEST_HEADER_BLOCK}>")
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
            self._fetched[source] = uid
        return tuple(batch)

    def _fetch_items(self, client: Any, uids: list[int], item: str) -> dict[int, dict[bytes, Any]]:
        """FETCH the item of each; messages that ended a connection are fetched one at a time, three times at most."""
        answers: dict[int, dict[bytes, Any]] = {}
        if calm := [uid for uid in uids if uid not in self._strikes]:
            answers |= self._fetch_item(client, calm, item)
        for uid in uids:
            if 0 < self._strikes.get(uid, 0) < STRIKES:
                answers |= self._fetch_item(client, [uid], item)
        return answers

    def _fetch_item(self, client: Any, uids: list[int], item: str) -> dict[int, dict[bytes, Any]]:
        """FETCH; if the server refuses a set, one by one, so that one bad message hides no other."""
        try:
            answers: dict[int, dict[bytes, Any]] = client.fetch(uids, [item])
        except (imaplib.IMAP4.abort, OSError):
            # Dovecot, for one, hangs up on a message that it can't read.
            for uid in uids:
                self._strikes[uid] = self._strikes.get(uid, 0) + 1
                if self._strikes[uid] == STRIKES:
                    log.warning("a message is skipped: reading it ends the connection", uid=uid)
            raise
        except imaplib.IMAP4.error as error:
            if len(uids) == 1:
                log.warning("a message can't be fetched", uid=uids[0], error=str(error))
                return {}
            return dict(answer for uid in uids for answer in self._fetch_item(client, [uid], item).items())
        if item.startswith("BODY"):
            for uid in uids:
                self._strikes.pop(uid, None)
        return answers

    # Putting away

    def _put_away(self, client: Any, uids: list[int]) -> bool:
        """Move the messages, or copy and expunge them; return False if the server can or will do neither."""
        if not client.has_capability("MOVE") and not client.has_capability("UIDPLUS"):
            return False  # a bare EXPUNGE would take what other clients marked \Deleted
        refusal = None
        for _ in range(2):
            try:
                if refusal is not None:
                    # The folder is gone, or some of the messages are: then none was moved, and by now the server
                    # knows what is left.
                    imap_client.ensure_folder(client, self._processed)
                self._move(client, uids)
            except imaplib.IMAP4.abort:
                raise
            except imaplib.IMAP4.error as error:
                refusal = str(error)
            else:
                return True
        log.warning("mail can't be moved; marked instead", folder=self._processed, error=refusal)
        return False

    def _move(self, client: Any, uids: list[int]) -> None:
        if client.has_capability("MOVE"):
            client.move(uids, self._processed)
        else:
            client.copy(uids, self._processed)
            failpoints.reach(Step.COPIED)
            client.delete_messages(uids, silent=True)
            client.uid_expunge(uids)

    def _mark(self, client: Any, uids: list[int]) -> None:
        """Set the keyword; if the server doesn't keep it, remember the UIDs for as long as we run."""
        if int(client.select_folder(self._folder)[b"UIDVALIDITY"]) != self._validity:
            raise imaplib.IMAP4.abort("UIDVALIDITY changed")  # then the server refused because the UIDs were stale
        try:
            flags = client.add_flags(uids, [DONE])
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error:
            flags = {}
        self._stuck.update(uid for uid in uids if DONE.encode() not in flags.get(uid, ()))

    def _clear_marked(self, client: Any) -> None:
        """Try once per connection to move what could only be marked before, perhaps because of a quota."""
        if client.has_capability("MOVE") and (marked := client.search(f"KEYWORD {DONE}")):
            self._put_away(client, marked[:SIZES_AT_ONCE])


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
