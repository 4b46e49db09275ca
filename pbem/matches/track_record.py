"""How matches of players ended, and how fast they answer. What ended without a result counts for nobody."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from statistics import median
from typing import Any

from sqlalchemy import union_all
from sqlmodel import Session, col, func, select

from notation.ending import WITHOUT_RESULT
from notation.time_control import spoken
from pbem.storage.models import Match, Player, Ply

OBSERVED = 5
"""How many matches in each seat tell how fast somebody answers: the newest of those that run and of those over."""
MOST_TURNS = 500


@dataclass(frozen=True, slots=True)
class Tally:
    won: int = 0
    lost: int = 0
    drawn: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.won + other.won, self.lost + other.lost, self.drawn + other.drawn)

    @property
    def number(self) -> int:
        return self.won + self.lost + self.drawn


def _tally(seat: int, winner: int | None, termination: str, number: int) -> Tally:
    if winner is None:
        return Tally() if termination in WITHOUT_RESULT else Tally(drawn=number)
    return Tally(won=number) if winner == seat else Tally(lost=number)


def results(session: Session, player: Player) -> Mapping[str, Tally]:
    """Return how the player's matches ended, by game; only games in which they have a result."""
    tallies: dict[str, Tally] = {}
    for seat, column in enumerate((Match.seat0, Match.seat1)):
        ends = (col(Match.game), col(Match.winner), col(Match.termination))
        rows: Any = session.exec(select(*ends, func.count()).where(column == player.id, is_over()).group_by(*ends))
        for game, winner, termination, number in rows:
            tallies[game] = tallies.get(game, Tally()) + _tally(seat, winner, termination, number)
    return {game: tally for game, tally in sorted(tallies.items()) if tally.number}


def between(session: Session, player: Player, opponent: Player) -> Tally:
    total = Tally()
    for seat, (first, second) in enumerate(((player, opponent), (opponent, player))):
        ends = (col(Match.winner), col(Match.termination))
        theirs = (Match.seat0 == first.id, Match.seat1 == second.id, is_over())
        rows: Any = session.exec(select(*ends, func.count()).where(*theirs).group_by(*ends))
        for winner, termination, number in rows:
            total += _tally(seat, winner, termination, number)
    return total


def is_over() -> Any:
    return col(Match.termination).is_not(None)


def finished(
    session: Session, player: Player, most: int, page: int = 1, opponent: Player | None = None
) -> tuple[list[Match], bool]:
    upto = page * most + 1
    if opponent is None:
        sides: tuple[Any, ...] = ((Match.seat0 == player.id,), (Match.seat1 == player.id,))
    else:
        sides = tuple(
            (Match.seat0 == first.id, Match.seat1 == second.id)
            for first, second in ((player, opponent), (opponent, player))
        )
    newest = (col(Match.ended).desc(), col(Match.id).desc())
    of_sides = [select(Match.ended, Match.id).where(*side, is_over()).order_by(*newest).limit(upto) for side in sides]
    merged = union_all(*(select(side.subquery()) for side in of_sides)).subquery()
    in_order = select(merged.c.id).order_by(merged.c.ended.desc(), merged.c.id.desc())
    numbers = list(session.execute(in_order.offset((page - 1) * most).limit(most + 1)).scalars())
    rows = session.exec(select(Match).where(col(Match.id).in_(numbers[:most]))) if numbers else ()
    by_number = {match.id: match for match in rows}
    return [by_number[number] for number in numbers[:most]], len(numbers) > most


def running(session: Session, player: Player) -> int:
    return sum(
        session.exec(
            select(func.count()).select_from(Match).where(seat == player.id, col(Match.to_move).is_not(None))
        ).one()
        for seat in (Match.seat0, Match.seat1)
    )


def pace(session: Session, player: Player) -> str:
    """Return in words how long a turn of the player takes in their newest matches, the median; "" without any.

    Matches against the house don't count, nor do imported ones.
    """
    numbers: list[int] = []
    among_people = (col(Match.level).is_(None), col(Match.imported).is_(None))
    for seat in (Match.seat0, Match.seat1):
        now = select(Match.id).where(seat == player.id, col(Match.to_move).is_not(None), *among_people)
        numbers += [number or 0 for number in session.exec(now.order_by(col(Match.id).desc()).limit(OBSERVED))]
        over = select(Match.id).where(seat == player.id, is_over(), *among_people)
        over = over.order_by(col(Match.ended).desc(), col(Match.id).desc())
        numbers += [number or 0 for number in session.exec(over.limit(OBSERVED))]
    if not numbers:
        return ""
    seats = dict(session.exec(select(Match.id, Match.seat0).where(col(Match.id).in_(numbers))).all())
    played = select(Ply.match, Ply.number, Ply.seat, Ply.played).where(col(Ply.match).in_(numbers))
    newest = (col(Ply.match).desc(), col(Ply.number).desc())
    turns = session.exec(played.order_by(*newest).limit(MOST_TURNS)).all()
    taken: list[float] = []
    for (match, number, _, before), (again, next_number, seat, after) in pairwise(sorted(turns)):
        is_theirs = seat == (0 if seats[match] == player.id else 1)
        if match == again and next_number == number + 1 and is_theirs and after > before:  # others were prepared
            taken.append((after - before).total_seconds())
    return _rounded(timedelta(seconds=median(taken))) if taken else ""


def _rounded(time: timedelta) -> str:
    """Return a length of time in words, no more exactly than it means anything.

    >>> _rounded(timedelta(days=2, hours=14)), _rounded(timedelta(hours=5, minutes=12)), _rounded(timedelta(minutes=9))
    ('3 days', '5 hours', 'less than an hour')
    """
    hour, day = timedelta(hours=1), timedelta(days=1)
    if time < hour:
        return "less than an hour"
    unit = hour if time < 2 * day else day
    return spoken(round(time / unit) * unit)
