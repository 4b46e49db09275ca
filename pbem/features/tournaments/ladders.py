"""Ladders: players stand on rungs, and who beats a player whom they have challenged takes that player's rung.

The rules are those of the ladders of online-go.com (docs/decisions/ladders-and-leagues.md): a challenge begins a match
at once, which nobody can refuse; if the challenger wins, they take the rung, and everybody from there on moves down
one; any other result changes nothing; and who runs out of time is off the ladder.

What changes a ladder is written down, step by step. The steps say in which order what happened, and the matches how
they ended. So the rungs that are stored can be worked out again at any time, which `pbem check` does. Whoever writes a
step has locked the tournament.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import reduce
from itertools import pairwise

from sqlmodel import Session, and_, col, func, select

from notation.ending import Termination
from pbem.features.tournaments.field import Format
from pbem.matches import arranged
from pbem.matches.events import MatchStarted, OnLadder
from pbem.storage.database import lock_if_free
from pbem.storage.models import Entry, LadderStep, Match, Player, Tournament

AGAIN = timedelta(days=7)
"""How long two players who have met on a ladder don't meet there again."""
HOLDS = timedelta(days=14)
"""How long a challenge keeps a place from others: two friends who play slowly don't lock the top."""
REST = timedelta(days=1)
"""How long somebody who is off a ladder can't enter it again."""

Rungs = tuple[int, ...]
"""Who stands on the ladder, from the top."""


@dataclass(frozen=True, slots=True)
class Entered:
    """A player has entered, at the bottom."""

    player: int


@dataclass(frozen=True, slots=True)
class LadderLeft:
    """A player has left; everybody below moves up."""

    player: int


@dataclass(frozen=True, slots=True)
class LadderChallenge:
    challenger: int
    challenged: int
    ended: datetime | None = None
    """When it ended; None while they play."""
    winner: int | None = None
    late: int | None = None
    """The one who ran out of time."""
    begun: datetime | None = None

    @property
    def players(self) -> frozenset[int]:
        return frozenset((self.challenger, self.challenged))


LadderEvent = Entered | LadderLeft | LadderChallenge
"""What can change a ladder; a challenge does once its match has ended."""


class LadderObstacle(StrEnum):
    BELOW = "they stand below"
    TOO_FAR = "they stand too far above"
    PLAYING = "the two are playing"
    TOO_SOON = "the two have met lately"
    BUSY = "the challenger has challenged enough others"
    TAKEN = "enough others have challenged them"


def order(events: Iterable[LadderEvent]) -> Rungs:
    """Return who stands on the ladder after those events.

    >>> order([Entered(1), Entered(2), Entered(3), LadderChallenge(3, 1, winner=3), LadderLeft(1)])
    (3, 2)
    """
    return reduce(after, events, ())


def after(rungs: Rungs, event: LadderEvent) -> Rungs:
    match event:
        case Entered(player):
            return (*_without(rungs, player), player)
        case LadderLeft(player):
            return _without(rungs, player)
        case LadderChallenge():
            return _without(_climbed(rungs, event), event.late)


def _without(rungs: Rungs, player: int | None) -> Rungs:
    return tuple(each for each in rungs if each != player)


def _climbed(rungs: Rungs, challenge: LadderChallenge) -> Rungs:
    """Return the ladder with a challenger who has won on the rung of the challenged, if that is still above theirs."""
    challenger, challenged = challenge.challenger, challenge.challenged
    if challenge.winner != challenger or not {challenger, challenged} <= {*rungs}:
        return rungs
    old, new = rungs.index(challenger), rungs.index(challenged)
    return rungs if old < new else (*rungs[:new], challenger, *rungs[new:old], *rungs[old + 1 :])


@dataclass(frozen=True, slots=True)
class Ladder:
    rungs: Rungs
    reach: int
    """How many rungs above one's own a challenge can go."""
    at_once: int
    """How many others one can have challenged at a time, and by how many one can be challenged."""
    challenges: tuple[LadderChallenge, ...] = ()
    """Those that are being played, and those that ended lately."""

    def rung_of(self, player: int) -> int:
        return self.rungs.index(player) + 1 if player in self.rungs else 0

    def above(self, player: int) -> Rungs:
        own = self.rung_of(player)
        return self.rungs[max(own - 1 - self.reach, 0) : own - 1] if own else ()

    def running(self, player: int) -> int:
        return sum(player in each.players for each in self._running)

    @property
    def _running(self) -> tuple[LadderChallenge, ...]:
        return tuple(each for each in self.challenges if each.ended is None)

    def obstacle(self, challenger: int, challenged: int, now: datetime) -> LadderObstacle | None:
        if self.rung_of(challenged) >= self.rung_of(challenger):
            return LadderObstacle.BELOW
        if challenged not in self.above(challenger):
            return LadderObstacle.TOO_FAR
        met = [each for each in self.challenges if each.players == {challenger, challenged}]
        if any(each.ended is None for each in met):
            return LadderObstacle.PLAYING
        if any(each.ended is not None and now < each.ended + AGAIN for each in met):
            return LadderObstacle.TOO_SOON
        if sum(each.challenger == challenger for each in self._running) >= self.at_once:
            return LadderObstacle.BUSY
        holds = [each for each in self._running if each.begun is None or now < each.begun + HOLDS]
        if sum(each.challenged == challenged for each in holds) >= self.at_once:
            return LadderObstacle.TAKEN
        return None


