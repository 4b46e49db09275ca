"""Matches that are watched: the version that their spectators have seen, and what is new to them since.

A match whose version is another one is due to be shown, which an index of the few such matches says. So a turn costs
nothing more than before, whether anybody watches or not: what its spectators are told follows later, and by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, or_
from sqlmodel import Session, col, select

from pbem.matches.queries import version
from pbem.storage.models import Match, TakenBack

IS_UNSEEN: tuple[ColumnElement[bool], ...] = (
    col(Match.shown).is_not(None),
    or_(col(Match.shown) != col(Match.plies) + col(Match.shift), col(Match.ended).is_not(None)),
)
"""What is true of a match with something to be shown, in the words of its index."""


@dataclass(frozen=True, slots=True)
class WatchedNews:
    ply: int  # the number of turns after which they see it now
    since: int | None  # the number of the first turn that is new; None if none is
    taken_back: tuple[str, ...]  # the turns that they had seen and that were taken back


def mark(session: Session, match: Match) -> None:
    """Mark a match, which is locked, as watched from now on, if it isn't yet."""
    if match.shown is None:
        match.shown = version(match)
        session.flush()


def unseen(session: Session, most: int) -> list[int]:
    rows = select(Match.id).where(*IS_UNSEEN).order_by(col(Match.shown)).limit(most)
    return [number or 0 for number in session.exec(rows)]


def is_unseen(match: Match) -> bool:
    return match.shown is not None and (match.shown != version(match) or match.ended is not None)


def news_of(match: Match, taken_back: Sequence[TakenBack], *, late: bool) -> WatchedNews | None:
    """`late` is for those who see a match without its last turn while it goes on.

    `taken_back` are all of its turns that were ever taken back, in the order in which they were played.
    """
    seen_version = match.shown or 0
    shift = min((row.shift for row in taken_back if row.number + row.shift >= seen_version), default=match.shift)
    after = [row for row in taken_back if row.shift >= shift]
    lag = 1 if late else 0
    seen = max(seen_version - shift - lag, match.begun_after)
    stands = min((row.number - 1 for row in after), default=match.plies)
    both = min(seen, stands)
    is_over = match.ended is not None
    ply = match.plies if is_over else max(match.plies - lag, both)
    then: dict[int, str] = {}
    for row in after:
        then.setdefault(row.number, row.text)  # the turn that it had first since then
    undone = tuple(then[number] for number in range(both + 1, seen + 1))
    if ply == both and not undone and not is_over:
        return None
    return WatchedNews(ply, both + 1 if ply > both else None, undone)


def settle(match: Match, *, is_watched: bool) -> None:
    """Note that its spectators have seen a match, which is locked, as it is now."""
    match.shown = version(match) if is_watched and match.ended is None else None
