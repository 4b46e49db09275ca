"""Ladders: players stand on rungs, and who beats a player whom they have challenged takes that player's rung.

The rules are those of the ladders of online-go.com (docs/decisions/ladders.md): a challenge begins a match
at once, which nobody can refuse; if the challenger wins, they take the rung, and everybody from there on moves down
one; any other result changes nothing; and who runs out of time is off the ladder.

Matches that have ended change the rungs in the order in which they ended. Whoever changes a ladder has locked the
tournament, and notes in the same transaction which matches it knows: so a match changes it once.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from sqlmodel import Session, and_, col, or_, select

from notation.ending import Termination
from pbem.features.tournaments.matchups import Format
from pbem.matches import tournament_and_branched_matches
from pbem.matches.events import MatchStarted, OnLadder
from pbem.storage.database import lock_if_free
from pbem.storage.models import Entry, Match, Player, Tournament

AGAIN = timedelta(days=7)  # how long two players who have met on a ladder can't meet there again
HOLDS = timedelta(days=14)
"""How long a challenge keeps a place from others: two friends who play slowly don't lock the top."""
REST = timedelta(days=1)  # how long someone who is off a ladder can't enter it again

Rungs = tuple[int, ...]  # the players on a ladder, from the top


@dataclass(frozen=True, slots=True)
class LadderChallenge:
    challenger: int
    challenged: int
    ended: datetime | None = None  # None while they play
    winner: int | None = None
    late: int | None = None
    begun: datetime | None = None

    @property
    def players(self) -> frozenset[int]:
        return frozenset((self.challenger, self.challenged))


class LadderObstacle(StrEnum):
    """Why a player can't be challenged, as the challenger is told."""

    SELF = "That's you."
    BELOW = "You challenge those above you, and {name} isn't."
    TOO_FAR = "You're on rung {own}, and {name} on {rung}: a challenge goes {reach} rungs up at most."
    PLAYING = "You're playing {name} on this ladder already."
    TOO_SOON = "You have met {name} in the last {days} days, so you can't challenge them again yet."
    BUSY = "You have challenged as many players there as you can at a time: {most}."
    TAKEN = "As many others as can at a time have challenged {name}: {most}."


def after(rungs: Rungs, challenge: LadderChallenge) -> Rungs:
    """Return who stands on the ladder after a challenge that has ended; who was late is off."""
    challenger, challenged = challenge.challenger, challenge.challenged
    if challenge.winner == challenger and {challenger, challenged} <= {*rungs}:
        old, new = rungs.index(challenger), rungs.index(challenged)
        if new < old:
            rungs = (*rungs[:new], challenger, *rungs[new:old], *rungs[old + 1 :])
    return _without(rungs, challenge.late)


def _without(rungs: Rungs, player: int | None) -> Rungs:
    return tuple(other for other in rungs if other != player)


@dataclass(frozen=True, slots=True)
class Ladder:
    rungs: Rungs
    reach: int
    at_once: int  # how many others one can have challenged at a time, and by how many one can be challenged
    challenges: tuple[LadderChallenge, ...] = ()  # the running ones, and those that ended lately

    def rung_of(self, player: int) -> int:
        return self.rungs.index(player) + 1 if player in self.rungs else 0

    def running(self, player: int) -> int:
        return sum(player in challenge.players for challenge in self._running)

    @property
    def _running(self) -> tuple[LadderChallenge, ...]:
        return tuple(challenge for challenge in self.challenges if challenge.ended is None)

    def obstacle(self, challenger: int, challenged: int, now: datetime) -> LadderObstacle | None:
        up = self.rung_of(challenger) - self.rung_of(challenged)
        if up <= 0:
            return LadderObstacle.BELOW if up else LadderObstacle.SELF
        if up > self.reach:
            return LadderObstacle.TOO_FAR
        met = [challenge for challenge in self.challenges if challenge.players == {challenger, challenged}]
        if any(challenge.ended is None for challenge in met):
            return LadderObstacle.PLAYING
        if any(challenge.ended is not None and now < challenge.ended + AGAIN for challenge in met):
            return LadderObstacle.TOO_SOON
        if sum(challenge.challenger == challenger for challenge in self._running) >= self.at_once:
            return LadderObstacle.BUSY
        recent = [challenge for challenge in self._running if not challenge.begun or now < challenge.begun + HOLDS]
        if sum(challenge.challenged == challenged for challenge in recent) >= self.at_once:
            return LadderObstacle.TAKEN
        return None


@dataclass(frozen=True, slots=True)
class RungStep:
    challenge: LadderChallenge
    before: Rungs
    after: Rungs


@dataclass(frozen=True, slots=True)
class LadderChanges:
    ladder: Tournament
    steps: tuple[RungStep, ...]


def on(session: Session, tournament: Tournament) -> Rungs:
    theirs = (Entry.tournament == tournament.id, col(Entry.rung).is_not(None))
    return tuple(session.exec(select(Entry.player).where(*theirs).order_by(col(Entry.rung))))


