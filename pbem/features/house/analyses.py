"""Analyses that players have asked for: which is next, what is to be searched for it, and how they end.

Each is a series of short searches, so that the turns of the house wait for none of them longer than for another turn.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar

from sqlmodel import Session, col, func, select

from engines.search import seed_of
from pbem.features.house.search_process import FINDINGS, Examination
from pbem.messages.analysis import Estimate
from pbem.storage.leases import is_free
from pbem.storage.message_payload_base import Payload, Section
from pbem.storage.models import Analysis, Match, Player
from pbem.storage.utc import within


class MatchAnalysis(Payload, Section, template="analysis"):
    match: int
    ply: int
    since: int = 0  # the number of turns before the first of the positions
    estimates: tuple[Estimate, ...] = ()
    """For the position before each turn, and the last one; empty where the house gave up."""
    is_long: ClassVar = True
    stands_alone: ClassVar = True


class AnalysisAsked(Section, template="analysing"):
    match: int
    ply: int


NODES = 300_000  # the budget of a whole analysis, as much as 25 turns at the highest level
MOST, FEWEST = 15_000, 1_000  # the most and the fewest nodes for a position
LONGEST = NODES // FEWEST - 1  # how many turns are analysed at most: the last ones
AT_ONCE = 30_000
"""The budget of one search: a second or two, so that it keeps within the limits of a turn and delays none for long."""
DAY = timedelta(days=1)
CANDIDATES = 5


def of(session: Session, match: Match, player: Player) -> Analysis | None:
    return session.exec(select(Analysis).where(Analysis.match == match.id, Analysis.player == player.id)).first()


def awaited(session: Session, player: Player) -> Analysis | None:
    waits = (Analysis.player == player.id, col(Analysis.done).is_(None))
    return session.exec(select(Analysis).where(*waits).limit(1)).first()


def asked_today(session: Session, player: Player, now: datetime) -> int:
    today = (Analysis.player == player.id, within(Analysis.asked, DAY, now))
    return session.exec(select(func.count()).select_from(Analysis).where(*today)).one()


def ask(session: Session, match: Match, player: Player, now: datetime) -> MatchAnalysis | None:
    """Ask for an analysis of a finished match. Return it if there is one, for either player.

    One that the house gave up begins again.
    """
    row = of(session, match, player)
    if row is not None and row.done is not None and is_complete(match, row.findings):
        return told(match, row.findings)
    row = row or Analysis(match=match.id or 0, player=player.id or 0, asked=now, due=now)
    row.asked = row.due = now
    row.attempts, row.done, row.troubled = 0, None, None
    row.findings = _complete(session, match) or row.findings
    ready = is_complete(match, row.findings)
    row.done = now if ready else None
    session.add(row)
    session.flush()
    return told(match, row.findings) if ready else None


def next_ones(session: Session, now: datetime) -> Sequence[int]:
    waiting = select(Analysis.id).where(col(Analysis.done).is_(None), col(Analysis.due) <= now, is_free(Analysis))
    numbers = session.exec(waiting.order_by(col(Analysis.due), col(Analysis.id)).limit(CANDIDATES))
    return [number or 0 for number in numbers]


def first_of(match: Match) -> int:
    """Return the number of turns before the first position that is analysed."""
    return max(0, match.plies - LONGEST)


def is_complete(match: Match, findings: Sequence[object]) -> bool:
    return len(findings) == match.plies - first_of(match) + 1


def next_question(match: Match, texts: tuple[str, ...], known: int) -> Examination:
    first, positions = first_of(match), match.plies - first_of(match) + 1
    nodes = max(FEWEST, min(MOST, NODES // positions))
    begin = first + known
    last = min(match.plies, begin + max(1, AT_ONCE // nodes) - 1)
    return Examination(
        match.game, match.options, texts, begin, last, nodes, seed_of(match.id or 0, 0), version=match.rules
    )


def made(session: Session, match: Match) -> MatchAnalysis | None:
    findings = _complete(session, match)
    return None if findings is None else told(match, findings)


def _complete(session: Session, match: Match) -> list[Any] | None:
    rows = session.exec(select(Analysis.findings).where(Analysis.match == match.id, col(Analysis.done).is_not(None)))
    return next((list(findings) for findings in rows if is_complete(match, findings)), None)


def told(match: Match, findings: Sequence[object]) -> MatchAnalysis:
    """Return what the player is told: that the house gave up, if there are no findings."""
    estimates = tuple(
        Estimate(value=finding.value, certain=finding.is_solved, turn=finding.turn)
        for finding in FINDINGS.validate_python(findings)
    )
    return MatchAnalysis(match=match.id or 0, ply=match.plies, since=first_of(match), estimates=estimates)
