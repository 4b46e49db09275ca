"""What the house thinks about: its turns, hints and analyses, each found in a process and then acted on.

Nothing has to be queued for a turn: it is the house's where a match says so, whatever happened to the server since. A
turn is played if the match is as it was, so it isn't played twice. The findings of an analysis are stored after each of
its short searches, so a crash costs one search at most; the player is told with the last of them, so only once.

A search that is killed, or takes too much, is tried again: soon, then less often. The admin hears of it (see
server.alerts). One of several daemons has a lease on a search.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import Engine, and_, bindparam, delete, exists, func, or_, union_all
from sqlalchemy import select as columns
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from engines.core import Position, Seat
from engines.search import seed_of
from notation.core import Notation
from notation.record import replay
from pbem import failpoints
from pbem.config import ServerSettings
from pbem.errors import Refused
from pbem.failpoints import Step
from pbem.features.house import analyses, house_account
from pbem.features.house.search_process import Examination, Findings, Question, Searcher, SearchFailed, SearchStopped
from pbem.matches import lifecycle, turn_parsing
from pbem.matches.queries import is_to_move, locked, opponent_of, version
from pbem.matches.replayed_match import snapshot_of, turn_texts
from pbem.matches.turn_parsing import ReadTurn
from pbem.players import match_event_notices, waiting_answers
from pbem.players.queue_match_news import notify
from pbem.storage import leases, notifications
from pbem.storage.database import lock, read_only, transaction
from pbem.storage.leases import is_free
from pbem.storage.mailer import Mailer
from pbem.storage.models import HOUSE, Analysis, Match, MatchState, Outgoing, Player, Ply, Search, SearchKind
from pbem.storage.utc import Utc
from pbem.tokens import Purpose

log = structlog.get_logger()

HOUR = timedelta(hours=1)
MOST = 3  # after that many failures the house gives an analysis up, and the admin is told of a turn
PAUSES = (timedelta(minutes=1), timedelta(minutes=10), HOUR)
"""How long a search waits after each failure; after the last one, always that long."""
TURNS_PER_HOUR = 120  # per player; those beyond wait
ROUND = 50  # opponents served before the house looks again who waits
MOST_HINTS = 5


def _waiting(seat: Seat) -> Any:
    """Return the query for the matches in which that seat is the house's and to move, and since when it is."""
    own, other = (Match.seat1, Match.seat0) if seat else (Match.seat0, Match.seat1)
    version = col(Match.plies) + col(Match.shift)
    of_turn = (col(Search.match) == col(Match.id), col(Search.kind) == SearchKind.TURN.value)
    is_due = or_(col(Search.id).is_(None), and_(is_free(Search), col(Search.due) <= bindparam("now", type_=Utc)))
    return (
        columns(
            col(Match.id).label("number"),
            col(other).label("opponent"),
            func.coalesce(Ply.played, Match.started).label("since"),
        )
        .outerjoin(Ply, and_(col(Ply.match) == col(Match.id), col(Ply.number) == col(Match.plies)))
        .outerjoin(Search, and_(*of_turn, col(Search.version) == version))
        .where(col(own) == bindparam("house"), col(Match.to_move) == seat, col(Match.paused).is_(None), is_due)
    )


def _next_turns() -> Any:
    """Return the query for the match of each opponent that has waited longest, unless they had enough this hour."""
    waiting = union_all(_waiting(0), _waiting(1)).subquery()
    place = func.row_number().over(partition_by=waiting.c.opponent, order_by=(waiting.c.since, waiting.c.number))
    first = columns(waiting, place.label("place")).subquery()
    of_opponent = (col(Search.player) == first.c.opponent, col(Search.kind) == SearchKind.TURN.value)
    searched = columns(func.count(col(Search.id))).where(
        *of_opponent, col(Search.asked) > bindparam("since", type_=Utc)
    )
    return (
        columns(first.c.number)
        .where(first.c.place == 1, searched.scalar_subquery() < bindparam("most"))
        .order_by(first.c.since, first.c.number)
        .limit(ROUND)
    )


_NEXT_TURNS = _next_turns()
_HOUSE = columns(col(Player.id)).where(col(Player.address) == HOUSE).scalar_subquery()
_LOOK = columns(
    or_(
        exists().where(col(Match.seat0) == _HOUSE, col(Match.to_move) == 0),
        exists().where(col(Match.seat1) == _HOUSE, col(Match.to_move) == 1),
        waiting_answers.ARE_AWAITED,
        exists().where(col(Analysis.done).is_(None)),
    )
)
"""Whether there is anything to think about, due or not."""


