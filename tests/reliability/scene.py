"""The scene of crash tests: a folder, a database, a way in for messages, a post office, and running matches."""

import contextlib
import smtplib
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from functools import cached_property
from typing import Any

from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from pbem import config
from pbem.matches.integrity import faults, played
from pbem.server import daemon
from pbem.storage.database import transaction
from pbem.storage.models import Match
from tests import forks
from tests.operating import matches
from tests.operating.matches import NextMove
from tests.operating.people import PostOffice, words, written
from tests.operating.site import ADDRESS, LMTP_IN, Site, smtp_out
from tests.reliability.processes import Process
from tests.servers import GENEROUS, HOST, PASSWORD, Mailbox, until
from tests.stopped_leases import ENDED

KEYS = {
    "prepared": "match, seat",
    "entry": "tournament, player",
    "outgoingcontent": "outgoing",
}
"""The keys of tables whose rows have no number."""


@dataclass(frozen=True)
class Letter:
    """A message to the server, and the effects it must have, however often it arrives."""

    sender: str
    to: str
    raw: bytes
    ply: tuple[int, int, str] | None = None
    """The match, number and text of the turn it plays."""
    told: tuple[str, ...] = ()
    """The recipient of each message, or piece of news, that it causes."""
    says: str = ""
    """A unique word that each of these recipients must receive in one message."""

    @cached_property
    def message_id(self) -> str:
        """Its Message-ID."""
        return id_of(self.raw)


def id_of(raw: bytes) -> str:
    return str(message_from_bytes(raw)["Message-ID"]).strip()


class Lmtp:
    """An MTA in front of the server: it delivers by LMTP, and keeps messages that weren't accepted, to retry."""

    inbox, address = LMTP_IN, ADDRESS

    def __init__(self) -> None:
        self.kept: list[Letter] = []

    def post(self, letter: Letter) -> None:
        """Accept a message for delivery."""
        self.kept.append(letter)

    def deliver(self, process: Process) -> None:
        """Deliver the kept messages one by one, each over its own connection."""
        for letter in tuple(self.kept) if process.serves() else ():
            self.hand_in(process, letter)

    def deliver_at_once(self, process: Process) -> None:
        """Deliver all kept messages at the same moment."""
        gate = threading.Barrier(len(self.kept))

        def hand_in(letter: Letter) -> None:
            gate.wait(GENEROUS)
            self.hand_in(process, letter)

        threads = [threading.Thread(target=hand_in, args=(letter,)) for letter in self.kept]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(GENEROUS)

    def hand_in(self, process: Process, letter: Letter) -> None:
        """Try to deliver a message; forget it once it is accepted."""
        with (
            contextlib.suppress(smtplib.SMTPException, OSError),
            smtplib.LMTP(HOST, process.port, timeout=GENEROUS) as lmtp,
        ):
            lmtp.sendmail(letter.sender, [letter.to], letter.raw)
            self.kept.remove(letter)

    @property
    def untold(self) -> int:
        """The number of messages that haven't been acknowledged."""
        return len(self.kept)

    def leftovers(self, accepted: Iterable[str]) -> None:
        """Assert that no message is kept."""
        assert self.kept == []


class Imap:
    """A real mailbox; a message is sent once Dovecot has it."""

    def __init__(self, mailbox: Mailbox, password: str = PASSWORD) -> None:
        self.mailbox = mailbox
        self.password = password
        self.address = mailbox.user
        self.inbox = f"""
            [inbox.imap]
            host = "127.0.0.1"
            port = {mailbox.server.imap}
            security = "none"
            username = "{mailbox.user}"
            password = {{ value = '{password}' }}
        """

    def post(self, letter: Letter) -> None:
        """Deliver it to the mailbox."""
        with smtplib.LMTP(HOST, self.mailbox.server.lmtp, timeout=GENEROUS) as lmtp:
            lmtp.sendmail(letter.sender, [letter.to], letter.raw)

    def deliver(self, process: Process) -> None:
        """Do nothing: the daemon reads its mailbox."""

    @property
    def untold(self) -> int:
        """The number of messages in the inbox."""
        return len(self.mailbox.files())

    def leftovers(self, accepted: Iterable[str]) -> None:
        """Assert that the inbox is empty and every message is in Processed, where copies may occur."""
        assert self.mailbox.files() == []
        processed = Counter(id_of(raw) for raw in self.mailbox.raws("Processed"))
        assert set(processed) == set(accepted)


