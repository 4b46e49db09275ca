"""Several daemons on one PostgreSQL share the work: each message is processed once, those of a match in order."""

import random
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from pbem.failpoints import Step
from pbem.server.attempts import MOST
from pbem.server.scheduled import alerts
from pbem.server.sender import TOGETHER
from pbem.server.work_queue import WorkQueue
from pbem.storage import database
from pbem.storage.models import Incoming, IncomingState, OutgoingState
from pbem.transports.protocols import Arrival
from tests.cases import MANY, ONLY_IN_SOAK, SEEDS, quick_where
from tests.correspondence import correspondence, text
from tests.operating.people import PostOffice
from tests.operating.site import Site
from tests.pbem.test_digest import NOON, PEOPLE, begin, command, gather_at_once, rows
from tests.postgres import Postgres
from tests.reliability.conftest import Stage
from tests.reliability.players import Players
from tests.reliability.processes import Process
from tests.reliability.scene import Letter, Lmtp, Scene, conserved, plies, refused
from tests.servers import until

# The queue from which each daemon claims messages


@pytest.fixture
def engine(postgres: Postgres) -> Iterator[Engine]:
    """Make a database with three waiting messages."""
    engine = database.connect(postgres.migrated())
    now = NOON
    with database.transaction(engine) as session:
        for number in (1, 2, 3):
            session.add(Incoming(key=str(number), size=0, source="test", recipients=[], received=now))
    yield engine
    engine.dispose()


@pytest.fixture
def seat(engine: Engine) -> Iterator[Callable[[], WorkQueue]]:
    """Return a function that returns the queue as another daemon sees it."""
    queues: list[WorkQueue] = []

    def another() -> WorkQueue:
        queues.append(WorkQueue(engine, lambda: NOON))
        return queues[-1]

    yield another
    for queue in queues:
        queue.close()


class Later:
    """The result of a call in a separate thread."""

    def __init__(self, ask: Callable[[], Any]) -> None:
        self.answers: list[Any] = []
        self._thread = threading.Thread(target=lambda: self.answers.append(ask()), daemon=True)
        self._thread.start()

    def waits(self, engine: Engine) -> bool:
        """Wait until it waits for a lock in PostgreSQL or has finished. Return whether it waits."""

        def waiting() -> bool:
            with engine.connect() as connection:
                found = connection.exec_driver_sql("select count(*) from pg_locks where not granted").scalar_one()
                return bool(found)

        until(lambda: self.answers or waiting(), "it waits, or has its answer")
        return not self.answers

    def answer(self) -> Any:
        """Return the result."""
        self._thread.join(110)
        return self.answers[0]


def handled(engine: Engine, number: int) -> None:
    with database.transaction(engine) as session:
        session.get_one(Incoming, number).state = IncomingState.DONE


@pytest.mark.slow
def test_each_daemon_takes_the_oldest_mail_that_no_other_has(seat: Callable[[], WorkQueue], engine: Engine) -> None:
    one, two, three, four = (seat() for _ in range(4))
    assert [one.claim_next(), two.claim_next(), three.claim_next(), four.claim_next()] == [1, 2, 3, None]
    two.release()
    assert four.claim_next() == 2
    handled(engine, 1)
    one.release()
    assert one.claim_next() is None


def test_mails_with_different_keys_are_handled_at_once(seat: Callable[[], WorkQueue], engine: Engine) -> None:
    one, two = seat(), seat()
    assert (one.claim_next(), two.claim_next()) == (1, 2)
    assert one.wait_turn(1, {"match 1", "address a"})
    assert two.wait_turn(2, {"match 2", "address b"})


def test_the_later_of_two_mails_with_one_key_waits_for_the_earlier_one(
    seat: Callable[[], WorkQueue], engine: Engine
) -> None:
    one, two = seat(), seat()
    assert (one.claim_next(), two.claim_next()) == (1, 2)
    assert one.wait_turn(1, {"match 1", "address a"})
    later = Later(lambda: two.wait_turn(2, {"address b", "match 1"}))
    assert later.waits(engine)
    handled(engine, 1)
    one.release()
    assert later.answer() is True


def test_a_mail_waits_until_it_is_known_what_the_earlier_one_is_about(
    seat: Callable[[], WorkQueue], engine: Engine
) -> None:
    one, two = seat(), seat()
    assert (one.claim_next(), two.claim_next()) == (1, 2)
    later = Later(lambda: two.wait_turn(2, {"match 2"}))
    assert later.waits(engine)
    assert one.wait_turn(1, {"match 1"})
    assert later.answer() is True