class What(StrEnum):
    """What a step is. The values are stored."""

    ENTERED = "entered"
    LEFT = "left"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class RungStep:
    challenge: LadderChallenge
    match: int
    before: Rungs
    after: Rungs


@dataclass(frozen=True, slots=True)
class Settled:
    ladder: Tournament
    steps: tuple[RungStep, ...]


def on(session: Session, tournament: Tournament) -> Rungs:
    theirs = (Entry.tournament == tournament.id, col(Entry.rung).is_not(None))
    return tuple(session.exec(select(Entry.player).where(*theirs).order_by(col(Entry.rung))))


def ladder_of(session: Session, tournament: Tournament, players: Iterable[int], now: datetime) -> Ladder:
    found = Ladder(on(session, tournament), tournament.reach or 0, tournament.at_once or 0)
    return replace(found, challenges=_challenges(session, tournament, sorted({*players}), now))


def around(session: Session, tournament: Tournament, player: int | None, shown: Rungs, now: datetime) -> Ladder:
    """Return the ladder for a player who looks at some of its rungs: with their own challenges and those of these."""
    whole = on(session, tournament)
    found = Ladder(whole, tournament.reach or 0, tournament.at_once or 0)
    near = found.above(player) if player is not None else ()
    wanted = {*shown, *near, *((player,) if player is not None else ())}
    return replace(found, challenges=_challenges(session, tournament, sorted(wanted), now))


def _challenges(
    session: Session, tournament: Tournament, players: Sequence[int], now: datetime
) -> tuple[LadderChallenge, ...]:
    if not players:
        return ()
    found: dict[int, Match] = {}
    of_ladder = Match.tournament == tournament.id
    for seat in (col(Match.seat0), col(Match.seat1)):
        running = (seat.in_(players), col(Match.to_move).is_not(None), of_ladder)
        found |= {match.id or 0: match for match in session.exec(select(Match).where(*running))}
    between = (col(Match.seat0).in_(players), col(Match.seat1).in_(players), of_ladder)
    lately = (col(Match.termination).is_not(None), col(Match.ended) > now - AGAIN)
    found |= {match.id or 0: match for match in session.exec(select(Match).where(*between, *lately))}
    return tuple(_challenge(match) for match in found.values())


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
    entry.entered, entry.withdrawn = now, None
    session.add(entry)
    session.flush()
    _write(session, tournament, [(Entered(player.id or 0), None)], now)
    return entry.rung or 0


def leave(session: Session, tournament: Tournament, player: Player, now: datetime) -> None:
    """Take the player off the ladder. What they play goes on, but changes no rung any more."""
    entry = session.get_one(Entry, (tournament.id, player.id), populate_existing=True)
    entry.withdrawn = now
    session.flush()
    _write(session, tournament, [(LadderLeft(player.id or 0), None)], now)


def challenge(
    session: Session, tournament: Tournament, found: Ladder, player: Player, other: Player, now: datetime
) -> MatchStarted:
    event = arranged.begin(session, tournament, player, other, now)
    rung, wanted = found.rung_of(player.id or 0), found.rung_of(other.id or 0)
    return replace(event, ladder=OnLadder(tournament.title, rung, wanted))


def running(session: Session, tournament: Tournament, player: Player) -> tuple[int, ...]:
    numbers: set[int] = set()
    for seat in (Match.seat0, Match.seat1):
        theirs = (seat == player.id, col(Match.to_move).is_not(None), Match.tournament == tournament.id)
        numbers |= {number or 0 for number in session.exec(select(Match.id).where(*theirs))}
    return tuple(sorted(numbers))