@dataclass
class Scene:
    """A server that can die at any time, and everything around it, which survives."""

    site: Site
    database: str
    door: Lmtp | Imap
    post: PostOffice
    written: dict[str, Letter] = field(default_factory=dict)
    """All messages to the server, by Message-ID."""
    before: dict[int, list[str]] = field(default_factory=dict)
    """The turns of each match when it was made."""

    def __post_init__(self) -> None:
        self.configure()
        self._engine = create_engine(self.database, poolclass=NullPool)
        self._started: list[Process] = []
        self.environment = {"PBEM_SERVER__DATABASE": self.database, forks.IMPATIENT: "yes"}

    def use(self, database: str) -> None:
        """Keep the data in that database instead."""
        self.database = database
        self.__post_init__()

    def configure(self) -> None:
        """Write the configuration file."""
        self.site.configure(self.door.inbox, smtp_out(self.post.port), address=self.door.address)

    @contextlib.contextmanager
    def server(self) -> Iterator[daemon.Server]:
        """Open the server inside this process."""
        settings = config.load(self.site.config)
        changed = settings.server.model_copy(update={"database": self.database})
        with daemon.open_server(settings.model_copy(update={"server": changed})) as server:
            yield server

    def seed(self, number: int) -> list[Letter]:
        """Create that many running matches. Return the messages that play their next turns."""
        with self.server() as server:
            letters = [moving(move) for move in matches.in_play(server, number, lambda n: n % 4)]
        self.before = plies(self)
        return letters

    def batch(self, some: str) -> None:
        """Let the players whose addresses match the LIKE pattern batch their news, which then doesn't wait."""
        self.rows("""update player set settings = '{"mail": "batch"}' where address like :some""", some=some)
        self.environment[forks.BATCHES_AT_ONCE] = "yes"

    def start(self, step: Any = None, nth: int = 1, *, deaf_to_time: bool = False) -> Process:
        """Start a daemon: with a step, it dies there; if deaf to time, it only looks for work when it is notified."""
        process = (
            Process(self.site.folder, deaf_to_time=deaf_to_time, **self.environment)
            if step is None
            else Process.to_die(self.site.folder, step, nth, **self.environment)
        )
        self._started.append(process)
        return process

    def write(self, *letters: Letter) -> None:
        """Hand messages over for delivery to the server."""
        for letter in letters:
            self.written[letter.message_id] = letter
            self.door.post(letter)

    def rows(self, sql: str, **values: object) -> list[Any]:
        """Return the rows of a query; rows of a single column are returned as their value."""
        with self._engine.begin() as connection:
            found = connection.execute(text(sql), values)
            rows = found.fetchall() if found.returns_rows else []
        return [row[0] if len(row) == 1 else tuple(row) for row in rows]

    def table(self, name: str) -> list[dict[str, Any]]:
        """Return all rows of a table by its key."""
        key = KEYS.get(name, "id")
        with self._engine.connect() as connection:
            return [dict(row) for row in connection.execute(text(f'select * from "{name}" order by {key}')).mappings()]

    def count(self, table: str, where: str = "1 = 1") -> int:
        """Return the number of rows."""
        return int(self.rows(f"select count(*) from {table} where {where}")[0])

    def leases_end(self, daemon: Process) -> None:
        """Let the time pass after which others do what a dead or frozen daemon had in hand (on PostgreSQL)."""
        for table in ("incoming", "outgoing"):
            theirs = f"select id from {table} where leased_until > {ENDED} and holder like :who"
            # What a frozen transaction holds can't be changed; nobody can claim it either.
            self.rows(
                f"update {table} set leased_until = {ENDED} where id in ({theirs} for update skip locked)",
                who=f"% {daemon.pid} %",
            )

    def freeze_at_rest(self, daemon: Process) -> None:
        """Stop a daemon while nobody has a transaction open on the database, which is PostgreSQL."""
        busy = "select 1 from pg_stat_activity where state <> 'idle' and pid <> pg_backend_pid()"
        ours = "application_name = current_setting('application_name')"

        def is_frozen() -> bool:
            daemon.freeze()
            if not self.rows(f"{busy} and {ours}"):
                return True
            daemon.thaw()
            return False

        until(is_frozen, "nobody has a transaction open")

    def quiet(self, seconds: float = GENEROUS) -> None:
        """Wait until the server has nothing left to do, for as long as it gets anywhere in that many seconds."""
        seen, end = "", 0.0
        while not self.is_quiet():
            self.rows("update outgoing set due = created where state = 'waiting' and due > created")  # notes
            if seen != (state := self.state()):
                seen, end = state, time.monotonic() + seconds
            assert time.monotonic() < end, f"not quiet: {state}\n{self._started[-1].log}"
            time.sleep(0.02)

    def is_quiet(self) -> bool:
        """Return whether all messages are processed, all replies sent, and the data of those who left deleted."""
        return (
            self.door.untold == 0
            and self.count("incoming") >= len(self.written)
            and self.count("incoming", "state = 'new'") == 0
            and self.count("outgoing", "state in ('owed', 'batched', 'waiting')") == 0
            and self.count("departure", "swept is null") == 0
        )

    def turns_since(self) -> int:
        """Return how many turns were played since the matches were made."""
        return sum(map(len, plies(self).values())) - sum(map(len, self.before.values()))

    def mails_done(self) -> int:
        """Return how many messages were processed or sent so far."""
        return self.count("incoming", "state = 'done'") + self.count("outgoing", "sent is not null")

    def has_suspects(self) -> bool:
        """Return whether an outgoing message was in progress at two crashes; after a third, it waits for long."""
        return bool(self.count("outgoing", "state = 'owed' and attempts > 1"))

    def state(self) -> str:
        """Return a summary of the queues, for messages of failed waits."""
        return repr(
            {
                "untold": self.door.untold,
                "incoming": self.rows("select state, count(*) from incoming group by state"),
                "outgoing": self.rows("select state, count(*) from outgoing group by state"),
            }
        )

    def end(self) -> None:
        """Kill all processes."""
        for process in self._started:
            process.kill()
        self._engine.dispose()


