"""Ratings derived from the results of rated matches, week after week.

Nothing else writes ratings, and they hold nothing that the matches don't say: the same results give the same ratings,
however often they are computed. So that this is also true where a computer's logarithm differs in the last bit, what a
week gives is rounded before it is stored, and the next week begins with the rounded values.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from operator import attrgetter, itemgetter

import structlog
from sqlalchemy import ColumnElement, Engine, delete, insert
from sqlalchemy import select as columns
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, func, select, update

from notation.games import GAMES
from pbem.matches.ratings.glicko2 import RatedResult, Rating, rate
from pbem.storage.database import exclude_others, read_only, transaction
from pbem.storage.models import Match, PlayerRating, RatedWeek

WEEK = timedelta(weeks=1)


def week_of(at: datetime) -> date:
    """Return the Monday of the week in which that time is."""
    day = at.astimezone(UTC).date()
    return day - timedelta(days=day.weekday())


def begins(week: date) -> datetime:
    return datetime.combine(week, time(), UTC)


def rated_on(week: date) -> str:
    day = week + WEEK
    return f"{day:%A}, {day.day} {day:%B}"


GRACE = timedelta(hours=1)  # a message that ended a match in a week may still be in work at its end

POINTS = {0: 1.0, 1: 0.0, None: 0.5}  # what the first player gets, by the winner's seat; None is a draw
_log = structlog.get_logger()
_is_latest: ColumnElement[bool] = col(PlayerRating.superseded).is_(None)


@dataclass(frozen=True, slots=True)
class Contest:
    """The result of a match: its players by seat, and the points of the first (1, a half or 0)."""

    players: tuple[int, int]
    score: float


@dataclass(frozen=True, slots=True)
class Strength:
    week: date
    rating: Rating
    wins: int = 0
    draws: int = 0
    losses: int = 0

    def at(self, week: date) -> Rating:
        return self.rating.after_rest((week - self.week) // WEEK - 1)


def after_week(week: date, contests: Iterable[Contest], before: Mapping[int, Strength]) -> dict[int, Strength]:
    """Return the standings of the players of a week, in the order of their numbers; `before` has those of the past."""
    scores: dict[int, list[tuple[int, float]]] = {}
    for contest in contests:
        first, second = contest.players
        scores.setdefault(first, []).append((second, contest.score))
        scores.setdefault(second, []).append((first, 1 - contest.score))
    at_first = {player: before[player].at(week) if player in before else Rating() for player in scores}
    after = {}
    for player in sorted(scores):
        points = [score for _, score in scores[player]]
        past = before.get(player, Strength(week, Rating()))
        rated = rate(at_first[player], [RatedResult(at_first[opponent], score) for opponent, score in scores[player]])
        after[player] = Strength(
            week,
            Rating(round(rated.rating, 6), round(rated.deviation, 6), round(rated.volatility, 9)),
            past.wins + points.count(1),
            past.draws + points.count(0.5),
            past.losses + points.count(0),
        )
    return after


def outlook(session: Session, match: Match) -> tuple[float, float]:
    """Return what the ratings of its players, by seat, become with a result that waits to be rated, and no other."""
    assert match.counted is not None  # noqa: S101 - it is one that counts
    players = (match.seat0, match.seat1)
    latest = (PlayerRating.game == match.game, col(PlayerRating.player).in_(players), _is_latest)
    before = {row.player: standing(row) for row in session.exec(select(PlayerRating).where(*latest))}
    after = after_week(week_of(match.counted), [Contest(players, POINTS[match.winner])], before)
    return after[match.seat0].rating.rating, after[match.seat1].rating.rating


def next_week(session: Session, game: str, now: datetime) -> date | None:
    """Return the first week with results that no rating counts yet; None while it isn't over."""
    week = unrated_week(session, game)
    return week if week is not None and begins(week + WEEK) + GRACE <= now else None


def unrated_week(session: Session, game: str) -> date | None:
    last = session.exec(select(func.max(RatedWeek.week)).where(RatedWeek.game == game)).one()
    later = select(func.min(Match.counted)).where(Match.game == game, col(Match.counted).is_not(None))
    if last is not None:
        later = later.where(col(Match.counted) >= begins(last + WEEK))
    first = session.exec(later).one()
    return None if first is None else week_of(first)


def newest_week(now: datetime) -> date:
    return week_of(now - GRACE) - WEEK


def rated_games(session: Session) -> list[str]:
    """Return the games that are offered, and others in which matches count: their ratings don't need the rules."""
    games, key = [*GAMES], ""
    while key is not None:  # from one game to the next in the index; DISTINCT would read all of it
        key = session.exec(select(func.min(Match.game)).where(col(Match.counted).is_not(None), Match.game > key)).one()
        games += [key] * (key is not None and key not in games)
    return games


