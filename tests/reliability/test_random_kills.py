"""Matches played through a real mailbox while the daemon is killed at random moments."""

import random
import time

import pytest

from pbem.failpoints import Step
from pbem.send import TOGETHER
from tests.reliability.conftest import Stage
from tests.reliability.players import Players
from tests.reliability.scene import Scene, conserved, plies


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_matches_outlive_kills_at_random_moments(stage: Stage, database: str) -> None:
    play_and_kill(stage("imap", database), seed=1, number=6, kills=10, seconds=60)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_matches_outlive_hundreds_of_kills(stage: Stage, database: str, seed: int) -> None:
    play_and_kill(stage("imap", database), seed=seed, number=20, kills=30, seconds=600)


def play_and_kill(scene: Scene, *, seed: int, number: int, kills: int, seconds: float) -> None:
    """Play so many matches, kill the daemon so many times meanwhile, and see that all comes out even."""
    chance = random.Random(seed)
    players = Players(scene, number, chance)
    before = plies(scene)
    end = time.monotonic() + seconds
    for _ in range(kills):
        live(scene, players, chance)
    players.stop()
    scene.start()
    scene.quiet(end - time.monotonic())
    extra = conserved(scene, before=before)
    assert extra <= kills * TOGETHER
    turns = sum(map(len, plies(scene).values())) - sum(map(len, before.values()))
    assert turns > number, "matches went on between the kills"
    print(
        f"\n{scene.database.partition(':')[0]}, seed {seed}: {kills} kills, {len(scene.written)} mails in,"
        f" {scene.count('outgoing')} out, {extra} of them twice, {turns} turns"
    )


def live(scene: Scene, players: Players, chance: random.Random) -> None:
    """One life of the daemon, which ends at a random moment, if not at a random step before that.

    A mail that was in hand at two deaths is let through: at the third it would be taken for poison, and rightly so.
    """
    suspect = has_suspects(scene)
    step = None if suspect else chance.choice([*Step, *[None] * len(Step)])
    daemon = scene.start(step, chance.randint(1, 4))
    over = time.monotonic() + chance.choice((chance.uniform(0, 0.4), chance.uniform(0, 2)))
    while daemon.runs and (time.monotonic() < over or suspect):
        players.look()
        time.sleep(0.02)
        suspect = suspect and has_suspects(scene)
    daemon.kill()


def has_suspects(scene: Scene) -> bool:
    """Whether a mail was in hand at two deaths already."""
    return bool(
        scene.count("incoming", "state = 'new' and attempts > 1")
        or scene.count("outgoing", "state = 'owed' and begun > 1")
    )
