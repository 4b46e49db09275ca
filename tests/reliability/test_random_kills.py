"""Matches are played by IMAP and by LMTP while the daemon is killed, or asked to stop, at random moments."""

import random
import time
from collections.abc import Callable

import pytest

from pbem.failpoints import Step
from pbem.mail.transports.protocols import Arrival
from pbem.server.sender import TOGETHER
from tests.cases import MANY, SEEDS
from tests.operating.site import ADDRESS
from tests.reliability.conftest import Stage
from tests.reliability.players import Players
from tests.reliability.processes import Process
from tests.reliability.scene import Scene, asking, conserved, refused
from tests.servers import GENEROUS, until

Life = Callable[[Scene, Players, random.Random], None]
DATABASES = ("sqlite", "postgresql")
KILLS = 500 if SEEDS > 1 else 30
EVERYWHERE = [(way, database) for way in ("imap", "lmtp") for database in DATABASES]


@pytest.mark.parametrize(("way", "database"), EVERYWHERE)
def test_matches_outlive_kills_at_random_moments(stage: Stage, way: str, database: str) -> None:
    play_and_end(stage(way, database), killed, seed=1, number=6, ends=6)


@pytest.mark.parametrize(("way", "database"), [("imap", "postgresql"), ("lmtp", "sqlite")])
def test_a_server_that_is_stopped_at_random_moments_sends_nothing_twice(stage: Stage, way: str, database: str) -> None:
    assert play_and_end(stage(way, database), stopped, seed=1, number=6, ends=4) == 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize(("way", "database"), EVERYWHERE if SEEDS > 1 else EVERYWHERE[::3])
def test_matches_outlive_many_kills(stage: Stage, way: str, database: str, seed: int) -> None:
    play_and_end(stage(way, database), killed, seed=seed, number=20, ends=MANY)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(max(1, SEEDS // 2)))
@pytest.mark.parametrize(("way", "database"), EVERYWHERE if SEEDS > 1 else EVERYWHERE[1:3])
def test_matches_outlive_many_stops(stage: Stage, way: str, database: str, seed: int) -> None:
    assert play_and_end(stage(way, database), stopped, seed=seed, number=20, ends=MANY) == 0


@pytest.mark.soak
@pytest.mark.parametrize("database", DATABASES if SEEDS > 1 else ["sqlite"])
def test_no_message_is_put_aside_for_kills_while_it_was_in_hand(stage: Stage, database: str) -> None:
    scene, chance = stage("lmtp", database), random.Random(1)
    letters = scene.seed(20)
    for number in range(KILLS):
        if scene.count("incoming", "state = 'new'") < 10:
            with scene.server() as server:
                server.take(tuple(Arrival(asking(f"n{number}x{each}", ADDRESS).raw, "test") for each in range(10)))
                server.take(tuple(Arrival(refused(letter).raw, "test") for letter in letters))
        begun = sum(scene.rows("select attempts from incoming"))
        daemon = scene.start()
        until(lambda begun=begun: sum(scene.rows("select attempts from incoming")) > begun, "it works")  # type: ignore[misc]
        time.sleep(chance.uniform(0, 0.05 if chance.random() < 0.7 else 3))
        daemon.kill()
    assert scene.count("incoming", "state = 'shunted'") == 0
    struck = sum(scene.rows("select attempts from incoming")) - scene.count("incoming", "state = 'done'")
    most = max(scene.rows("select attempts from incoming"))
    print(f"\n{database}: {KILLS} kills, {struck} of them at a message, {most - 1} at the same one")
    assert struck > KILLS // 4
    scene.start()
    until(lambda: scene.count("incoming", "state = 'done'") == scene.count("incoming"), "all are handled", GENEROUS)


def play_and_end(scene: Scene, live: Life, *, seed: int, number: int, ends: int) -> int:
    """Play matches while ending the daemon that many times, and assert that nothing was lost or done twice.

    Return how many messages came more than once.
    """
    chance = random.Random(seed)
    players = Players(scene, number, chance)
    scene.batch("o%")
    for _ in range(ends):
        live(scene, players, chance)
    last = scene.start()
    while scene.turns_since() <= number:  # until there are more turns than matches
        work(scene, players, last, 1)
    players.stop()
    scene.door.deliver(last)
    scene.quiet(GENEROUS)
    extra = conserved(scene)
    assert extra <= ends * TOGETHER
    turns = scene.turns_since()
    print(
        f"\n{type(scene.door).__name__}, {scene.database.partition(':')[0]}, seed {seed}: {ends} times {live.__name__},"
        f" {len(scene.written)} mails in, {scene.count('outgoing', 'sent is not null')} out,"
        f" {scene.count('outgoing', 'merged_into is not null')} told in them, {extra} twice, {turns} turns"
    )
    return extra


def killed(scene: Scene, players: Players, chance: random.Random) -> None:
    """Run the daemon, and kill it at a random moment, or let it die at a random step before that.

    What was in progress at a crash is let through: a step at which each process dies that works on a message alone
    would correctly have it put aside.
    """
    suspect = scene.has_suspects()
    is_retried = bool(scene.count("incoming", "state = 'new' and attempts > 0"))
    step = None if suspect or is_retried else chance.choice([*Step, *[None] * len(Step)])
    daemon = scene.start(step, chance.randint(1, 4))
    work(scene, players, daemon, chance.choice((0, chance.randint(1, 20))), suspect=suspect)
    time.sleep(chance.uniform(0, 0.05))
    daemon.kill()


def stopped(scene: Scene, players: Players, chance: random.Random) -> None:
    """Run the daemon, and send SIGTERM at a random moment."""
    daemon = scene.start()
    if chance.random() < 0.9:
        daemon.ready()
        work(scene, players, daemon, chance.randint(0, 30))
    time.sleep(chance.uniform(0, 0.05))
    daemon.terminate()


def work(scene: Scene, players: Players, daemon: Process, steps: int, *, suspect: bool = False) -> None:
    """Let matches go on until the daemon has died, that many steps were made, or the players have finished.

    A step is a message processed or sent. With `suspect`, go on until no message is suspect.
    """
    begun = scene.mails_done()
    end = time.monotonic() + GENEROUS
    while daemon.runs and (scene.mails_done() < begun + steps or suspect) and not players.have_finished():
        assert time.monotonic() < end, f"{scene.state()}\n{daemon.log}"
        scene.door.deliver(daemon)
        players.look()
        time.sleep(0.02)
        suspect = suspect and scene.has_suspects()
