"""A message in whose handling a server ended is handled alone, in a process of its own.

The end of that process can have no cause but the message, so a message is set aside only where that happened again
again and again. That the server itself ends, however often and for whatever reason, is never held against a message.
Others are handled meanwhile, since such a process takes seconds to start: longer than a server may live.
"""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

import structlog

from notation.games import GAMES
from pbem.config import ChecksSettings, HouseSettings, LimitsSettings, ServerSettings
from pbem.features.all import FEATURES
from pbem.isolated import Isolated, Lost, Unavailable, Why
from pbem.mail.reading import authentication
from pbem.mail.reading.isolated_parser import IsolatedParser
from pbem.server import incoming_queue, worker
from pbem.server.sender import send_queue
from pbem.server.worker import Desk, Services
from pbem.storage import database

log = structlog.get_logger()

SECONDS = 120.0
MEGABYTES = 512
"""How much memory it may use beyond what the process starts with: before the machine or the unit has none left."""
ENDED = "ended the server"
NO_TRACEBACK = (
    "The server ended while it was working on this mail, and so did each process that then worked on this mail alone:"
    " killed, out of memory, or a crash below Python. So there is no traceback; the system's log may know more."
)
_Settings = tuple[ServerSettings, ChecksSettings, LimitsSettings, HouseSettings, str, tuple[str, ...]]
"""What the process needs: settings, as which daemon it works, and the games."""


@dataclass
class Suspects:
    """Handles the messages in whose handling a server ended, which are in its queue, in a process that may end."""

    desk: Desk
    clock: Callable[[], datetime]
    bells: tuple[threading.Event, ...] = ()  # those of the threads for which later messages of the same people wait
    isolated: Isolated = field(default_factory=lambda: Isolated(__name__, megabytes=MEGABYTES, environment=os.environ))

    def step(self, stopped: Callable[[], bool] = lambda: False) -> int:
        """Handle the next such message. Return how many there were; the process ends when there are none."""
        queue = self.desk.queue
        claims = () if stopped() else queue.in_hand or (queue.claim_next() if queue.has_any() else ())
        for claim in claims:
            self._handle(claim, self.clock())
        if not claims:
            self.isolated.release()
        return len(claims)

    def _handle(self, claim: Any, now: datetime) -> None:
        desk = self.desk
        is_handled = self._is_handled(claim.id, now)
        for bell in (desk.sending.bell, *self.bells):
            bell.set()
        if is_handled:
            log.info("mail in", incoming=claim.id, verdict="handled alone")
            desk.services.vitals.counts.mails_in.labels("alone", "").inc()
        elif is_handled is None:
            again = incoming_queue.begin_again(desk.queue, claim.id)
            if again is not None:
                worker.shunt(desk, again, ENDED, NO_TRACEBACK, now)
        else:
            log.warning("mail in", incoming=claim.id, verdict="put off")
            incoming_queue.put_off(desk.queue, claim.id)
        desk.queue.in_hand = ()

    def _is_handled(self, number: int, now: datetime) -> bool | None:
        """Have the message handled. Return whether it could be; None if three processes in a row were lost over it.

        What happens before the process begins with the message isn't held against that, nor that it fails without being
        killed: it has no database, say.
        """
        services = self.desk.services
        tables = (services.server, services.checks, services.limits, services.house)
        settings: _Settings = (*tables, self.desk.queue.holder, tuple(GAMES))
        for _ in range(incoming_queue.MOST):
            try:
                self.isolated.call(_open, settings, seconds=SECONDS)
            except (Lost, Unavailable):
                return False
            try:
                self.isolated.call(_handle_alone, settings, number, now, seconds=SECONDS, longest=SECONDS)
            except Unavailable:
                return False
            except Lost as lost:
                if lost.why is Why.ENDED and lost.code >= 0:
                    return False
                log.warning("mail in", incoming=number, verdict="ended its process", code=lost.code)
                self.desk.services.vitals.counts.mails_in.labels("failed", "").inc()
            else:
                return True
        return None


@cache
def _desk(settings: _Settings) -> Desk:
    """Return the desk of the process, opened with its first message."""
    server, checks, limits, house, holder, games = settings
    GAMES.enable(games)
    engine, parser = database.connect(server.database), IsolatedParser()
    authentication.prepare(checks)
    services = Services(server, server.keyring(), checks, limits, house, parser, FEATURES)
    parser.prepare()
    return Desk(incoming_queue.work_queue(engine, holder), send_queue(engine, holder), services)


def _open(settings: _Settings) -> None:
    _desk(settings)


def _handle_alone(settings: _Settings, number: int, now: datetime) -> None:
    desk = _desk(settings)
    claim = incoming_queue.begin_again(desk.queue, number)

    if claim is not None:  # otherwise another daemon has it, or has handled it
        worker.handle(desk, claim, now)