@dataclass(frozen=True, slots=True)
class Task:
    """A search for a turn or for a part of an analysis, which has a row with its attempts and its lease."""

    table: type[Search] | type[Analysis]
    row: int
    match: int
    basis: int  # the version of the match; of an analysis, how many findings there were before
    question: Question | Examination


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
        now = self.clock()
        with read_only(self.engine) as session:
            if not session.connection().execute(_LOOK).scalar():
                return 0
            house = house_account.find(session)
            values = {"house": house and house.id, "now": now, "since": now - HOUR, "most": self.turns_per_hour}
            waiting = list(session.execute(_NEXT_TURNS, values).scalars())
            hints = waiting_answers.awaited_hints(session, MOST_HINTS)
            unfinished = analyses.next_ones(session, now)
        searched = 0
        for number in waiting:
            if stopped():
                break
            searched += self._search(self._begin_turn(number))
        if searched or any(not stopped() and self._give_hint(number) for number in hints):
            return searched or 1
        return any(not stopped() and self._search(self._begin_analysis(number)) for number in unfinished)

    def close(self) -> None:
        self.searcher.close()

    def _search(self, task: Task | None) -> bool:
        """Search, check the result, and act on it. Return whether that was tried, and not ended by the server."""
        if task is None:
            return False
        failpoints.reach(Step.SEARCHING)
        try:
            if isinstance(task.question, Question):
                answer = self.searcher.search(task.question)
                failpoints.reach(Step.FOUND)
                self._play(task, answer.turn, answer.value)
            else:
                findings = self.searcher.examine(task.question)
                check_findings(task.question, findings)
                failpoints.reach(Step.FOUND)
                self._store(task, findings)
        except SearchStopped:
            with transaction(self.engine) as session:
                row = lock(session, task.table, task.row)
                if row is not None:
                    row.attempts, row.leased_until, row.holder = max(0, row.attempts - 1), None, None
            return False
        except DBAPIError:
            raise
        except Exception as error:  # noqa: BLE001 - a bug in a search must not end the others
            self._fail(task, error)
        return True

    def _fail(self, task: Task, error: Exception) -> None:
        """Note that the search failed, and when to try again."""
        now = self.clock()
        with transaction(self.engine) as session:
            row = lock(session, task.table, task.row)
            if row is not None and row.done is None:
                row.due = now + PAUSES[min(row.attempts, len(PAUSES)) - 1]
                leases.end(row)
                if row.attempts >= MOST and row.troubled is None:
                    row.troubled = now
                    if isinstance(row, Analysis):
                        self._tell(session, row, now)
        event = "house" if task.table is Search else "analysis"
        log.error(event, match=task.match, error=f"{type(error).__name__}: {error}"[:200])

    def _begin_turn(self, number: int) -> Task | None:
        """Count the search before it begins. Return what to search for, unless the match has moved on.

        None, too, if another daemon searches for that.
        """
        now = self.clock()
        with transaction(self.engine) as session:
            match, house = locked(session, number), house_account.find(session)
            if match is None or house is None or not _can_move(match, house):
                return None
            this: dict[str, Any] = {"match": number, "kind": SearchKind.TURN, "version": version(match)}
            row = session.exec(select(Search).filter_by(**this)).first()
            row = row or Search(**this, player=opponent_of(match, house), asked=now, due=now)
            session.add(row)
            session.flush()
            if not leases.take(session, Search, row.id or 0, self.holder):
                return None
            row.attempts += 1
            if row.attempts > MOST and row.troubled is None:
                row.troubled = now
            return Task(Search, row.id or 0, number, version(match), _question(session, match))

    def _play(self, task: Task, text: str, value: float) -> None:
        now = self.clock()
        with transaction(self.engine) as session:
            match, house = locked(session, task.match), house_account.find(session)
            if match is None or house is None or version(match) != task.basis or not _can_move(match, house):
                return
            snapshot = snapshot_of(session, match)
            turn = read_turn(snapshot.notation, snapshot.base, text)
            events = lifecycle.play(session, snapshot, snapshot.base.turn or 0, turn, now)
            row = lock(session, Search, task.row)
            if row is not None:
                row.done, row.value, row.troubled = now, value, None
                leases.end(row)
            # Earlier searches in the match are needed for an hour, in which they count.
            of_turns = (col(Search.match) == task.match, col(Search.kind) == SearchKind.TURN)
            earlier = (col(Search.version) < task.basis, col(Search.asked) <= now - HOUR)
            session.exec(delete(Search).where(*of_turns, *earlier))
            for notice in match_event_notices.notices(session, events):
                if not waiting_answers.retell(session, notice, now):
                    notify(session, self.server, now, notice)
            notifications.notify(session.connection(), notifications.Channel.OWED)
            failpoints.reach(Step.ANSWERING)
        failpoints.reach(Step.ANSWERED)
        log.info("house", match=task.match, turn=snapshot.ply + 1)

    def _give_hint(self, number: int) -> bool:
        """Add the hint to the answer that waits for it. Return whether it was found; if not, it delays no other."""
        with transaction(self.engine) as session:
            row = session.get(Outgoing, number)
            match = session.get(Match, row.match) if row is not None and row.match is not None else None
            if row is None or match is None or version(match) != row.ply + row.shift or match.to_move is None:
                return False
            if not leases.take(session, Outgoing, number, self.holder):
                return False
            question = _question(session, match, careful=True)
        try:
            turn = self.searcher.search(question).turn
            turn = read_turn(question.record.pack.notation, replay(question.record)[-1], turn).text
            with transaction(self.engine) as session:
                waiting_answers.give_hint(session, number, turn, self.clock())
                notifications.notify(session.connection(), notifications.Channel.OWED)
        except DBAPIError:
            raise
        except Exception as error:  # noqa: BLE001 - the answer says so in a moment
            log.error("hint", outgoing=number, error=f"{type(error).__name__}: {error}"[:200])  # noqa: TRY400 - as above
            return False
        return True

    def _begin_analysis(self, number: int) -> Task | None:
        """Count the search before it begins. Return what to search for; None if the house gives the analysis up."""
        now = self.clock()
        with transaction(self.engine) as session:
            row = lock(session, Analysis, number)
            if row is None or row.done is not None or not leases.take(session, Analysis, number, self.holder):
                return None
            if row.attempts >= MOST:
                row.troubled = now
                self._tell(session, row, now)
                return None
            row.attempts += 1
            match, known = session.get_one(Match, row.match), len(row.findings)
            question = analyses.next_question(match, turn_texts(session, match), known)
            return Task(Analysis, number, row.match, known, question)

    def _store(self, task: Task, findings: Findings) -> None:
        """Store the findings, unless another daemon has; tell the player when they are complete."""
        with transaction(self.engine) as session:
            row = lock(session, Analysis, task.row)
            if row is None or row.done is not None or len(row.findings) != task.basis:
                return
            row.findings = [*row.findings, *map(asdict, findings)]
            row.attempts, row.due, row.leased_until, row.holder = 0, row.asked, None, None
            if analyses.is_complete(session.get_one(Match, row.match), row.findings):
                self._tell(session, row, self.clock())
            failpoints.reach(Step.ANSWERING)
        failpoints.reach(Step.ANSWERED)
        log.info("analysis", match=task.match, positions=task.basis + len(findings))

    def _tell(self, session: Session, row: Analysis, now: datetime) -> None:
        """Tell the player what was found, or that the house gave up if that isn't complete."""
        row.done = now
        match = session.get_one(Match, row.match)
        analysis = analyses.told(match, row.findings if analyses.is_complete(match, row.findings) else ())
        recipient = session.get_one(Player, row.player)
        Mailer(session, self.server, now).to_player(recipient, analysis, purpose=Purpose.PLAY, match=match)
        notifications.notify(session.connection(), notifications.Channel.OWED)


