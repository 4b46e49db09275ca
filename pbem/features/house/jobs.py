"""What the house does beside the daemon: which matches wait for it, its searches, and its analyses of matches."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeVar

import structlog
from sqlalchemy import Engine, and_, bindparam, exists, func, or_, union_all
from sqlalchemy import select as columns
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from engines.core import Seat
from pbem import failpoints
from pbem.config import ServerSettings
from pbem.failpoints import Step
from pbem.features.house import analyses
from pbem.features.house.messages import check_findings
from pbem.features.house.searcher import Examination, Findings, Searcher, SearchStopped
from pbem.matches.queries import seat_of
from pbem.matches.snapshot import turn_texts
from pbem.storage import leases, notifications
from pbem.storage.database import read_only, transaction
from pbem.storage.leases import Leased, is_free
from pbem.storage.models import HOUSE, Analysis, Match, MatchState, Player, Ply, Search, SearchKind
from pbem.storage.notifications import Channel
from pbem.storage.outbox import Mailer
from pbem.storage.utc import Utc
from pbem.tokens import Purpose

Task = TypeVar("Task", contravariant=True)


class Searching(Protocol[Task]):
    def find(self, task: Task) -> None:
        """Search, check the result, and act on it; raise whatever went wrong."""

    def fail(self, task: Task, error: Exception) -> None:
        """Note that the search failed, and when to try again."""

    def take_back(self, task: Task) -> None:
        """Undo the count of a search that was ended because the server stops."""


def take_one(engine: Engine, table: type[Leased], numbers: Iterable[int], holder: str) -> int | None:
    """Take a lease on the first row that is free. Return its number; None if other daemons have them all."""
    for number in numbers:
        with transaction(engine) as session:
            is_ours = leases.take(session, table, number, holder)
        if is_ours:
            return number
    return None


def search(searching: Searching[Task], task: Task) -> bool:
    failpoints.reach(Step.SEARCHING)
    try:
        searching.find(task)
    except SearchStopped:
        searching.take_back(task)
        return False
    except DBAPIError:
        raise
    except Exception as error:  # noqa: BLE001 - a bug in a search must not end the others
        searching.fail(task, error)
    return True


# What the house has to think about next: the matches in which it is its turn, fairly among its opponents.
#
# Nothing has to be queued for that: it is the house's turn where a match says so, whatever happened to the server
# since.
HOUR = timedelta(hours=1)
MOST = 3
"""After that many failures the house gives an analysis up, and the admin is told of a turn."""
PAUSES = (timedelta(0), timedelta(minutes=1), timedelta(minutes=10), HOUR)
"""How long a search waits after each failure; after the last one, always that long."""
TURNS_PER_HOUR = 120
"""Per player; those beyond wait."""
ROUND = 50
"""Opponents served before the house looks again who waits."""

_GOES_ON = col(Match.paused).is_(None)
_NOW: Any = bindparam("now", type_=Utc)


def _waiting(seat: Seat) -> Any:
    """Return the query for the matches in which that seat is the house's and to move, and since when it is."""
    own, other = (Match.seat1, Match.seat0) if seat else (Match.seat0, Match.seat1)
    version = col(Match.plies) + col(Match.shift)
    searched = and_(
        col(Search.match) == col(Match.id), col(Search.kind) == SearchKind.TURN.value, col(Search.version) == version
    )
    is_due = or_(col(Search.id).is_(None), and_(is_free(Search), col(Search.due) <= _NOW))
    return (
        columns(
            col(Match.id).label("number"),
            col(other).label("opponent"),
            func.coalesce(Ply.played, Match.started).label("since"),
        )
        .outerjoin(Ply, and_(col(Ply.match) == col(Match.id), col(Ply.number) == col(Match.plies)))
        .outerjoin(Search, searched)
        .where(col(own) == bindparam("house"), col(Match.to_move) == seat, _GOES_ON, is_due)
    )


def _round() -> Any:
    """Return the query for the match of each opponent that has waited longest, unless they had enough this hour."""
    waiting = union_all(_waiting(0), _waiting(1)).subquery()
    place = func.row_number().over(partition_by=waiting.c.opponent, order_by=(waiting.c.since, waiting.c.number))
    first = columns(waiting, place.label("place")).subquery()
    searched = (
        columns(func.count(col(Search.id)))
        .where(
            col(Search.player) == first.c.opponent,
            col(Search.kind) == SearchKind.TURN.value,
            col(Search.asked) > bindparam("since", type_=Utc),
        )
        .scalar_subquery()
    )
    return (
        columns(first.c.number)
        .where(first.c.place == 1, searched < bindparam("most"))
        .order_by(first.c.since, first.c.number)
        .limit(ROUND)
    )