def rate_due(engine: Engine, now: datetime, stopped: Callable[[], bool] = lambda: False) -> None:
    with read_only(engine) as session:
        games = rated_games(session)
    for game in games:
        while not stopped():
            with read_only(engine) as session:
                week = next_week(session, game, now)
            if week is None:
                break
            if rate_week(engine, game, week):
                _log.info("week rated", game=game, week=str(week))


def rate_week(engine: Engine, game: str, week: date) -> bool:
    """Rate a week of a game, the one that is next; return False where another daemon was first."""
    with read_only(engine) as session:
        contests = [contest for _, contest in _contests(session, game, begins(week), begins(week + WEEK))]
        players = {player for contest in contests for player in contest.players}
        rows = session.exec(select(PlayerRating).where(PlayerRating.game == game, _is_latest)).all()
        before = {row.player: standing(row) for row in rows if row.player in players}
    after = after_week(week, contests, before)
    try:
        with transaction(engine, can_wait=True) as session:
            lock(session)
            session.add(RatedWeek(game=game, week=week))
            session.flush()
            _store(session, game, week, after)
    except IntegrityError:
        return False
    return True


def lock(session: Session) -> None:
    exclude_others(session.connection(), "ratings")


def rebuild(engine: Engine, game: str) -> int:
    """Derive all ratings of a game again, as far as they go; return how many there are."""
    with transaction(engine) as session:
        lock(session)
        histories = list(_derived(session, game))
        session.execute(delete(PlayerRating).where(col(PlayerRating.game) == game))
        for week, after in histories:
            _store(session, game, week, after)
    return sum(len(after) for _, after in histories)


def faults(session: Session, game: str) -> Iterator[str]:
    """Yield in words what is stored otherwise than the matches say."""
    derived = {
        (week, player): strength for week, after in _derived(session, game) for player, strength in after.items()
    }
    rows = session.exec(select(PlayerRating).where(PlayerRating.game == game)).all()
    stored = {(row.week, row.player): standing(row) for row in rows}
    for week, player in sorted({*derived, *stored}):
        actual, expected = stored.get((week, player)), derived.get((week, player))
        if actual != expected:
            yield (
                f"after the week of {week}, player {player} has {_in_short(actual)} in {game}, "
                f"but the matches make it {_in_short(expected)}"
            )
    for player, theirs in groupby(sorted(rows, key=attrgetter("player", "week")), key=attrgetter("player")):
        *_, newest = strength = list(theirs)
        latest = [row for row in strength if row.superseded is None]
        if latest != [newest]:
            yield f"player {player} has {len(latest)} latest ratings in {game}"


def standing(row: PlayerRating) -> Strength:
    rating = Rating(row.rating, row.deviation, row.volatility)
    return Strength(row.week, rating, row.wins, row.draws, row.losses)


def _in_short(strength: Strength | None) -> str:
    if strength is None:
        return "no rating"
    results = f"{strength.wins} wins, {strength.draws} draws and {strength.losses} losses"
    return f"a rating of {strength.rating.rating:.6f} from {results}"


def _derived(session: Session, game: str) -> Iterator[tuple[date, dict[int, Strength]]]:
    weeks = session.exec(select(col(RatedWeek.week)).where(RatedWeek.game == game)).all()
    if not weeks:
        return
    latest: dict[int, Strength] = {}
    contests = _contests(session, game, begins(min(weeks)), begins(max(weeks) + WEEK))
    for week, ended in groupby(contests, key=itemgetter(0)):
        if week in weeks:
            after = after_week(week, [contest for _, contest in ended], latest)
            latest |= after
            yield week, after


def _contests(session: Session, game: str, since: datetime, until: datetime) -> list[tuple[date, Contest]]:
    matches = session.execute(
        columns(col(Match.counted), col(Match.id), col(Match.seat0), col(Match.seat1), col(Match.winner))
        .where(col(Match.game) == game, col(Match.counted).is_not(None))
        .where(col(Match.counted) >= since, col(Match.counted) < until)
    )
    weekly = sorted((week_of(counted), *rest) for counted, *rest in matches)
    return [(week, Contest((seat0, seat1), POINTS[winner])) for week, _, seat0, seat1, winner in weekly]


def _store(session: Session, game: str, week: date, after: Mapping[int, Strength]) -> None:
    """Store the ratings after a week; they supersede what the players had."""
    if not after:
        return
    rows = [
        {"player": player, "game": game, "week": week, **asdict(strength.rating)}
        | {"wins": strength.wins, "draws": strength.draws, "losses": strength.losses}
        for player, strength in after.items()
    ]
    for player in after:
        earlier = (col(PlayerRating.game) == game, _is_latest, col(PlayerRating.player) == player)
        session.connection().execute(update(PlayerRating).where(*earlier).values(superseded=week))
    session.connection().execute(insert(PlayerRating), rows)