@pytest.mark.parametrize("keys", [None, {"match 1"}, {"match 7"}])
def test_a_mail_that_a_dead_daemon_leaves_behind_goes_first(
    seat: Callable[[], WorkQueue], engine: Engine, keys: set[str] | None
) -> None:
    one, two = seat(), seat()
    assert (one.claim_next(), two.claim_next()) == (1, 2)
    if keys is not None:
        assert one.wait_turn(1, keys)
    later = Later(lambda: two.wait_turn(2, {"match 1"}))
    if keys != {"match 7"}:
        assert later.waits(engine)
        one.close()
        assert later.answer() is False
        two.release()
        assert two.claim_next() == 1
    else:
        assert later.answer() is True, "it is about something else"


def test_a_message_goes_first_also_while_its_daemon_is_still_dying(
    seat: Callable[[], WorkQueue], engine: Engine
) -> None:
    """PostgreSQL releases the locks of a session one by one."""
    one, two = seat(), seat()
    assert (one.claim_next(), two.claim_next()) == (1, 2)
    assert one.wait_turn(1, {"match 1"})
    later = Later(lambda: two.wait_turn(2, {"match 1"}))
    assert later.waits(engine)
    one._locks.release("key match 1")
    assert later.answer() is False


def test_a_message_goes_first_though_its_daemon_was_late_to_claim_it(
    seat: Callable[[], WorkQueue], engine: Engine
) -> None:
    """It may be claimed while a later one, which found it free, is waiting for its keys."""
    one, two, other = seat(), seat(), seat()
    other._locks.acquire("key match 1")
    assert two.claim(2)
    later = Later(lambda: two.wait_turn(2, {"match 1"}))
    assert later.waits(engine)
    assert one.claim(1)
    other.release()
    assert later.answer() is False


def attempted(engine: Engine, number: int, times: int) -> None:
    with database.transaction(engine) as session:
        row = session.get_one(Incoming, number)
        row.attempts, row.last_attempt = times, NOON


def test_a_message_waits_for_one_in_its_second_attempt(seat: Callable[[], WorkQueue], engine: Engine) -> None:
    """It was counted and dated when it began, so by its row alone it could as well pause before its third."""
    one, two = seat(), seat()
    assert (one.claim_next(), two.claim_next()) == (1, 2)
    attempted(engine, 1, MOST - 1)
    later = Later(lambda: two.wait_turn(2, {"match 1"}))
    assert later.waits(engine)
    assert one.wait_turn(1, {"match 1"})
    assert later.waits(engine)
    handled(engine, 1)
    one.release()
    assert later.answer() is True


def test_nobody_waits_for_a_message_that_pauses(seat: Callable[[], WorkQueue], engine: Engine) -> None:
    two = seat()
    attempted(engine, 1, MOST - 1)
    assert two.claim_next() == 2
    assert two.wait_turn(2, {"match 1"})
    assert seat().claim(1), "only looked at, not locked"


# Real daemons


def store(scene: Scene, letter: Letter) -> None:
    """Store a message as a daemon does that then dies at once."""
    scene.written[letter.message_id] = letter
    with scene.server() as server:
        assert server.take((Arrival(letter.raw, "test", recipients=(letter.to,)),))


def wait_for(daemons: list[Process]) -> None:
    for daemon in daemons:
        daemon.ready()


def shares(scene: Scene, daemons: list[Process]) -> list[tuple[int, int]]:
    """Return how many messages each daemon has processed and sent."""
    return [
        (
            sum(1 for line in daemon.lines("mail in") if line["verdict"] in ("done: move", "refused")),
            sum(1 for line in daemon.lines("mail out") if line["verdict"] == "sent"),
        )
        for daemon in daemons
    ]


def out_of_order(scene: Scene) -> list[str]:
    """Return what was processed about a match after something that was stored later.

    The messages sent for a message get their ids while it is processed. One that has paused after two crashes lets
    other people's go first, and so do those of its player that wait behind it.
    """
    found = []
    last: dict[int, int] = {}
    for match, incoming, attempts in scene.rows(
        "select outgoing.match, incoming.id, incoming.attempts"
        " from outgoing join incoming on incoming.id = outgoing.incoming"
        f" where incoming.attempts < {MOST} and not exists (select 1 from incoming as paused"
        f" where paused.attempts >= {MOST} and paused.player = incoming.player and paused.id < incoming.id"
        " and paused.handled >= incoming.received) order by outgoing.id"
    ):
        if incoming < last.setdefault(match, 0):
            found.append(f"match {match}: {incoming} (attempt {attempts}) after {last[match]}")
        last[match] = max(last[match], incoming)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("number", quick_where((2).__eq__, [2, 3], "soak"))
