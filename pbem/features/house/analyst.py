"""The analyst: goes on with the analyses that players have asked for, one short search at a time.

What was found is stored after each search, so a crash costs one search at most; the player is told in the transaction
that stores the last of it, so they are told once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import structlog
from sqlalchemy import Engine
from sqlmodel import Session, select

from pbem import failpoints
from pbem.config import ServerSettings
from pbem.failpoints import Step
from pbem.features.house import analyses
from pbem.features.house.protocol import Examination, Findings
from pbem.features.house.queue import PAUSES
from pbem.features.house.replies import check_findings
from pbem.features.house.searcher import Searcher
from pbem.features.house.searching import search, take_one
from pbem.matches.snapshot import turn_texts
from pbem.storage import notifications
from pbem.storage.database import read_only, transaction
from pbem.storage.models import Analysis, Match, Player
from pbem.storage.notifications import Channel
from pbem.storage.outbox import Mailer
from pbem.tokens import Purpose

log = structlog.get_logger()

MOST = 3
"""How often a search may end badly before the house gives the analysis up."""


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
        found = self.searcher.examine(task.question)
        check_findings(task.question, found)
        failpoints.reach(Step.FOUND)
        self._keep(task, found)

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

    def _keep(self, task: AnalysisTask, found: Findings) -> None:
        """Store what was found, unless somebody else has; tell the player when that was all."""
        now = self.clock()
        with transaction(self.engine) as session:
            row = _locked(session, task.analysis)
            if row is None or row.done is not None or len(row.findings) != task.known:
                return
            row.findings = [*row.findings, *analyses.stored(found)]
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
        Mailer(session, self.server, now).to_player(
            session.get_one(Player, row.player),
            analyses.told(match, complete),
            purpose=Purpose.PLAY,
            match=match,
            ply=match.plies,
        )
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