def ladder_of(session: Session, tournament: Tournament, now: datetime) -> Ladder:
    lately = and_(col(Match.termination).is_not(None), col(Match.ended) > now - AGAIN)
    count = (Match.tournament == tournament.id, or_(col(Match.to_move).is_not(None), lately))
    challenges = map(_challenge, session.exec(select(Match).where(*count)))
    return Ladder(on(session, tournament), tournament.reach or 0, tournament.at_once or 0, tuple(challenges))


def _challenge(match: Match) -> LadderChallenge:
    seats = (match.seat0, match.seat1)
    challenged = match.seat1 if match.challenger == match.seat0 else match.seat0
    is_late = match.termination == Termination.TIMEOUT and match.termination_seat is not None
    return LadderChallenge(
        match.challenger,
        challenged,
        match.ended,
        None if match.winner is None else seats[match.winner],
        seats[match.termination_seat or 0] if is_late else None,
        match.started,
    )


def enter(session: Session, tournament: Tournament, player: Player, now: datetime) -> int:
    before = session.get(Entry, (tournament.id, player.id), populate_existing=True)
    entry = before or Entry(tournament=tournament.id or 0, player=player.id or 0, entered=now)
    entry.entered, entry.withdrawn, entry.rung = now, None, len(on(session, tournament)) + 1
    session.add(entry)
    session.flush()
    return entry.rung


def leave(session: Session, tournament: Tournament, player: Player, now: datetime) -> None:
    """Take the player off the ladder. What they play goes on, but changes no rung any more."""
    entry = session.get_one(Entry, (tournament.id, player.id), populate_existing=True)
    entry.withdrawn = now
    rungs = on(session, tournament)
    _move(session, tournament, rungs, _without(rungs, player.id))


def challenge(
    session: Session, tournament: Tournament, ladder: Ladder, player: Player, other: Player, now: datetime
) -> MatchStarted:
    event = tournament_and_branched_matches.begin(session, tournament, player, other, now)
    on_ladder = OnLadder(tournament.title, ladder.rung_of(player.id or 0), ladder.rung_of(other.id or 0))
    return replace(event, ladder=on_ladder)


def due(session: Session, most: int) -> list[int]:
    """Return the ladders on which matches have ended, or from which somebody is gone."""
    is_ladder = and_(col(Tournament.id) == col(Match.tournament), Tournament.kind == Format.LADDER)
    over = select(Match.tournament).join(Tournament, is_ladder).where(*tournament_and_branched_matches.ARE_UNREPORTED)
    ended = session.exec(over.distinct().limit(most)).all()
    is_gone = (col(Entry.rung).is_not(None), col(Entry.withdrawn).is_not(None))
    abandoned = session.exec(select(Entry.tournament).where(*is_gone).limit(most)).all()
    return sorted({number for number in (*ended, *abandoned) if number is not None})


def settle(session: Session, number: int, now: datetime) -> LadderChanges | None:
    """Apply the matches that have ended to the ladder, in the order in which they ended; then take off who is gone.

    Return None if another daemon is at it, or if nothing is left to do.
    """
    tournament = lock_if_free(session, Tournament, number)
    if tournament is None:
        return None
    over = sorted(
        tournament_and_branched_matches.unreported(session, number),
        key=lambda match: (match.ended or now, match.id or 0),
    )
    is_gone = (Entry.tournament == number, col(Entry.rung).is_not(None), col(Entry.withdrawn).is_not(None))
    in_order = (col(Entry.withdrawn), col(Entry.player))
    leavers = session.exec(select(Entry.player).where(*is_gone).order_by(*in_order)).all()
    if not over and not leavers:
        return None
    tournament_and_branched_matches.report(session, over, now)
    if tournament.ended is not None:
        return LadderChanges(tournament, ())
    before = rungs = on(session, tournament)
    steps = []
    for challenge in map(_challenge, over):
        if challenge.late in rungs:
            session.get_one(Entry, (number, challenge.late), populate_existing=True).withdrawn = now
        steps.append(RungStep(challenge, rungs, after(rungs, challenge)))
        rungs = steps[-1].after
    for player in leavers:
        rungs = _without(rungs, player)
    _move(session, tournament, before, rungs)
    return LadderChanges(tournament, tuple(steps))


def _move(session: Session, tournament: Tournament, before: Rungs, after: Rungs) -> None:
    old, new = ({player: rung for rung, player in enumerate(rungs, start=1)} for rungs in (before, after))
    moved = sorted(player for player in {*old, *new} if old.get(player) != new.get(player))
    theirs = (Entry.tournament == tournament.id, col(Entry.player).in_(moved))
    for entry in session.exec(select(Entry).where(*theirs)) if moved else ():
        entry.rung = new.get(entry.player)
    session.flush()