def test_daemons_share_the_work_of_one_mailbox(stage: Stage, number: int) -> None:
    scene = stage("imap", "postgresql")
    letters = scene.seed(30)
    before = plies(scene)
    daemons = [scene.start() for _ in range(number)]
    wait_for(daemons)
    scene.write(*(mail for letter in letters for mail in (refused(letter), letter)))
    scene.quiet()
    assert conserved(scene, before=before) == 0, "no mail goes out twice"
    assert out_of_order(scene) == []
    done = shares(scene, daemons)
    assert sum(came for came, _ in done) == 60
    assert all(came and went for came, went in done), done
    told = [line for daemon in daemons for line in daemon.lines("receiving interrupted")]
    assert told == [], "a mail that the other one has moved is no trouble"


@pytest.mark.slow
def test_mail_that_one_daemon_stores_wakes_the_other(stage: Stage) -> None:
    """The message isn't processed where it is stored; the idle daemon starts at once."""
    scene = stage("lmtp", "postgresql")
    first, second = scene.seed(2)
    before = plies(scene)
    other = scene.start(deaf_to_time=True).ready()
    store(scene, first)
    until(lambda: shares(scene, [other])[0] == (1, 2), "the other daemon was notified")
    scene.write(second)
    scene.door.deliver(other)
    scene.quiet()
    assert conserved(scene, before=before) == 0


@pytest.mark.parametrize(
    "step",
    [
        *quick_where((Step.SENT,).__contains__, [Step.COMMITTING, Step.RENDERED, Step.SENT]),
        *(pytest.param(step, marks=ONLY_IN_SOAK) for step in (Step.COUNTED, Step.READ, Step.COMMITTED)),
    ],
)
def test_what_a_dying_daemon_had_in_hand_is_done_by_the_other(stage: Stage, step: Step) -> None:
    scene = stage("imap", "postgresql")
    letters = scene.seed(24)
    before = plies(scene)
    # Up to sixteen messages are rendered at once: nobody can say how often that happens here.
    other, dying = scene.start(), scene.start(step, 1 if step is Step.RENDERED else 3)
    wait_for([other])
    scene.write(*letters)
    assert dying.died() == signal.SIGKILL
    scene.quiet()
    assert conserved(scene, before=before) <= TOGETHER
    assert out_of_order(scene) == []
    assert other.runs


@pytest.mark.slow
@pytest.mark.own_database
def test_daemons_outlive_a_restart_of_postgresql_and_hear_notifications_again(tmp_path: Path) -> None:
    server = Postgres()
    try:
        with PostOffice() as post:
            scene = Scene(Site(tmp_path / "site"), server.migrated(), Lmtp(), post)
            letters = scene.seed(8)
            before = plies(scene)
            daemons = [scene.start(deaf_to_time=True), scene.start()]
            wait_for(daemons)
            scene.write(*letters[:6])
            scene.door.deliver(daemons[0])
            server.stop()
            server.start()
            for daemon in daemons:
                until(lambda daemon=daemon: daemon.lines("notifications lost"), "the notifications are lost")
            scene.quiet()
            daemons[1].kill()
            store(scene, letters[6])
            until(lambda: scene.count("incoming", "state = 'done'") == 7, "the first daemon was notified")
            scene.write(letters[7])
            scene.door.deliver(daemons[0])
            scene.quiet()
            assert conserved(scene, before=before) <= 2 * TOGETHER
            assert daemons[0].runs
            scene.end()
    finally:
        server.remove()


@pytest.mark.slow
def test_matches_outlive_the_killing_of_either_of_two_daemons(stage: Stage) -> None:
    play_and_kill_one(stage("imap", "postgresql"), seed=1, daemons=2, number=8, kills=10, seconds=500)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("daemons", [2, 3] if SEEDS > 1 else [3])
def test_matches_outlive_many_killed_daemons(stage: Stage, daemons: int, seed: int) -> None:
    play_and_kill_one(stage("imap", "postgresql"), seed=seed, daemons=daemons, number=20, kills=MANY, seconds=600)