def moving(move: NextMove) -> Letter:
    """Return the message that plays the next turn, and its recipients."""
    opponent = f"{'o' if move.sender[0] == 'x' else 'x'}{move.sender[1:]}"
    return Letter(move.sender, move.to, move.raw, (move.match, move.ply, move.text), (move.sender, opponent))


def refused(letter: Letter) -> Letter:
    """Return the turn with a slip at its end; it is refused without effect, and no two such refusals are alike."""
    assert letter.ply is not None
    raw = written(letter.sender, letter.to, f"{letter.ply[2]}z99\n", Subject="Re: [pbem] your turn")
    return Letter(letter.sender, letter.to, raw, told=(letter.sender,))


def automatic(letter: Letter) -> Letter:
    """Return an automatic reply in that player's name; it is stored and gets no reply."""
    raw = written(letter.sender, letter.to, f"{letter.ply[2] if letter.ply else ''}\n", Auto_Submitted="auto-replied")
    return Letter(letter.sender, letter.to, raw.replace(b"Auto_Submitted", b"Auto-Submitted"))


def asking(name: str, address: str) -> Letter:
    """Return a stranger's request for help."""
    sender = f"{name}@mail.example"
    return Letter(sender, address, written(sender, address, "help\n"), told=(sender,))


def conserved(scene: Scene, *, put_away: bool = True) -> int:
    """Assert that nothing was lost and nothing happened twice. Return how many messages came more than once."""
    _every_mail_is_a_row(scene)
    if put_away:
        scene.door.leftovers(scene.written)
    _every_turn_is_one_ply(scene)
    extra = every_owed_mail_came(scene)
    _everybody_was_told(scene)
    with scene.server() as server, transaction(server.engine) as session:
        matches = [session.get_one(Match, number) for number in played(session)]
        assert [fault for found in faults(session, matches) for fault in found] == []
    return extra


