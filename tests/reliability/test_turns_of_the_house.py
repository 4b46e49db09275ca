"""The daemon is killed at every step of a turn of the house, of a claim and of an analysis: each is told once."""

import json
import signal

import pytest

from pbem.conversation import receipts
from pbem.failpoints import Step
from pbem.server.sender import TOGETHER
from tests.reliability.conftest import Stage
from tests.reliability.plots import Rehearsal, X
from tests.reliability.scene import Scene, every_owed_mail_came, plies
from tests.servers import until

STEPS = {Step.SEARCHING: 1, Step.FOUND: 1, Step.ANSWERING: 1, Step.ANSWERED: 2}
"""How many turns are played when the server has died at each step."""
TWICE = len(STEPS) * TOGETHER
"""How many messages may come twice, with the same Message-ID: those being sent when the server died."""


@pytest.fixture(autouse=True)
def _answers_wait_for_the_house(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no answer go out alone because daemons start slowly."""
    monkeypatch.setattr(receipts, "WAIT", receipts.LONGEST)


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
    assert every_owed_mail_came(scene) <= TWICE
    assert scene.rows("select done is not null, troubled from search") == [(1, None)]


def awaited(scene: Scene) -> int:
    """Let a player start a match against the house and play a turn. Return its number; nobody has searched yet."""
    with scene.server() as server:
        rehearsal = Rehearsal(scene, server)
        rehearsal.say(X, rehearsal.personal(X), "play kvadratik level=1")
        rehearsal.hand_in(rehearsal.answer(X, "setup +x+x"))
    (number,) = scene.rows("select id from match where level = 1")
    return int(number)


FOUND = {Step.SEARCHING: 0, Step.FOUND: 0, Step.ANSWERING: 0, Step.ANSWERED: 2}
"""How many positions are known when the server has died at each step."""


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_an_analysis_is_told_once_however_often_the_server_dies(stage: Stage, database: str) -> None:
    scene = stage("lmtp", database)
    with scene.server() as server:
        rehearsal = Rehearsal(scene, server, played=3)
        rehearsal.say(X, rehearsal.personal(X), "#1 resign")
        rehearsal.hand_in(rehearsal.answer(X, "yes"))
        rehearsal.say(X, rehearsal.personal(X), "analyse 1")
    for step, known in FOUND.items():
        daemon = scene.start(step)
        assert daemon.died() == signal.SIGKILL, (step, daemon.log)
        (findings,) = scene.rows("select findings from analysis")
        assert len(json.loads(findings) if isinstance(findings, str) else findings) == known, step
        scene.rows("update analysis set attempts = 0, due = asked")  # as if an hour had passed
    assert scene.start(Step.ANSWERED).died() == signal.SIGKILL
    scene.start().ready()
    until(lambda: scene.count("analysis", "done is not null") == 1, "the analysis is told")
    scene.quiet()
    assert scene.rows("select done is not null, troubled from analysis") == [(1, None)]
    assert scene.count("outgoing", "template = 'analysis'") == 1
    assert every_owed_mail_came(scene) <= TWICE


SHOWN = {Step.SEARCHING: "running", Step.FOUND: "running", Step.ANSWERING: "running", Step.ANSWERED: "over"}
"""How the match stands when the server has died at each step of looking at a claim."""


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_match_ends_by_a_claim_once_however_often_the_server_dies(stage: Stage, database: str) -> None:
    scene = stage("lmtp", database)
    with scene.server() as server:
        rehearsal = Rehearsal(scene, server, played=24)
        scene.rows("update match set proofs = true")
        rehearsal.say(X, rehearsal.personal(X), "#1 claim proven")
    told = scene.count("outgoing")
    for step, state in SHOWN.items():
        daemon = scene.start(step)
        assert daemon.died() == signal.SIGKILL, (step, daemon.log)
        assert scene.rows("select state from match") == [state], step
        scene.rows("update claim set attempts = 0, due = asked")  # as if an hour had passed
    scene.start().ready()
    scene.quiet()
    assert scene.rows("select winner, termination, termination_seat from match") == [(0, "proven", 0)]
    assert scene.rows("select done is not null, is_void from claim") in ([(1, 0)], [(True, False)])
    assert scene.count("outgoing") == told + 2, "each of them is told, once"
    assert every_owed_mail_came(scene) <= TWICE


def test_two_daemons_play_a_turn_that_is_due_once(stage: Stage) -> None:
    scene = stage("lmtp", "postgresql")
    number = awaited(scene)
    told = scene.count("outgoing")

    daemons = [scene.start(), scene.start()]
    for daemon in daemons:
        daemon.ready()
    until(lambda: len(plies(scene)[number]) == 2, "the turn of the house is played")
    scene.quiet()

    assert len(plies(scene)[number]) == 2
    assert scene.rows("select count(*), max(attempts) from search") == [(1, 1)]
    assert scene.count("outgoing") == told
    assert every_owed_mail_came(scene) == 0
    searched = [line for daemon in daemons for line in daemon.lines("house")]
    assert len(searched) == 1, searched