def due(session: Session, most: int) -> list[int]:
    """Return the ladders on which matches have ended, or from which somebody is gone."""
    is_ladder = and_(col(Tournament.id) == col(Match.tournament), Tournament.kind == Format.LADDER)
    over = select(Match.tournament).join(Tournament, is_ladder).where(*arranged.ARE_UNREPORTED)
    ended = session.exec(over.distinct().limit(most)).all()
    gone = (col(Entry.rung).is_not(None), col(Entry.withdrawn).is_not(None))
    left = session.exec(select(Entry.tournament).where(*gone).limit(most)).all()
    return sorted({number for number in (*ended, *left) if number is not None})


def settle(session: Session, number: int, now: datetime) -> Settled | None:
    """Let the matches that have ended change the ladder, in the order in which they did; then those leave who are gone.

    Return None if another daemon is at it, or if nothing is left to do.
    """
    tournament = lock_if_free(session, Tournament, number)
    if tournament is None:
        return None
    over = sorted(arranged.unreported(session, number), key=lambda match: (match.ended or now, match.id or 0))
    gone = (Entry.tournament == number, col(Entry.rung).is_not(None), col(Entry.withdrawn).is_not(None))
    left = session.exec(select(Entry.player).where(*gone).order_by(col(Entry.withdrawn), col(Entry.player))).all()
    if not over and not left:
        return None
    arranged.report(session, over, now)
    if tournament.ended is not None:
        return Settled(tournament, ())
    happened: list[tuple[LadderEvent, int | None]] = [(_challenge(match), match.id) for match in over]
    happened += [(LadderLeft(player), None) for player in left]
    states = _write(session, tournament, happened, now)
    steps = tuple(
        RungStep(event, match or 0, before, after)
        for (event, match), (before, after) in zip(happened, pairwise(states), strict=True)
        if isinstance(event, LadderChallenge)
    )
    return Settled(tournament, steps)


def _write(
    session: Session, tournament: Tournament, happened: Sequence[tuple[LadderEvent, int | None]], now: datetime
) -> list[Rungs]:
    """Write down what happened, and move everybody whose rung that changes; return the ladder before and after each."""
    of_ladder = LadderStep.tournament == tournament.id
    last = session.exec(select(func.max(LadderStep.number)).where(of_ladder)).one() or 0
    states = [on(session, tournament)]
    for number, (event, match) in enumerate(happened, start=last + 1):
        states.append(after(states[-1], event))
        session.add(_step(tournament, number, event, match, now))
        if isinstance(event, LadderChallenge) and event.late is not None and event.late in states[-2]:
            session.get_one(Entry, (tournament.id, event.late), populate_existing=True).withdrawn = now
    session.flush()
    _move(session, tournament, states[0], states[-1])
    return states


def _step(tournament: Tournament, number: int, event: LadderEvent, match: int | None, now: datetime) -> LadderStep:
    what = What.ENTERED if isinstance(event, Entered) else What.LEFT if isinstance(event, LadderLeft) else What.ENDED
    player = None if isinstance(event, LadderChallenge) else event.player
    return LadderStep(tournament=tournament.id or 0, number=number, what=what, player=player, match=match, at=now)


def _move(session: Session, tournament: Tournament, before: Rungs, after: Rungs) -> None:
    old, new = ({player: rung for rung, player in enumerate(rungs, start=1)} for rungs in (before, after))
    moved = sorted(player for player in {*old, *new} if old.get(player) != new.get(player))
    theirs = (Entry.tournament == tournament.id, col(Entry.player).in_(moved))
    for entry in session.exec(select(Entry).where(*theirs)) if moved else ():
        entry.rung = new.get(entry.player)
    session.flush()


def end(session: Session, tournament: Tournament, now: datetime) -> None:
    tournament.ended = now
    session.flush()


def replayed(session: Session, tournament: Tournament) -> Rungs:
    steps = select(LadderStep, Match).join(Match, col(Match.id) == col(LadderStep.match), isouter=True)
    in_order = steps.where(LadderStep.tournament == tournament.id).order_by(col(LadderStep.number))
    return order(_events(session.exec(in_order)))


def _events(rows: Iterable[tuple[LadderStep, Match | None]]) -> Iterator[LadderEvent]:
    for step, match in rows:
        if match is not None:
            yield _challenge(match)
        else:
            yield Entered(step.player or 0) if step.what == What.ENTERED else LadderLeft(step.player or 0)


def faults(session: Session) -> Iterator[str]:
    for tournament in session.exec(select(Tournament).where(Tournament.kind == Format.LADDER)):
        stored, found = on(session, tournament), replayed(session, tournament)
        if stored != found:
            differ = (at for at, pair in enumerate(zip(stored, found, strict=False), start=1) if pair[0] != pair[1])
            rung = next(differ, min(len(stored), len(found)) + 1)
            yield f"ladder {tournament.id} is in another order than what happened there makes it, from rung {rung} on"
