"""The loops of the daemon: when each looks again."""

import threading

from pbem.server.loops import Loop
from pbem.vitals import Vitals


class Stop(threading.Event):
    """An event that is set by the first who waits for it; it notes for how many seconds they would have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout)
        self.set()
        return True


def test_a_loop_that_rests_does_not_hear_its_bell_meanwhile() -> None:
    vitals, bell, stop, steps = Vitals(), threading.Event(), Stop(), []

    def step(_stopped: object) -> None:
        steps.append(bell)
        bell.set()

    thread = Loop(vitals.pulse("house", bound=60), step, bell, pause=0.5).thread(stop, vitals)
    thread.start()
    thread.join(60)
    assert (len(steps), stop.waits) == (1, [0.5])
