"""The daemon is killed at every step of a turn of the house and of an analysis: each is told once."""

import signal
from collections.abc import Callable
from datetime import timedelta

import pytest

from pbem.failpoints import Step
from pbem.players import waiting_answers
from pbem.server.sender import TOGETHER
from tests.reliability.conftest import Stage
from tests.reliability.plots import Rehearsal, X
from tests.reliability.scene import every_owed_mail_came
from tests.servers import until

STEPS = (Step.SEARCHING, Step.FOUND, Step.ANSWERING, Step.ANSWERED)
TWICE = len(STEPS) * TOGETHER
"""How many messages may come twice, with the same Message-ID: those being sent when the server died."""
TURNS = "select count(*) from ply join match on match.id = ply.match where level = 1"


@pytest.fixture(autouse=True)
def _answers_wait_for_the_house(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no answer go out alone because daemons start slowly."""
    monkeypatch.setattr(waiting_answers, "WAIT", timedelta(hours=1))


def turn(rehearsal: Rehearsal) -> None:
    """Let a player begin a match against the house and play a turn, which nobody has answered yet."""
    rehearsal.say(X, rehearsal.personal(X), "play kvadratik level=1")
    rehearsal.hand_in(rehearsal.answer(X, "setup +x+x"))


def analysis(rehearsal: Rehearsal) -> None:
    """Let a player want the analysis of a match."""
    rehearsal.say(X, rehearsal.personal(X), "#1 resign")
    rehearsal.hand_in(rehearsal.answer(X, "yes"))
    rehearsal.say(X, rehearsal.personal(X), "analyse 1")


KINDS: dict[str, tuple[Callable[[Rehearsal], None], str, str, int]] = {
    "a turn": (turn, "search", TURNS, 0),
    "an analysis": (analysis, "analysis", "select findings from analysis", 1),
}
"""What is wanted of the house, the table that says so, what shows how far it is, and how many messages come after."""


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_wanted_of_the_house_is_done_once_however_often_the_server_dies(
    stage: Stage, kind: str, database: str
) -> None:
    begin, table, progress, more = KINDS[kind]
    scene = stage("lmtp", database)
    with scene.server() as server:
        begin(Rehearsal(scene, server, played=3))
    before = scene.rows(progress)
    for step in STEPS:
        daemon = scene.start(step)
        assert daemon.died() == signal.SIGKILL, (step, daemon.log)
        assert (scene.rows(progress) != before) is (step is Step.ANSWERED), step
        scene.rows(f"update {table} set attempts = 0, due = asked")  # as if an hour had passed
    told = scene.count("outgoing")
    scene.start().ready()
    until(lambda: scene.count(table, "done is not null") == 1, "it is done")
    scene.quiet()
    assert scene.rows(f"select count(*), count(troubled) from {table}") == [(1, 0)]
    assert scene.rows(TURNS) == [2 if kind == "a turn" else 0]
    assert scene.count("outgoing") == told + more
    assert every_owed_mail_came(scene) <= TWICE


def test_two_daemons_play_a_turn_that_is_due_once(stage: Stage) -> None:
    scene = stage("lmtp", "postgresql")
    with scene.server() as server:
        turn(Rehearsal(scene, server))
    told = scene.count("outgoing")

    daemons = [scene.start(), scene.start()]
    for daemon in daemons:
        daemon.ready()
    until(lambda: scene.rows(TURNS) == [2], "the turn of the house is played")
    scene.quiet()

    assert scene.rows(TURNS) == [2]
    assert scene.rows("select count(*), max(attempts) from search") == [(1, 1)]
    assert scene.count("outgoing") == told
    assert every_owed_mail_came(scene) == 0
    assert sum(len(daemon.lines("house")) for daemon in daemons) == 1
