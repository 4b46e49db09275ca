"""Matches played by IMAP and by LMTP while the daemon is killed, or asked to stop, at random moments."""

import random
import time
from collections.abc import Callable

import pytest

from pbem.failpoints import Step
from pbem.server.sender import TOGETHER
from tests.reliability.conftest import Stage
from tests.reliability.players import Players
from tests.reliability.scene import Scene, conserved, plies

Life = Callable[[Scene, Players, random.Random], None]
DATABASES = ("sqlite", "postgresql")
EVERYWHERE = [(way, database) for way in ("imap", "lmtp") for database in DATABASES]


@pytest.mark.parametrize(("way", "database"), EVERYWHERE)
def test_matches_outlive_kills_at_random_moments(stage: Stage, way: str, database: str) -> None:
    play_and_end(stage(way, database), killed, seed=1, number=6, ends=6, seconds=60)


@pytest.mark.parametrize(("way", "database"), [("imap", "postgresql"), ("lmtp", "sqlite")])
def test_a_server_that_is_stopped_at_random_moments_sends_nothing_twice(stage: Stage, way: str, database: str) -> None:
    assert play_and_end(stage(way, database), stopped, seed=1, number=6, ends=4, seconds=60) == 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("way", "database"), EVERYWHERE)
def test_matches_outlive_hundreds_of_kills(stage: Stage, way: str, database: str, seed: int) -> None:
    play_and_end(stage(way, database), killed, seed=seed, number=20, ends=30, seconds=600)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("way", "database"), EVERYWHERE)
def test_matches_outlive_hundreds_of_stops(stage: Stage, way: str, database: str, seed: int) -> None:
    assert play_and_end(stage(way, database), stopped, seed=seed, number=20, ends=30, seconds=600) == 0


def play_and_end(scene: Scene, live: Life, *, seed: int, number: int, ends: int, seconds: float) -> int:
    """Play so many matches, end the daemon so many times meanwhile, and see that all comes out even.

    How many mails came twice.
    """
    chance = random.Random(seed)
    players = Players(scene, number, chance)
    scene.batch("o%")
    before = plies(scene)
    end = time.monotonic() + seconds
    for _ in range(ends):
        live(scene, players, chance)
    players.stop()
    scene.door.deliver(scene.start())
    scene.quiet(end - time.monotonic())
    extra = conserved(scene, before=before)
    assert extra <= ends * TOGETHER
    turns = sum(map(len, plies(scene).values())) - sum(map(len, before.values()))
    assert turns > number, "matches went on between the ends"
    print(
        f"\n{type(scene.door).__name__}, {scene.database.partition(':')[0]}, seed {seed}: {ends} times {live.__name__},"
        f" {len(scene.written)} mails in, {scene.count('outgoing', 'sent is not null')} out,"
        f" {scene.count('outgoing', 'merged_into is not null')} told in them, {extra} twice, {turns} turns"
    )
    return extra


def killed(scene: Scene, players: Players, chance: random.Random) -> None:
    """One life of the daemon, which ends at a random moment, if not at a random step before that.

    A mail that was in hand at two deaths is let through: at the third it would be taken for poison, and rightly so.
    """
    suspect = scene.has_suspects()
    step = None if suspect else chance.choice([*Step, *[None] * len(Step)])
    daemon = scene.start(step, chance.randint(1, 4))
    over = time.monotonic() + chance.choice((chance.uniform(0, 0.4), chance.uniform(0, 2)))
    while daemon.runs and (time.monotonic() < over or suspect):
        scene.door.deliver(daemon)
        players.look()
        time.sleep(0.02)
        suspect = suspect and scene.has_suspects()
    daemon.kill()


def stopped(scene: Scene, players: Players, chance: random.Random) -> None:
    """One life of the daemon, which is asked to end at a random moment, and does in good order."""
    daemon = scene.start()
    if chance.random() < 0.9:
        daemon.ready()
    over = time.monotonic() + chance.uniform(0, 1.5)
    while time.monotonic() < over:
        scene.door.deliver(daemon)
        players.look()
        time.sleep(0.02)
    daemon.terminate()
