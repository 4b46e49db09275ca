"""Handing messages to the next hop, and what it makes of them: whether a refusal is about one of them, or about us.

Replies don't tell it reliably: some servers refuse everybody with the words for an unknown user. What tells is whether
others are taken. A message that is refused again, after another was taken in between, is at fault itself. While nothing
is taken, no address counts as dead, and what waits is tried in small numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from pbem import failpoints
from pbem.failpoints import Step
from pbem.mail.reading import bounce_reasons
from pbem.mail.reading.bounce_reasons import Reason
from pbem.mail.transports.protocols import NotAccepted, Outbox
from pbem.process_vitals import Vitals
from pbem.storage import facts_when_queued
from pbem.storage.models import Outgoing

log = structlog.get_logger()

RETRY_AFTER = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 5, 10, 20, 40, 60, 120, 240))
"""How long a message waits that wasn't taken, by the number of attempts."""
LONGEST_REST, LATEST = RETRY_AFTER[3], RETRY_AFTER[4]
"""While nothing is taken: how long nothing is sent at most, and a refused message waits at most, so that others get
their turn."""
SEVERAL = 3  # for how many recipients in a row messages must be refused until nothing is sent for a while
MOST = 10_000  # how many refused messages are remembered


@dataclass(frozen=True, slots=True)
class Letter:
    row: Outgoing
    raw: bytes
    error: str | None = None

    @property
    def number(self) -> int:
        return self.row.id or 0


@dataclass(frozen=True, slots=True)
class Result:
    outgoing: int
    template: str
    error: str | None = None
    later: bool = False
    is_bug: bool = False
    waits: bool = False  # whether it is never given up for this, since it may have been refused because of us
    needs_operator: bool = False  # whether it was refused because of us though others are taken
    at_latest: timedelta = RETRY_AFTER[-1]
    turns: tuple[tuple[int, int], ...] = ()
    """The matches, and their versions, in which it tells its reader that it is their turn."""

    @property
    def is_bounce(self) -> bool:
        """Whether the next hop refused it for good, and says that the address is unknown, or doesn't say why."""
        return self.error is not None and not self.later and bounce_reasons.of_reply(self.error) is not Reason.FOR_NOW


class NextHop:
    def __init__(self, outbox: Outbox, vitals: Vitals, clock: Callable[[], datetime]) -> None:
        self._outbox = outbox
        self._link = vitals.outbox
        self._attempts = vitals.counts.mails_out
        self._clock = clock
        self._taken = 0
        self._doubted: dict[int, int] = {}
        """Messages that were refused, and how many others had been taken until then."""
        self._refused: set[str] = set()
        """The recipients for whom messages were refused since the last one was taken, or since the last rest."""
        self._rests = 0
        self._until: datetime | None = None

    @property
    def takes_nothing(self) -> bool:
        return self._link.is_up is False

    @property
    def rests(self) -> bool:
        """Whether nothing is to be sent now."""
        return self._until is not None and self._clock() < self._until

    def hand_over(self, return_path: str, letter: Letter) -> Result:
        row = letter.row
        if letter.error is not None:
            self._attempts.labels("not rendered").inc()
            log_out(row, "not rendered")
            return Result(letter.number, row.template, letter.error, later=True, is_bug=True)
        try:
            self._outbox.send(return_path, row.address, letter.raw)
        except NotAccepted as error:
            return self._refuse(letter.number, row, error)
        failpoints.reach(Step.SENT)
        self._taken += 1
        self._doubted.pop(letter.number, None)
        self._refused.clear()
        self._rests, self._until = 0, None
        self._link.works()
        self._attempts.labels("sent").inc()
        log_out(row, "sent")
        return Result(letter.number, row.template, turns=tuple(facts_when_queued.turns_of_reader(row.facts)))

    def _refuse(self, number: int, row: Outgoing, error: NotAccepted) -> Result:
        is_its_own = self._taken > self._doubted.get(number, self._taken)
        self._doubted[number] = self._taken
        if not is_its_own:
            self._doubt(row, error)
        is_final = is_its_own and not error.later
        self._attempts.labels("refused" if is_final else "postponed").inc()
        log_out(row, f"not sent{'' if is_final else ', to be tried again'}: {error}")
        return Result(
            number,
            row.template,
            str(error),
            later=not is_final,
            waits=not is_its_own and (error.is_lost or not error.later or self.takes_nothing),
            needs_operator=is_its_own and error.is_lost,
            at_latest=LATEST if self.takes_nothing else RETRY_AFTER[-1],
        )

    def _doubt(self, row: Outgoing, error: NotAccepted) -> None:
        """Note that it may take no other message either; rest if several recipients were refused."""
        if len(self._doubted) > MOST:
            self._doubted.clear()
        self._refused.add(row.address)
        is_everybody = len(self._refused) >= SEVERAL
        if is_everybody:
            self._refused.clear()
            self._until = self._clock() + min(RETRY_AFTER[min(self._rests, len(RETRY_AFTER) - 1)], LONGEST_REST)
            self._rests += 1
            if self._rests == 1:
                log.error("no message is taken", error=str(error))
        if is_everybody or (error.is_lost and row.troubled is None):
            self._link.fails("next hop", str(error))


def log_out(row: Outgoing, verdict: str) -> None:
    about = {"message_id": row.message_id, "template": row.template, "player": row.player, "match": row.match}
    log.info("mail out", outgoing=row.id, incoming=row.incoming, **about, verdict=verdict)
