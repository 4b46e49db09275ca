"""The turns of the house: each is found in a process, and then played in a transaction, if the match is as it was.

A search that is killed, or takes too much, is tried again: soon, then less often. The admin hears of it (see
server.alerts). One of several daemons has a lease on a search; that a turn isn't played twice is up to
the version of the match.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import structlog
from sqlalchemy import Engine, delete, or_
from sqlalchemy import select as columns
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from engines.search import seed_of
from pbem import failpoints
from pbem.config import ServerSettings
from pbem.failpoints import Step
from pbem.features.house import analyses, messages, player
from pbem.features.house.jobs import (
    HOUR,
    IS_TO_MOVE,
    MOST,
    PAUSES,
    TURNS_PER_HOUR,
    Analyst,
    is_to_move,
    next_turns,
    search,
    take_one,
)
from pbem.features.house.searcher import Question, SearchAnswer, Searcher
from pbem.matches import lifecycle
from pbem.matches.queries import locked, opponent_of, version
from pbem.matches.snapshot import snapshot_of, turn_texts
from pbem.players import announcements, waiting_receipts
from pbem.players.notices import notify
from pbem.storage import leases, notifications
from pbem.storage.database import read_only, transaction
from pbem.storage.models import Match, Outgoing, Search, SearchKind
from pbem.storage.notifications import Channel

log = structlog.get_logger()

MOST_HINTS = 5
_LOOK = columns(or_(IS_TO_MOVE, waiting_receipts.ARE_AWAITED, analyses.ARE_WAITING))


@dataclass(frozen=True, slots=True)
class TurnTask:
    match: int
    version: int
    question: Question


@dataclass(frozen=True, slots=True)
class Thinker:
    engine: Engine
    server: ServerSettings
    searcher: Searcher
    holder: str
    clock: Callable[[], datetime]
    turns_per_hour: int = TURNS_PER_HOUR

    def step(self, stopped: Callable[[], bool] = lambda: False) -> int:
        """Search for the next turn against each opponent who waits. Return their number; if it isn't 0, call again."""
        with read_only(self.engine) as session:
            if not session.connection().execute(_LOOK).scalar():
                return 0
            house = player.find(session)
            waiting = next_turns(session, house, self.clock(), self.turns_per_hour) if house is not None else []
        searched = 0
        for number in waiting:
            if stopped():
                break
            searched += self._search(number)
        ours = (self.engine, self.server, self.searcher, self.holder, self.clock)
        if searched or self._give_hint(stopped):
            return searched or 1
        return not stopped() and Analyst(*ours).step()

    def _give_hint(self, stopped: Callable[[], bool]) -> bool:
        """Search for a hint that is awaited. Return whether one was given; one that isn't found delays no other."""
        with read_only(self.engine) as session:
            awaited = waiting_receipts.awaited_hints(session, MOST_HINTS)
        return any(not stopped() and self._give(number) for number in awaited)

    def _give(self, outgoing: int) -> bool:
        with read_only(self.engine) as session:
            question = self._hint_asked(session, outgoing)
        if question is None or take_one(self.engine, Outgoing, [outgoing], self.holder) is None:
            return False
        try:
            turn = messages.check_hint(question, self.searcher.search(question).turn)
            with transaction(self.engine) as session:
                waiting_receipts.give_hint(session, outgoing, turn, self.clock())
                notifications.notify(session.connection(), Channel.OWED)
        except DBAPIError:
            raise
        except Exception as error:  # noqa: BLE001 - the answer says so in a moment
            log.error("hint", outgoing=outgoing, error=f"{type(error).__name__}: {error}"[:200])  # noqa: TRY400 - as above
            return False
        return True

    def _hint_asked(self, session: Session, number: int) -> Question | None:
        row = session.get(Outgoing, number)
        match = session.get(Match, row.match) if row is not None and row.match is not None else None
        if row is None or match is None or version(match) != row.ply + row.shift or match.to_move is None:
            return None
        texts = turn_texts(session, match)
        which = seed_of(match.id or 0, match.plies)
        return Question(match.game, match.options, texts, match.level or 1, which, careful=True, version=match.rules)

    def close(self) -> None:
        self.searcher.close()

    def _search(self, number: int) -> bool:
        task = self._begin(number)
        return task is not None and search(self, task)

    def find(self, task: TurnTask) -> None:
        answer = self.searcher.search(task.question)
        failpoints.reach(Step.FOUND)
        self._play(task, answer)

    def _begin(self, number: int) -> TurnTask | None:
        """Count the search before it begins. Return what to search for, unless the match has moved on.

        None, too, if another daemon searches for that.
        """
        now = self.clock()
        with transaction(self.engine) as session:
            match, house = locked(session, number), player.find(session)
            if match is None or house is None or not is_to_move(match, house):
                return None
            opponent = opponent_of(match, house)
            row = _row(session, number, version(match)) or Search(
                match=number, kind=SearchKind.TURN, version=version(match), player=opponent, asked=now, due=now
            )
            session.add(row)
            session.flush()
            if not leases.take(session, Search, row.id or 0, self.holder):
                return None
            row.attempts += 1
            if row.attempts > MOST and row.troubled is None:
                row.troubled = now
            texts = turn_texts(session, match)
            level, chance = match.level or 0, seed_of(number, match.plies)
            question = Question(match.game, match.options, texts, level, chance, version=match.rules)
            return TurnTask(number, version(match), question)

    def _play(self, task: TurnTask, answer: SearchAnswer) -> None:
        now = self.clock()
        with transaction(self.engine) as session:
            match, house = locked(session, task.match), player.find(session)
            if match is None or house is None or version(match) != task.version or not is_to_move(match, house):
                return
            snapshot = snapshot_of(session, match)
            turn = messages.read_turn(snapshot.notation, snapshot.base, answer.turn)
            events = lifecycle.play(session, snapshot, snapshot.base.turn or 0, turn, now)
            row = _row(session, task.match, task.version)
            if row is not None:
                row.done, row.value, row.troubled = now, answer.value, None
                row.leased_until, row.holder = None, None
            _forget(session, task, now)
            for notice in announcements.notices(session, events):
                if not waiting_receipts.retell(session, notice, now):
                    notify(session, self.server, now, notice)
            notifications.notify(session.connection(), Channel.OWED)
            failpoints.reach(Step.ANSWERING)
        failpoints.reach(Step.ANSWERED)
        log.info("house", match=task.match, turn=len(task.question.turns) + 1, nodes=answer.nodes)

    def fail(self, task: TurnTask, error: Exception) -> None:
        now = self.clock()
        with transaction(self.engine) as session:
            row = _row(session, task.match, task.version)
            if row is not None:
                row.leased_until, row.holder = None, None
                row.due = now + max(PAUSES[1], PAUSES[min(row.attempts, len(PAUSES) - 1)])
                if row.attempts >= MOST and row.troubled is None:
                    row.troubled = now
        log.error("house", match=task.match, error=f"{type(error).__name__}: {error}"[:200])

    def take_back(self, task: TurnTask) -> None:
        with transaction(self.engine) as session:
            row = _row(session, task.match, task.version)
            if row is not None:
                row.attempts, row.leased_until, row.holder = row.attempts - 1, None, None


def _row(session: Session, number: int, seen: int) -> Search | None:
    this = (Search.match == number, Search.kind == SearchKind.TURN, Search.version == seen)
    return session.exec(select(Search).where(*this)).first()


def _forget(session: Session, task: TurnTask, now: datetime) -> None:
    """Delete the earlier searches in the match, as soon as they don't count for the hour any more."""
    earlier = (col(Search.match) == task.match, col(Search.kind) == SearchKind.TURN, col(Search.version) < task.version)
    session.exec(delete(Search).where(*earlier, col(Search.asked) <= now - HOUR))
