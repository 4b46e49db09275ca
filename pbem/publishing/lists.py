"""The lists of matches that the site has, each by an index of the database, and no longer than it is shown."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sqlmodel import Session, col

from pbem.publishing import visibility
from pbem.publishing.visibility import Listed
from pbem.storage.models import Match, MatchState

THOUSAND = 1000
"""How many numbers of matches a folder stands for."""
_NEWEST = (col(Match.id).desc(),)
_IS_OVER, _LAST_ENDED = col(Match.termination).is_not(None), (col(Match.ended).desc(), col(Match.id).desc())
_IS_RUNNING = col(Match.state) == MatchState.RUNNING


class Span(NamedTuple):
    folder: int
    matches: int
    first: str
    last: str


def running(session: Session, most: int) -> list[Listed]:
    return visibility.matches(session, _IS_RUNNING, order=_NEWEST, most=most)


def over(session: Session, most: int) -> list[Listed]:
    return visibility.matches(session, _IS_OVER, order=_LAST_ENDED, most=most)


def of_game(session: Session, game: str, most: int) -> list[Listed]:
    """Return those that ended or began last."""
    of_this = col(Match.game) == game
    still = visibility.matches(session, _IS_RUNNING, of_this, order=_NEWEST, most=most)
    over = visibility.matches(session, of_this, _IS_OVER, order=_LAST_ENDED, most=most)
    return _newest((*still, *over), most)


def of_player(session: Session, player: int, most: int) -> list[Listed]:
    found: set[Listed] = set()
    for seat in (col(Match.seat0), col(Match.seat1)):
        still = (seat == player, col(Match.to_move).is_not(None), _IS_RUNNING)
        found.update(visibility.matches(session, *still, order=_NEWEST, most=most))
        found.update(visibility.matches(session, seat == player, _IS_OVER, order=_LAST_ENDED, most=most))
    return _newest(found, most)


def of_tournament(session: Session, tournament: int) -> list[Listed]:
    return visibility.matches(session, col(Match.tournament) == tournament, order=(col(Match.id),))


def in_folder(session: Session, folder: int) -> list[Listed]:
    first = col(Match.id) >= folder * THOUSAND
    return visibility.matches(session, first, col(Match.id) < (folder + 1) * THOUSAND, order=(col(Match.id),))


def spans(session: Session) -> Iterator[Span]:
    """Yield what each folder has. This looks at all matches."""
    for folder, count, first, last in visibility.spans(session, THOUSAND):
        yield Span(folder, count, f"{first:%Y-%m-%d}", f"{last:%Y-%m-%d}")


def beside(session: Session, folder: int) -> list[int]:
    """Return the folders before and after one, of those that have matches."""
    number = col(Match.id)
    before = visibility.matches(session, number < folder * THOUSAND, order=_NEWEST, most=1)
    after = visibility.matches(session, number >= (folder + 1) * THOUSAND, order=(number,), most=1)
    return [each.number // THOUSAND for each in (*before, *after)]


def _newest(matches: Iterable[Listed], most: int) -> list[Listed]:
    return sorted(matches, key=lambda each: (each.day, each.number), reverse=True)[:most]