def play_and_kill_one(scene: Scene, *, seed: int, daemons: int, number: int, kills: int, seconds: float) -> None:
    """Play matches with several daemons, one of which is repeatedly killed at a random moment.

    A daemon is killed once it has processed a message, or the matches are over.
    """
    chance = random.Random(seed)
    players = Players(scene, number, chance)
    before = plies(scene)
    end = time.monotonic() + seconds
    running = [scene.start() for _ in range(daemons)]
    wait_for(running)
    everyone = list(running)
    for _ in range(kills):
        victim = chance.randrange(daemons)
        far = scene.mails_done() + chance.randint(0, 20)

        def spared(victim: int = victim, far: int = far) -> bool:
            if scene.has_suspects():  # after a third crash it would be put aside
                return True
            has_shared = running[victim].runs and any(shares(scene, [running[victim]])[0])
            return not players.have_finished() and (scene.mails_done() < far or not has_shared)

        while spared():
            assert time.monotonic() < end, scene.state()
            players.look()
            time.sleep(0.02)
        time.sleep(chance.uniform(0, 0.05))
        running[victim].kill()
        running[victim] = scene.start()
        everyone.append(running[victim])
    players.stop()
    for daemon in running:
        daemon.kill()
    running = [scene.start() for _ in range(daemons)]
    scene.quiet(end - time.monotonic())
    extra = conserved(scene, before=before)
    assert out_of_order(scene) == []
    done = shares(scene, everyone)
    turns = sum(map(len, plies(scene).values())) - sum(map(len, before.values()))
    assert extra <= 2 * kills * TOGETHER
    assert turns > number, "matches went on between the kills"
    assert sum(1 for came, _ in done if came) > 1, done
    print(
        f"\n{daemons} daemons, seed {seed}: {kills} kills, {len(scene.written)} mails in,"
        f" {scene.count('outgoing')} out, {extra} of them twice, {turns} turns"
    )


# Work that only one of them may do


@pytest.fixture
def empty(postgres: Postgres) -> str:
    """Return an empty database."""
    return postgres.database()


def test_daemons_that_start_at_once_on_an_empty_database_make_its_tables_once(empty: str) -> None:
    engines = [database.connect(empty) for _ in range(3)]
    started = [Later(lambda engine=engine: database.upgrade(engine)) for engine in engines]  # type: ignore[misc]
    assert [each.answer() for each in started] == [None] * 3
    assert all(database.is_current(engine) for engine in engines)
    for engine in engines:
        engine.dispose()


def test_of_several_daemons_one_tells_the_admin(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_SERVER__ADMIN", "admin@pbem.example")
    with correspondence(tmp_path, database=postgres.migrated()) as letters:
        server = letters.server
        with database.transaction(server.engine) as session:
            for number in range(5):
                gone = Incoming(key=str(number), size=0, source="test", recipients=[], received=NOON)
                gone.state, gone.handled = IncomingState.SHUNTED, NOON
                session.add(gone)
        gate = threading.Barrier(4)

        def tell() -> bool:
            gate.wait(110)
            return alerts.tell(server.engine, server.settings.server, NOON)

        assert sorted(each.answer() for each in [Later(tell) for _ in range(4)]) == [False, False, False, True]


@pytest.mark.slow
def test_of_several_daemons_that_gather_at_once_one_does(empty: str, tmp_path: Path) -> None:
    with correspondence(tmp_path, database=empty) as letters:
        letters.clock.set(NOON)
        begin(letters)
        for name in PEOPLE:
            command(letters, name, "set mail batch")
        command(letters, "alice", "set mail batch")
        for word in ("One", "Two"):
            for number, name in enumerate(PEOPLE, start=1):
                command(letters, name, f"#{number} say {word}")
                command(letters, "alice", f"#{number} say {word}")

        # A daemon skips a player whose row is locked; the daemon that holds the lock gathers it.
        assert gather_at_once(letters.server.engine, letters.server.settings.server, NOON + timedelta(hours=1)) == 4
        assert len(rows(letters, OutgoingState.MERGED)) == 12
        assert [row.template for row in rows(letters, OutgoingState.OWED)] == ["digest"] * 4
        letters.clock.advance(hours=1)
        told = [re.findall(r"\| (One|Two)\b", text(mail)) for mail in letters.wait(minutes=0)]
        assert sorted(told, key=len) == [["One", "Two"]] * 3 + [["One", "Two"] * 3]
