"""The daemon is killed at every step of what happens by time: a reminder, a time-out, a loss on time, once each."""

import signal
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import Session, select

from pbem.failpoints import Step
from pbem.matches.time import timekeeping
from pbem.server.daemon import Server
from pbem.storage.models import ClockEvent, Match, Outgoing, Player
from tests.reliability.conftest import Stage
from tests.reliability.effects import effects
from tests.reliability.plots import O, Rehearsal, X
from tests.reliability.scene import Scene, every_owed_mail_came
from tests.reliability.test_kinds_of_mail import forgive

KINDS = {
    "a reminder": ("7d/move", 90),
    "a time-out": ("3d/move", 73),
    "a loss on time": ("3d/move,auto", 73),
}
"""The time control, and how many hours ago the turn of o0 began."""
DEATHS = {Step.DUE: True, Step.BEGUN: False, Step.RENDERED: False, Step.SENT: False}
"""The steps at which the server dies, and whether it leaves no effects."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_due_happens_once_however_often_the_server_dies(stage: Stage, kind: str, database: str) -> None:
    calm, scene = stage("lmtp", database), stage("lmtp", database)
    with calm.server() as server:
        prepare(calm, server, kind).send()
    with scene.server() as server:
        prepare(scene, server, kind)
    before = effects(scene)
    for step, has_none in DEATHS.items():
        daemon = scene.start(step)
        assert daemon.died() == signal.SIGKILL, (step, daemon.log)
        assert (effects(scene) == before) is has_none, step
        forgive(scene)
    scene.start().ready()
    scene.quiet()
    assert effects(scene) == effects(calm) != before
    assert every_owed_mail_came(scene) >= 1, "one came twice, since the server died before it could note that it went"


def prepare(scene: Scene, server: Server, kind: str) -> Rehearsal:
    """Let a match have begun long ago, so that something is due."""
    control, hours = KINDS[kind]
    rehearsal = Rehearsal(scene, server)
    by_day(server)
    rehearsal.say(X, rehearsal.personal(X), f"challenge o0 quadrature time={control}")
    rehearsal.hand_in(rehearsal.answer(O, "accept"))
    for address, turn in ((X, "e3f4"), (O, "e9f8"), (X, "b3b4")):
        rehearsal.hand_in(rehearsal.answer(address, turn))
    long_ago(server, 2, timedelta(hours=hours))
    return rehearsal


def by_day(server: Server) -> None:
    """Let it be afternoon where the players are."""
    ahead = 14 - datetime.now(UTC).hour
    with Session(server.engine) as session, session.begin():
        for player in session.exec(select(Player)):
            player.settings = {**player.settings, "zone": f"Etc/GMT{-ahead:+d}" if ahead else "UTC"}
            session.add(player)


def long_ago(server: Server, number: int, time: timedelta) -> None:
    """Let everything in the match have happened so much earlier."""
    with Session(server.engine) as session, session.begin():
        match = session.get_one(Match, number)
        assert match.started is not None
        match.started -= time
        for event in session.exec(select(ClockEvent).where(ClockEvent.match == number)):
            event.at -= time
            session.add(event)
        for mail in session.exec(select(Outgoing).where(Outgoing.match == number)):
            mail.created -= time
            session.add(mail)
        session.flush()
        clock = timekeeping.replayed(session, match)
        assert clock is not None
        timekeeping._keep(session, match, clock)
