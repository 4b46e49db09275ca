"""Where crashes are rehearsed: a folder, a database, a way for mail to come in, a post office, matches in play."""

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
from tests.operating import matches
from tests.operating.matches import NextMove
from tests.operating.people import PostOffice, words, written
from tests.operating.site import ADDRESS, LMTP_IN, Site, smtp_out
from tests.reliability.processes import Process
from tests.servers import GENEROUS, HOST, PASSWORD, Mailbox


@dataclass(frozen=True)
class Letter:
    """A mail that somebody writes, and what must come of it, however often it arrives."""

    sender: str
    to: str
    raw: bytes
    ply: tuple[int, int, str] | None = None
    """Match, number and text of the turn it plays."""
    told: tuple[str, ...] = ()
    """Who gets a mail, or a piece of news, because of it, and how many."""
    says: str = ""
    """A word that nobody else writes, and that each of those reads in one mail."""

    @cached_property
    def message_id(self) -> str:
        """The Message-ID that its sender gave it."""
        return id_of(self.raw)


def id_of(raw: bytes) -> str:
    return str(message_from_bytes(raw)["Message-ID"]).strip()


class Lmtp:
    """What an MTA does for those who write: it hands in, and keeps what was not accepted, to hand it in again."""

    inbox, address = LMTP_IN, ADDRESS

    def __init__(self) -> None:
        self.kept: list[Letter] = []

    def post(self, letter: Letter) -> None:
        """Take a mail for delivery."""
        self.kept.append(letter)

    def deliver(self, process: Process) -> None:
        """Hand in what is kept, each mail over a connection of its own."""
        for letter in tuple(self.kept) if process.serves() else ():
            self.hand_in(process, letter)

    def deliver_at_once(self, process: Process) -> None:
        """Hand in what is kept, all mails at the same moment."""
        gate = threading.Barrier(len(self.kept))

        def hand_in(letter: Letter) -> None:
            gate.wait(110)
            self.hand_in(process, letter)

        threads = [threading.Thread(target=hand_in, args=(letter,)) for letter in self.kept]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(110)

    def hand_in(self, process: Process, letter: Letter) -> None:
        """Try to hand in a mail; forget it once it is accepted."""
        with contextlib.suppress(smtplib.SMTPException, OSError), smtplib.LMTP(HOST, process.port, timeout=110) as lmtp:
            lmtp.sendmail(letter.sender, [letter.to], letter.raw)
            self.kept.remove(letter)

    @property
    def untold(self) -> int:
        """How many mails have not been acknowledged."""
        return len(self.kept)

    def leftovers(self, accepted: Iterable[str]) -> None:
        """Assert that nothing is waiting."""
        assert self.kept == []


