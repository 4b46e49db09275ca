"""The prover: looks at what players claim, ends a match whose result is proven, and else answers that it wasn't shown.

What ends the match, and what answers, is in one transaction with the claim, so each happens once. A claim that wasn't
shown is answered a fixed time after its search began: how long the search took would tell what it saw.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import structlog
from sqlalchemy import Engine
from sqlmodel import Session, select

from notation.ending import Ending, Termination
from pbem import failpoints
from pbem.config import ServerSettings
from pbem.failpoints import Step
from pbem.features.house import claims
from pbem.features.house.messages import ClaimAnswered
from pbem.features.house.protocol import ProofAnswer, ProofQuestion
from pbem.features.house.queue import PAUSES
from pbem.features.house.replies import check_proof
from pbem.features.house.searcher import Searcher
from pbem.features.house.searching import search, take_one
from pbem.matches import lifecycle
from pbem.matches.queries import locked
from pbem.matches.snapshot import turn_texts
from pbem.players import announcements
from pbem.storage import notifications
from pbem.storage.database import read_only, transaction
from pbem.storage.models import Claim, Match, Player
from pbem.storage.notifications import Channel
from pbem.storage.outbox import Mailer
from pbem.tokens import Purpose

log = structlog.get_logger()

MOST = 3
"""How often a search may end badly before the claim is void."""


@dataclass(frozen=True, slots=True)
class ProofTask:
    """What to search for a claim, and since when."""

    claim: int
    match: int
    begun: datetime
    question: ProofQuestion


@dataclass(frozen=True, slots=True)
class Prover:
    """Finds claims, and ends matches or answers the players."""

    engine: Engine
    server: ServerSettings
    searcher: Searcher
    holder: str
    clock: Callable[[], datetime]

    def step(self) -> bool:
        """Go on with the claim that is due longest. Return whether there was one."""
        now = self.clock()
        with read_only(self.engine) as session:
            waiting = claims.next_ones(session, now, now + 2 * PAUSES[-1])
        number = take_one(self.engine, Claim, waiting, self.holder)
        if number is None:
            return False
        task = self._begin(number)
        return task is None or search(self, task)

    def find(self, task: ProofTask) -> None:
        """Search for a proof, and end the match or note when to answer."""
        found = self.searcher.prove(task.question)
        check_proof(task.question, found)
        failpoints.reach(Step.FOUND)
        self._conclude(task, found)

    def _begin(self, number: int) -> ProofTask | None:
        """Count the search before it begins. Return what to search for; None if the claim is answered now."""
        now = self.clock()
        with transaction(self.engine) as session:
            claim, match = self._locked(session, number)
            if claim is None or match is None or claim.done is not None:
                return None
            player = session.get_one(Player, claim.player)
            if claim.searched is not None:  # a turn since then makes no difference, or players would try for nothing
                self._answer(session, claim, match, "not shown", now)
            elif not claims.still_holds(claim, match):
                self._answer(session, claim, match, "moved on", now)
            elif claim.attempts >= MOST:
                self._answer(session, claim, match, "failed", now)
            else:
                claim.attempts += 1
                texts = turn_texts(session, match)
                return ProofTask(number, match.id or 0, now, claims.question(claim, match, player, texts))
        return None

    def _conclude(self, task: ProofTask, found: ProofAnswer) -> None:
        """End the match if the claim was shown; or else note when to answer. A claim on another version is void."""
        now = self.clock()
        with transaction(self.engine) as session:
            claim, match = self._locked(session, task.claim)
            if claim is None or match is None or claim.done is not None or claim.searched is not None:
                return
            if not claims.still_holds(claim, match):
                self._answer(session, claim, match, "moved on", now)
            elif found.line:
                self._end(session, claim, match, task.question, found, now)
            else:
                claim.searched, claim.due = now, task.begun + claims.ANSWERED_AFTER
                claim.leased_until, claim.holder = None, None
            failpoints.reach(Step.ANSWERING)
        failpoints.reach(Step.ANSWERED)
        log.info("claim", match=task.match, shown=bool(found.line))

    def _end(
        self, session: Session, claim: Claim, match: Match, asked: ProofQuestion, found: ProofAnswer, now: datetime
    ) -> None:
        """End the match as was claimed, and tell both players."""
        line = ", ".join((*found.line, *(() if found.is_whole else ("...",))))
        ending = Ending(Termination.PROVEN, asked.claimed, line)
        events = lifecycle.end(session, match, ending, asked.claimed, now, reason=line)
        claim.done, claim.leased_until, claim.holder = now, None, None
        announcements.announce(session, self.server, now, events)
        notifications.notify(session.connection(), Channel.OWED)

    def _answer(self, session: Session, claim: Claim, match: Match, why: str, now: datetime) -> None:
        """Queue the one message that answers a claim without a proof."""
        claim.done, claim.is_void = now, why != "not shown"
        claim.leased_until, claim.holder = None, None
        session.flush()
        player = session.get_one(Player, claim.player)
        left = claims.PER_MATCH - len(claims.of(session, match, player))
        Mailer(session, self.server, now).to_player(
            player,
            ClaimAnswered(match=match.id or 0, ply=match.plies, why=why, left=left),
            purpose=Purpose.PLAY,
            match=match,
            ply=match.plies,
        )
        notifications.notify(session.connection(), Channel.OWED)

    def fail(self, task: ProofTask, error: Exception) -> None:
        """Note that the search didn't end well, and when to try again, or to answer."""
        now = self.clock()
        with transaction(self.engine) as session:
            claim, _ = self._locked(session, task.claim)
            if claim is not None and claim.done is None:
                claim.due = now + PAUSES[1]
                claim.leased_until, claim.holder = None, None
        log.error("claim", match=task.match, error=f"{type(error).__name__}: {error}"[:200])

    def take_back(self, task: ProofTask) -> None:
        """Undo the count of a search that was ended because the server stops."""
        with transaction(self.engine) as session:
            claim, _ = self._locked(session, task.claim)
            if claim is not None:
                claim.attempts, claim.leased_until, claim.holder = max(0, claim.attempts - 1), None, None

    def _locked(self, session: Session, number: int) -> tuple[Claim | None, Match | None]:
        """Return the claim and its match as they are now, the match locked first; None once the player has left."""
        found = session.exec(select(Claim.match).where(Claim.id == number)).first()
        match = None if found is None else locked(session, found)
        return session.exec(select(Claim).where(Claim.id == number).with_for_update()).first(), match
