"""Several daemons on one PostgreSQL share the work: each message is processed once, those of a match in order."""

import random
import signal
import time
from contextlib import nullcontext

import pytest

from pbem.failpoints import Step
from pbem.mail.transports.protocols import Arrival
from pbem.server.sender import TOGETHER
from tests.cases import MANY, SEEDS
from tests.pgbouncer import PgBouncer
from tests.postgres import Postgres
from tests.reliability.conftest import Stage
from tests.reliability.players import Players
from tests.reliability.processes import Process
from tests.reliability.scene import Letter, Scene, conserved, refused
from tests.servers import until


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
    """Return what a player wrote that was processed after something that they wrote later.

    The messages sent for a message get their ids while it is processed.
    """
    found = []
    last: dict[int, int] = {}
    for player, incoming, attempts in scene.rows(
        "select incoming.player, incoming.id, incoming.attempts"
        " from outgoing join incoming on incoming.id = outgoing.incoming"
        " where incoming.player is not null order by outgoing.id"
    ):
        if incoming < last.setdefault(player, 0):
            found.append(f"player {player}: {incoming} (attempt {attempts}) after {last[player]}")
        last[player] = max(last[player], incoming)
    return found


@pytest.mark.parametrize("number", [2, pytest.param(3, marks=pytest.mark.soak)])
def test_daemons_share_the_work_of_one_mailbox(stage: Stage, number: int) -> None:
    scene = stage("imap", "postgresql")
    letters = scene.seed(30)
    daemons = [scene.start() for _ in range(number)]
    wait_for(daemons)
    scene.write(*(mail for letter in letters for mail in (refused(letter), letter)))
    scene.quiet()
    assert conserved(scene) == 0, "no mail goes out twice"
    assert out_of_order(scene) == []
    assert sum(came for came, _ in shares(scene, daemons)) == 60
    told = [line for daemon in daemons for line in daemon.lines("receiving interrupted")]
    assert told == [], "a mail that the other one has moved is no trouble"


def test_mail_that_one_daemon_stores_wakes_the_other(stage: Stage) -> None:
    """The message isn't processed where it is stored; the idle daemon starts at once."""
    scene = stage("lmtp", "postgresql")
    first, second = scene.seed(2)
    other = scene.start(deaf_to_time=True).ready()
    store(scene, first)
    until(lambda: shares(scene, [other])[0] == (1, 2), "the other daemon was notified")
    scene.write(second)
    scene.door.deliver(other)
    scene.quiet()
    assert conserved(scene) == 0


@pytest.mark.parametrize(
    "step",
    [
        *(Step.COMMITTING, Step.RENDERED, Step.SENT),
        *(pytest.param(step, marks=pytest.mark.soak) for step in (Step.COUNTED, Step.READ, Step.COMMITTED)),
    ],
)
def test_what_a_dying_daemon_had_in_hand_is_done_by_the_other(stage: Stage, step: Step) -> None:
    scene = stage("imap", "postgresql")
    letters = scene.seed(24)
    # Up to sixteen messages are rendered at once: nobody can say how often that happens here.
    other, dying = scene.start(), scene.start(step, 1 if step is Step.RENDERED else 3)
    wait_for([other, dying])
    scene.freeze_at_rest(other)
    scene.write(*letters)
    assert dying.died() == signal.SIGKILL
    other.thaw()
    scene.leases_end(dying)
    scene.quiet()
    assert conserved(scene) <= TOGETHER
    assert out_of_order(scene) == []
    assert other.runs