class Imap:
    """A real mailbox; who writes is done when Dovecot has the mail."""

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
            idle_seconds = 1
            poll_seconds = 0.1
            answer_seconds = 2
        """

    def post(self, letter: Letter) -> None:
        """Deliver it to the mailbox."""
        with smtplib.LMTP(HOST, self.mailbox.server.lmtp, timeout=110) as lmtp:
            lmtp.sendmail(letter.sender, [letter.to], letter.raw)

    def deliver(self, process: Process) -> None:
        """Leave it to the daemon, which reads its mailbox."""

    @property
    def untold(self) -> int:
        """How many mails have not been moved away."""
        return len(self.mailbox.files())

    def leftovers(self, accepted: Iterable[str]) -> None:
        """Assert that the folder is empty and every mail is in the other one; twice if it was copied twice."""
        assert self.mailbox.files() == []
        processed = Counter(id_of(raw) for raw in self.mailbox.raws("Processed"))
        assert set(processed) == set(accepted)


@dataclass
class Scene:
    """A server that may die at any time, and everything around it that does not."""

    site: Site
    database: str
    door: Lmtp | Imap
    post: PostOffice
    written: dict[str, Letter] = field(default_factory=dict)
    """All that was ever written, by Message-ID."""

    def __post_init__(self) -> None:
        self.configure()
        self._engine = create_engine(self.database, poolclass=NullPool)
        self._started: list[Process] = []
        self.environment = {"PBEM_SERVER__DATABASE": self.database}

    def configure(self) -> None:
        """Write the configuration as it is now."""
        self.site.configure(self.door.inbox, smtp_out(self.post.port), address=self.door.address)

    @contextlib.contextmanager
    def server(self) -> Iterator[daemon.Server]:
        """The server opened inside this process."""
        settings = config.load(self.site.config)
        changed = settings.server.model_copy(update={"database": self.database})
        with daemon.open_server(settings.model_copy(update={"server": changed})) as server:
            yield server

    def seed(self, number: int) -> list[Letter]:
        """So many matches in play, and the mail that plays the next turn of each."""
        with self.server() as server:
            return [moving(move) for move in matches.in_play(server, number, lambda n: n % 4)]

    def batch(self, some: str) -> None:
        """Let the players whose addresses are so collect their news, and be told of them again and again."""
        self.rows("""update player set settings = '{"mail": "batch"}' where address like :some""", some=some)
        self.environment["PBEM_SERVER__BATCH_MINUTES"] = "0.00001"

    def start(self, step: Any = None, nth: int = 1, *, deaf_to_time: bool = False) -> Process:
        """A daemon; with a step, one that will die there; or one that begins nothing unless it is notified."""
        process = (
            Process(self.site.folder, deaf_to_time=deaf_to_time, **self.environment)
            if step is None
            else Process.to_die(self.site.folder, step, nth, **self.environment)
        )
        self._started.append(process)
        return process

    def write(self, *letters: Letter) -> None:
        """Hand mails to whoever carries them to the server."""
        for letter in letters:
            self.written[letter.message_id] = letter
            self.door.post(letter)

    def rows(self, sql: str, **values: object) -> list[Any]:
        """What a query finds; a single column comes without its tuple."""
        with self._engine.begin() as connection:
            found = connection.execute(text(sql), values)
            rows = found.fetchall() if found.returns_rows else []
        return [row[0] if len(row) == 1 else tuple(row) for row in rows]

    def table(self, name: str) -> list[dict[str, Any]]:
        """All rows of a table, in the order of their numbers."""
        with self._engine.connect() as connection:
            return [dict(row) for row in connection.execute(text(f'select * from "{name}" order by id')).mappings()]

    def count(self, table: str, where: str = "1 = 1") -> int:
        """How many rows there are."""
        return int(self.rows(f"select count(*) from {table} where {where}")[0])

    def quiet(self, seconds: float = GENEROUS) -> None:
        """Wait until nothing is left to do."""
        end = time.monotonic() + seconds
        while not self.is_quiet():
            assert time.monotonic() < end, f"not quiet: {self.state()}\n{self._started[-1].log}"
            time.sleep(0.02)

    def is_quiet(self) -> bool:
        """Whether everything written is handled and everything owed is sent."""
        return (
            self.door.untold == 0
            and self.count("incoming") >= len(self.written)
            and self.count("incoming", "state = 'new'") == 0
            and self.count("outgoing", "state in ('owed', 'batched')") == 0
        )

    def mails_done(self) -> int:
        """Return how many mails were handled or sent so far."""
        return self.count("incoming", "state = 'done'") + self.count("outgoing", "sent is not null")

    def has_suspects(self) -> bool:
        """Whether a mail was in hand at two deaths already; at the third it would be taken for poison, and rightly."""
        return bool(
            self.count("incoming", "state = 'new' and attempts > 1")
            or self.count("outgoing", "state = 'owed' and delivery_starts > 1")
        )

    def state(self) -> str:
        """How far it is, for who waits in vain."""
        return repr(
            {
                "untold": self.door.untold,
                "incoming": self.rows("select state, count(*) from incoming group by state"),
                "outgoing": self.rows("select state, count(*) from outgoing group by state"),
            }
        )

    def end(self) -> None:
        """Leave no process behind."""
        for process in self._started:
            process.kill()
        self._engine.dispose()


def moving(move: NextMove) -> Letter:
    """The mail that plays the next turn, and whom it concerns."""
    opponent = f"{'o' if move.sender[0] == 'x' else 'x'}{move.sender[1:]}"
    return Letter(move.sender, move.to, move.raw, (move.match, move.ply, move.text), (move.sender, opponent))


def refused(letter: Letter) -> Letter:
    """The same player, about the same match, with words that are no turn: refused, and the match stays as it is."""
    raw = written(letter.sender, letter.to, "z99z99\n", Subject="Re: [pbem] your turn")
    return Letter(letter.sender, letter.to, raw, told=(letter.sender,))


def automatic(letter: Letter) -> Letter:
    """A machine's answer in that player's name: filed, and answered to nobody."""
    raw = written(letter.sender, letter.to, f"{letter.ply[2] if letter.ply else ''}\n", Auto_Submitted="auto-replied")
    return Letter(letter.sender, letter.to, raw.replace(b"Auto_Submitted", b"Auto-Submitted"))


def asking(name: str, address: str) -> Letter:
    """A stranger who asks for help."""
    sender = f"{name}@mail.example"
    return Letter(sender, address, written(sender, address, "help\n"), told=(sender,))


def conserved(scene: Scene, *, before: dict[int, list[str]], put_away: bool = True) -> int:
    """Assert from outside that nothing was lost and nothing happened twice; how many mails came more than once."""
    _every_mail_is_a_row(scene)
    if put_away:
        scene.door.leftovers(scene.written)
    _every_turn_is_one_ply(scene, before)
    extra = every_owed_mail_came(scene)
    _everybody_was_told(scene)
    with scene.server() as server, transaction(server.engine) as session:
        assert [list(faults(session, match)) for match in played(session) if list(faults(session, match))] == []
    return extra


def _every_mail_is_a_row(scene: Scene) -> None:
    ids = [id_of(bytes(raw)) for raw in scene.rows("select raw from incoming order by id")]
    assert sorted(ids) == sorted(scene.written)
    assert scene.rows("select distinct state from incoming") == ["done"]


def plies(scene: Scene) -> dict[int, list[str]]:
    """The turns of every match, as the database has them now."""
    found = scene.rows("select match, number, text from ply order by match, number")
    numbers: dict[int, list[str]] = {}
    for match, number, turn in found:
        numbers.setdefault(match, []).append(turn)
        assert number == len(numbers[match]), "turns are numbered without gaps"
    return numbers


def _every_turn_is_one_ply(scene: Scene, before: dict[int, list[str]]) -> None:
    wanted = {match: list(turns) for match, turns in before.items()}
    for match, number, turn in sorted(letter.ply for letter in scene.written.values() if letter.ply):
        turns = wanted.setdefault(match, [])
        assert number == len(turns) + 1
        turns.append(turn)
    assert plies(scene) == wanted


def every_owed_mail_came(scene: Scene) -> int:
    """Assert that everybody got each mail of his under one Message-ID and nothing else, each piece of news in one mail.

    Where somebody has left, nothing but the Message-ID tells any more that a mail was his.
    How many mails came more than once.
    """
    assert set(scene.rows("select distinct state from outgoing")) <= {"sent", "merged", "suspended", "dropped"}
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
    """Each mail that came has made the mails, or the pieces of news, that it should.

    Of two mails with the same turn, written one after the other, the mailbox may show the second one first; so what
    one person writes to one address is counted together.
    """
    because = dict(scene.rows("select id, raw from incoming"))
    told: dict[tuple[str, str], list[str]] = defaultdict(list)
    for incoming, address in scene.rows("select incoming, address from outgoing where template <> 'digest'"):
        letter = scene.written[id_of(bytes(because[incoming]))]
        told[letter.sender, letter.to].append(address)
    wanted: dict[tuple[str, str], list[str]] = defaultdict(list)
    for letter in scene.written.values():
        wanted[letter.sender, letter.to] += letter.told
    assert {key: sorted(each) for key, each in told.items()} == {
        key: sorted(each) for key, each in wanted.items() if each
    }
    mails = {str(mail["Message-ID"]): (recipient, words(mail)) for recipient, mail in scene.post.taken}
    for letter in (letter for letter in scene.written.values() if letter.says):
        heard = [recipient for recipient, said in mails.values() if letter.says in said]
        assert sorted(heard) == sorted(letter.told), letter