def _can_move(match: Match, house: Player) -> bool:
    return match.state == MatchState.RUNNING and match.paused is None and is_to_move(match, house)


def _question(session: Session, match: Match, *, careful: bool = False) -> Question:
    """Return the question for the next turn; a careful one is for a hint, which a learner's level doesn't give."""
    texts, seed = turn_texts(session, match), seed_of(match.id or 0, match.plies)
    level = max(match.level or 0, int(careful))
    return Question(match.game, match.options, texts, level, seed, careful=careful, version=match.rules)


def read_turn(notation: Notation[Any], position: Position[Any], text: str) -> ReadTurn:
    """Return the complete turn that was found on a position; raise SearchFailed if it isn't one."""
    try:
        turn = turn_parsing.read(notation, position, None, turn_parsing.parse(notation, text))
    except Refused as error:
        raise SearchFailed(f"{text[:40]!r} is no turn here") from error
    if not turn.complete:
        raise SearchFailed(f"{text[:40]!r} is no complete turn")
    return turn


def check_findings(examination: Examination, findings: Findings) -> None:
    """Raise SearchFailed unless there is a finding for each position, with a turn wherever there is one to play."""
    positions = replay(examination.record)[examination.first : examination.last + 1]
    if len(findings) != len(positions):
        raise SearchFailed(f"{len(findings)} findings for {len(positions)} positions")
    for position, finding in zip(positions, findings, strict=True):
        if (finding.turn is None) != (position.turn is None):
            raise SearchFailed("a turn where there is none to play, or none where there is one")
        if finding.turn is not None:
            read_turn(examination.record.pack.notation, position, finding.turn)