def test_daemons_outlive_a_restart_of_postgresql_and_hear_notifications_again(stage: Stage) -> None:
    scene, server = stage("lmtp", "sqlite"), Postgres()
    try:
        scene.use(server.migrated())
        letters = scene.seed(8)
        daemons = [scene.start(deaf_to_time=True), scene.start()]
        wait_for(daemons)
        scene.write(*letters[:6])
        scene.door.deliver(daemons[0])
        server.stop()
        scene.write(letters[6])
        scene.door.deliver(daemons[0])
        assert scene.door.untold == 1, "451: the MTA keeps it"
        server.start()
        for daemon in daemons:
            until(lambda daemon=daemon: daemon.lines("notifications lost"), "the notifications are lost")
        scene.door.deliver(daemons[0])
        scene.quiet()
        daemons[1].kill()
        store(scene, letters[7])
        until(lambda: scene.count("incoming", "state = 'done'") == 8, "the first daemon was notified")
        scene.quiet()
        assert conserved(scene) <= 2 * TOGETHER
        assert daemons[0].runs
        scene.end()
    finally:
        server.remove()


def test_matches_outlive_the_killing_of_either_of_two_daemons(stage: Stage) -> None:
    play_and_kill_one(stage("imap", "postgresql"), seed=1, daemons=2, number=8, kills=10)


def test_matches_outlive_frozen_and_killed_daemons_behind_a_pooler(stage: Stage, postgres: Postgres) -> None:
    with PgBouncer(postgres, "transaction", size=8) as pooler:
        scene = stage("imap", "postgresql")
        scene.use(pooler.url)
        play_and_kill_one(scene, seed=1, daemons=2, number=8, kills=8)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("daemons", [2, 4] if SEEDS > 1 else [4])
@pytest.mark.parametrize("mode", ["session", "transaction", None] if SEEDS > 1 else ["transaction"])
def test_matches_outlive_many_frozen_and_killed_daemons(
    stage: Stage, postgres: Postgres, daemons: int, seed: int, mode: str | None
) -> None:
    with PgBouncer(postgres, mode, size=60 if mode == "session" else 8) if mode else nullcontext() as pooler:
        scene = stage("imap", "postgresql")
        if pooler is not None:
            scene.use(pooler.url)
        play_and_kill_one(scene, seed=seed, daemons=daemons, number=20, kills=MANY)


def play_and_kill_one(scene: Scene, *, seed: int, daemons: int, number: int, kills: int) -> None:
    """Play matches with several daemons, one of which is repeatedly killed, or frozen, at a random moment.

    That happens once it has processed a message, or the matches are over. What a frozen one has in hand is done by
    others before it goes on, as after the end of its leases.
    """
    chance = random.Random(seed)
    players = Players(scene, number, chance)
    running = [scene.start() for _ in range(daemons)]
    wait_for(running)
    everyone = list(running)
    for _ in range(kills):
        victim = chance.randrange(daemons)
        far = scene.mails_done() + chance.randint(0, 20)

        def can_die(victim: int = victim, far: int = far) -> bool:
            players.look()
            if scene.has_suspects():  # after a third crash it would wait for long
                return False
            has_shared = running[victim].runs and any(shares(scene, [running[victim]])[0])
            return players.have_finished() or (scene.mails_done() >= far and has_shared)

        until(can_die, "the daemon has done something, and the matches go on")
        time.sleep(chance.uniform(0, 0.05))
        if chance.random() < 0.5:
            running[victim].freeze()
            scene.leases_end(running[victim])
            done, until_then = scene.mails_done(), time.monotonic() + 2
            while scene.mails_done() == done and time.monotonic() < until_then:
                time.sleep(0.02)
            running[victim].thaw()
            continue
        running[victim].kill()
        running[victim] = scene.start()
        everyone.append(running[victim])
    players.stop()
    for daemon in running:
        daemon.kill()
    running = [scene.start() for _ in range(daemons)]
    scene.quiet()
    extra = conserved(scene)
    assert out_of_order(scene) == []
    done = shares(scene, everyone)
    turns = scene.turns_since()
    assert extra <= 2 * kills * TOGETHER
    assert turns > number, "matches went on between the kills"
    assert sum(1 for came, _ in done if came) > 1, done
    print(
        f"\n{daemons} daemons, seed {seed}: {kills} kills, {len(scene.written)} mails in,"
        f" {scene.count('outgoing')} out, {extra} of them twice, {turns} turns"
    )