_ROUND = _round()
_HOUSE = columns(col(Player.id)).where(col(Player.address) == HOUSE).scalar_subquery()
IS_TO_MOVE = or_(
    exists().where(col(Match.seat0) == _HOUSE, col(Match.to_move) == 0),
    exists().where(col(Match.seat1) == _HOUSE, col(Match.to_move) == 1),
)
"""Whether it is the house's turn in any match, due or not."""


def next_turns(session: Session, house: Player, now: datetime, most: int = TURNS_PER_HOUR) -> list[int]:
    values = {"house": house.id, "now": now, "since": now - HOUR, "most": most}
    return list(session.execute(_ROUND, values).scalars())


def is_to_move(match: Match, house: Player) -> bool:
    is_running = match.state == MatchState.RUNNING and match.paused is None
    return is_running and match.to_move is not None and seat_of(match, house) == match.to_move


# The analyst: goes on with the analyses that players have asked for, one short search at a time.
#
# What was found is stored after each search, so a crash costs one search at most; the player is told in the transaction
# that stores the last of it, so they are told once.
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class AnalysisTask:
    analysis: int
    known: int
    question: Examination


@dataclass(frozen=True, slots=True)
class Analyst:
    engine: Engine
    server: ServerSettings
    searcher: Searcher
    holder: str
    clock: Callable[[], datetime]

    def step(self) -> bool:
        now = self.clock()
        with read_only(self.engine) as session:
            waiting = analyses.next_ones(session, now)
        number = take_one(self.engine, Analysis, waiting, self.holder)
        if number is None:
            return False
        task = self._begin(number)
        return task is None or search(self, task)

    def find(self, task: AnalysisTask) -> None:
        findings = self.searcher.examine(task.question)
        check_findings(task.question, findings)
        failpoints.reach(Step.FOUND)
        self._store(task, findings)

    def _begin(self, number: int) -> AnalysisTask | None:
        """Count the search before it begins. Return what to search for; None if the house gives the analysis up."""
        now = self.clock()
        with transaction(self.engine) as session:
            row = _locked(session, number)
            if row is None or row.done is not None:
                return None
            match = session.get_one(Match, row.match)
            if row.attempts >= MOST:
                self._give_up(session, row, now)
                return None
            row.attempts += 1
            known = len(row.findings)
            return AnalysisTask(number, known, analyses.next_question(match, turn_texts(session, match), known))

    def _store(self, task: AnalysisTask, findings: Findings) -> None:
        """Store the findings, unless another daemon has; tell the player when they are complete."""
        now = self.clock()
        with transaction(self.engine) as session:
            row = _locked(session, task.analysis)
            if row is None or row.done is not None or len(row.findings) != task.known:
                return
            row.findings = [*row.findings, *map(asdict, findings)]
            row.attempts, row.due, row.leased_until, row.holder = 0, row.asked, None, None
            match = session.get_one(Match, row.match)
            is_complete = analyses.is_complete(match, row.findings)
            if is_complete:
                self._tell(session, row, match, now)
            failpoints.reach(Step.ANSWERING)
        failpoints.reach(Step.ANSWERED)
        log.info("analysis", match=match.id, positions=len(row.findings), complete=is_complete)

    def _give_up(self, session: Session, row: Analysis, now: datetime) -> None:
        row.troubled = now
        self._tell(session, row, session.get_one(Match, row.match), now)
        log.error("analysis given up", match=row.match)

    def _tell(self, session: Session, row: Analysis, match: Match, now: datetime) -> None:
        row.done = now
        complete = row.findings if analyses.is_complete(match, row.findings) else ()
        analysis, player = analyses.told(match, complete), session.get_one(Player, row.player)
        Mailer(session, self.server, now).to_player(player, analysis, purpose=Purpose.PLAY, match=match)
        notifications.notify(session.connection(), Channel.OWED)

    def fail(self, task: AnalysisTask, error: Exception) -> None:
        now = self.clock()
        with transaction(self.engine) as session:
            row = _locked(session, task.analysis)
            if row is not None and row.done is None:
                row.due = now + PAUSES[min(max(row.attempts, 1), len(PAUSES) - 1)]
                row.leased_until, row.holder = None, None
                if row.attempts >= MOST:
                    self._give_up(session, row, now)
        log.error("analysis", analysis=task.analysis, error=f"{type(error).__name__}: {error}"[:200])

    def take_back(self, task: AnalysisTask) -> None:
        with transaction(self.engine) as session:
            row = _locked(session, task.analysis)
            if row is not None:
                row.attempts, row.leased_until, row.holder = max(0, row.attempts - 1), None, None


def _locked(session: Session, number: int) -> Analysis | None:
    """Return the analysis as it is now, locked; None once its player has left."""
    return session.exec(select(Analysis).where(Analysis.id == number).with_for_update()).first()