def _every_mail_is_a_row(scene: Scene) -> None:
    ids = [id_of(bytes(raw)) for raw in scene.rows("select raw from rawmessage order by incoming")]
    assert sorted(ids) == sorted(scene.written)
    assert scene.rows("select distinct state from incoming") == ["done"]


def plies(scene: Scene) -> dict[int, list[str]]:
    """Return the stored turns of every match."""
    found = scene.rows("select match, number, text from ply order by match, number")
    numbers: dict[int, list[str]] = {}
    for match, number, turn in found:
        numbers.setdefault(match, []).append(turn)
        assert number == len(numbers[match]), "turns are numbered without gaps"
    return numbers


def _every_turn_is_one_ply(scene: Scene) -> None:
    wanted = {match: list(turns) for match, turns in scene.before.items()}
    for match, number, turn in sorted(letter.ply for letter in scene.written.values() if letter.ply):
        turns = wanted.setdefault(match, [])
        assert number == len(turns) + 1
        turns.append(turn)
    assert plies(scene) == wanted


def every_owed_mail_came(scene: Scene) -> int:
    """Assert that everyone got exactly their messages, each under one Message-ID, and each piece of news in one.

    A message to a player who has left can only be recognised by its Message-ID.
    Return how many messages came more than once.
    """
    ended = "('sent', 'merged', 'suspended', 'dropped')"
    left = scene.rows(f"select state, template, attempts, error from outgoing where state not in {ended}")
    assert not left, left
    owed = dict(scene.rows("select message_id, address from outgoing where sent is not null"))
    came = [(str(mail["Message-ID"]), recipient, mail.as_bytes()) for recipient, mail in scene.post.taken]
    whose = {message_id: recipient for message_id, recipient, _ in came}
    assert len({(message_id, recipient) for message_id, recipient, _ in came}) == len(whose) == len(owed)
    assert all(whose[message_id] == address or "@" not in address for message_id, address in owed.items())
    assert len(set(came)) == len(owed), "the same bytes each time"
    told = scene.rows(
        "select news.address, digest.address, digest.state, digest.template from outgoing news"
        " left join outgoing digest on digest.id = news.merged_into where news.state = 'merged'"
    )
    assert all(row == (row[0], row[0], "sent", "digest") for row in told), "told in a mail to the same address"
    return len(came) - len(owed)


def _everybody_was_told(scene: Scene) -> None:
    """Assert that each message received caused the messages, or pieces of news, that it should.

    Of two messages with the same turn, a mailbox may show the later one first, so messages from one person to one
    address are counted together. Notes of a player within five minutes are one message, so of a `say`, only the answer
    is counted, and its words are looked for in what everybody got.
    """
    because = dict(scene.rows("select incoming, raw from rawmessage"))
    told: dict[tuple[str, str], list[str]] = defaultdict(list)
    counted = "select incoming, address from outgoing where template not in ('digest', 'message')"
    for incoming, address in scene.rows(counted):
        letter = scene.written[id_of(bytes(because[incoming]))]
        told[letter.sender, letter.to].append(address)
    wanted: dict[tuple[str, str], list[str]] = defaultdict(list)
    for letter in scene.written.values():
        wanted[letter.sender, letter.to] += [letter.sender] if letter.says else letter.told
    assert {key: sorted(each) for key, each in told.items()} == {
        key: sorted(each) for key, each in wanted.items() if each
    }
    mails = {str(mail["Message-ID"]): (recipient, words(mail)) for recipient, mail in scene.post.taken}
    for letter in (letter for letter in scene.written.values() if letter.says):
        heard = [recipient for recipient, said in mails.values() if letter.says in said]
        assert sorted(heard) == sorted(letter.told), letter
