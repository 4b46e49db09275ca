"""The daemon is killed at every step of a message's path, with IMAP and LMTP, SQLite and PostgreSQL.

Each case sends a message, lets the daemon die at one step, and inspects the result: that shows where the step is, and
that nothing was acknowledged too early. Then more messages arrive, the daemon starts again, and nothing may be lost or
done twice.
"""

import signal
import time
from dataclasses import asdict, dataclass
from itertools import product

import pytest

from pbem.failpoints import OFF_THE_PATH, Step
from pbem.server.sender import TOGETHER
from tests.reliability.conftest import Stage
from tests.reliability.scene import Letter, Scene, asking, automatic, conserved, refused

WAYS = ("imap", "lmtp")
DATABASES = ("sqlite", "postgresql")


@dataclass(frozen=True)
class Aftermath:
    """The state right after the crash; None where it depends on how far another thread got."""

    stored: int = 1
    untold: int | None = None
    """The number of messages that their sender or the mailbox still holds."""
    attempts: int | None = 1
    played: int | None = 0
    owed: int | None = 0
    arrived: int = 0
    marked: int = 0
    twice: int = 0
    """The number of messages that are sent a second time in the end."""


TABLE = {
    Step.RECEIVED: Aftermath(stored=0, untold=1, attempts=0),
    Step.STORED: Aftermath(untold=1, attempts=0),
    Step.ACKNOWLEDGED: Aftermath(untold=0, attempts=None, played=None, owed=None),
    Step.COUNTED: Aftermath(),
    Step.READ: Aftermath(),
    Step.AUTHORISED: Aftermath(),
    Step.EXECUTED: Aftermath(),
    Step.COMMITTING: Aftermath(),
    Step.COMMITTED: Aftermath(played=1, owed=2),
    Step.BEGUN: Aftermath(played=1, owed=2),
    Step.RENDERED: Aftermath(played=1, owed=2),
    Step.SENT: Aftermath(played=1, owed=2, arrived=1, twice=1),
    Step.MARKED: Aftermath(played=1, owed=0, arrived=2, marked=2),
}


def test_every_step_is_in_the_table() -> None:
    """Except those of copying, gathering, the house and what is due by time, which other tests cover."""
    assert set(TABLE) == set(Step) - {Step.COPIED, Step.GATHERING, Step.GATHERED} - OFF_THE_PATH


@pytest.mark.parametrize(("step", "way", "database"), [*product(TABLE, WAYS, DATABASES)])
def test_a_crash_loses_nothing_and_does_nothing_twice(stage: Stage, step: Step, way: str, database: str) -> None:
    scene = stage(way, database)
    first, second, third = scene.seed(3)
    crash(scene, step, first)
    certain = {name: value for name, value in asdict(TABLE[step]).items() if value is not None and name != "twice"}
    assert aftermath(scene) | certain == aftermath(scene)

    # The first message always comes again: its sender may not know that it arrived.
    scene.write(second, refused(third), first, automatic(third), asking("nobody", scene.door.address))
    scene.door.deliver(scene.start().ready())
    scene.quiet()
    assert conserved(scene) == TABLE[step].twice


@pytest.mark.parametrize("database", DATABASES)
def test_a_crash_between_copying_and_expunging(stage: Stage, database: str) -> None:
    scene = stage("imap without MOVE", database)
    first, second = scene.seed(2)
    crash(scene, Step.COPIED, first)
    assert (scene.count("incoming"), scene.door.untold) == (1, 1)
    scene.write(second)
    scene.start().ready()
    scene.quiet()
    assert conserved(scene) <= 2


STEPS = [step for step in Step if step not in OFF_THE_PATH]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("step", "way", "nth", "database"), [*product(STEPS, ("lmtp", "imap", "imap without MOVE"), (2, 5), DATABASES)]
)
def test_crashes_again_and_again_under_a_load(stage: Stage, step: Step, way: str, nth: int, database: str) -> None:
    scene = stage(way, database)
    letters = scene.seed(24)
    scene.batch("o%")
    crashes, is_spared = 0, False
    daemon = scene.start(step, nth)
    while letters or not scene.is_quiet():
        if letters and scene.is_quiet():
            some, letters = letters[:3], letters[3:]
            for letter in some:
                scene.write(letter, refused(letter), letter)
        if daemon.runs:
            scene.door.deliver(daemon)
            if is_spared and not scene.has_suspects():
                daemon.kill()
        if not daemon.runs:
            crashes += 1
            is_spared = scene.has_suspects()
            daemon = scene.start() if is_spared else scene.start(step, nth + crashes)
        time.sleep(0.02)
    extra = conserved(scene)
    assert extra <= crashes * TOGETHER
    print(f"\n{step}:{nth}, {way}, {database}: {crashes} crashes, {extra} mails twice")
    assert crashes or (step is Step.COPIED) is not (way == "imap without MOVE")


def crash(scene: Scene, step: Step, letter: Letter) -> None:
    """Send a message, and let the daemon die at that step."""
    scene.write(letter)
    daemon = scene.start(step)
    scene.door.deliver(daemon)
    assert daemon.died() == signal.SIGKILL, daemon.log


def aftermath(scene: Scene) -> dict[str, int]:
    """Return the current state, seen from outside."""
    return {
        "stored": scene.count("incoming"),
        "untold": scene.door.untold,
        "attempts": sum(scene.rows("select attempts from incoming")),
        "played": scene.turns_since(),
        "owed": scene.count("outgoing", "state = 'owed'"),
        "arrived": len(scene.post.ids()),
        "marked": scene.count("outgoing", "state = 'sent'"),
    }
