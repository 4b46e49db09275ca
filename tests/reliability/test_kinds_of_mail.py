"""For every kind of message, the daemon is killed at every step of its path, and the effects stay the same.

They are compared with those of the same message at a server that isn't killed: in the end, both databases must have
the same content, and every message due was sent under one Message-ID.
"""

import signal
from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from pbem.failpoints import OFF_THE_PATH, Step
from pbem.server import news_digests
from tests.reliability.conftest import Stage
from tests.reliability.effects import effects, forgive
from tests.reliability.plots import PLOTS, Plot, Rehearsal
from tests.reliability.scene import Letter, Scene, every_owed_mail_came

FROM_THEN_ON = [step for step in list(Step)[list(Step).index(Step.COUNTED) :] if step not in OFF_THE_PATH]
"""The steps that depend on the kind of message; before it is counted, nothing of it is read."""

UNDONE = FROM_THEN_ON[: FROM_THEN_ON.index(Step.COMMITTED)]
"""The steps at which a crash leaves no effects."""

OTHER_WAYS = {
    "news that wait": ("lmtp", "postgresql"),
    "a new address's yes": ("imap", "postgresql"),
    "a turn that was foreseen": ("imap", "postgresql"),
    "a claim": ("imap", "postgresql"),
    "a yes to a held mail": ("imap", "sqlite"),
}
"""The plots that `make test-all` plays in another way, too; `make soak` plays all of them in all ways."""


def cases() -> Iterator[Any]:
    """Yield the plots, the ways in and the databases."""
    for case in product(PLOTS, ("lmtp", "imap"), ("sqlite", "postgresql")):
        plot, *way = case
        is_often = way == ["lmtp", "sqlite"] or OTHER_WAYS.get(plot) == (*way,)
        yield case if is_often else pytest.param(*case, marks=pytest.mark.soak)


@pytest.mark.parametrize(("name", "way", "database"), [*cases()])
def test_a_mail_of_any_kind_does_what_it_does_however_often_the_server_dies(
    stage: Stage, name: str, way: str, database: str
) -> None:
    plot = PLOTS[name]
    calm, scene = stage("lmtp", database), stage(way, database)
    undisturbed(calm, plot)
    letter = rehearsed(scene, plot)
    before = effects(scene)
    scene.write(letter)
    for step in FROM_THEN_ON:
        if step in plot.passes_by:
            continue
        if step is Step.GATHERING:
            scene.environment |= plot.when_gathering
        daemon = scene.start(step)
        scene.door.deliver(daemon)
        assert daemon.died() == signal.SIGKILL, (step, daemon.log)
        assert (effects(scene) == before) is (step in UNDONE), step
        forgive(scene)
    daemon = scene.start()
    scene.door.deliver(daemon)
    scene.quiet()
    assert effects(scene) == effects(calm)
    assert every_owed_mail_came(scene) >= 1, "one came twice, since the server died before it could note that it went"


def undisturbed(scene: Scene, plot: Plot) -> None:
    """Play the plot inside this process, without a crash."""
    with scene.server() as server:
        rehearsal = Rehearsal(scene, server, plot.played)
        rehearsal.hand_in(plot.write(rehearsal))
        news_digests.gather(server.engine, server.settings.server, server.clock() + timedelta(days=1))
        scene.rows("update outgoing set due = '2026-01-01 00:00:00' where state = 'owed'")
        rehearsal.send()


def rehearsed(scene: Scene, plot: Plot) -> Letter:
    """Prepare the plot. Return its message."""
    with scene.server() as server:
        return plot.write(Rehearsal(scene, server, plot.played))
