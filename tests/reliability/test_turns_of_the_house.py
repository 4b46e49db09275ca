"""The daemon is killed at every step of a turn of the house: it is played once, whenever that was, and told once."""

import signal

import pytest

from pbem.failpoints import Step
from tests.reliability.conftest import Stage
from tests.reliability.plots import Rehearsal, X
from tests.reliability.scene import Scene, every_owed_mail_came, plies

STEPS = {Step.SEARCHING: 1, Step.FOUND: 1, Step.ANSWERING: 1, Step.ANSWERED: 2}
"""How many turns are played when the server has died at each step."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_turn_of_the_house_is_played_once_however_often_the_server_dies(stage: Stage, database: str) -> None:
    scene = stage("lmtp", database)
    number = awaited(scene)
    for step, played in STEPS.items():
        daemon = scene.start(step)
        assert daemon.died() == signal.SIGKILL, (step, daemon.log)
        assert len(plies(scene)[number]) == played, step
        scene.rows("update search set attempts = 0, due = asked")  # as if an hour had passed
    told = scene.count("outgoing")
    scene.start().ready()
    scene.quiet()
    assert len(plies(scene)[number]) == 2
    assert scene.count("outgoing") == told
    assert every_owed_mail_came(scene) == 0
    assert scene.rows("select done is not null, troubled from search") == [(1, None)]


def awaited(scene: Scene) -> int:
    """Let a player start a match against the house and play a turn. Return its number; nobody has searched yet."""
    with scene.server() as server:
        rehearsal = Rehearsal(scene, server)
        rehearsal.say(X, rehearsal.personal(X), "play kvadratik level=1")
        rehearsal.hand_in(rehearsal.answer(X, "setup +x+x"))
    (number,) = scene.rows("select id from match where level = 1")
    return int(number)
