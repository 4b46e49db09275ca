"""Claims that a result is sure: what a player may claim, which is looked at next, and what is to be searched for it."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import exists
from sqlmodel import Session, col, delete, func, or_, select, update

from pbem.features.house.protocol import ProofQuestion, seed
from pbem.matches.queries import seat_of, version
from pbem.storage.clock import within
from pbem.storage.leases import is_free
from pbem.storage.models import Claim, Match, MatchState, Player
from pbem.storage.retention import change

NODES = 100_000
"""The budget of a search, and of the turns that it shows: eight times that of a turn at the highest level."""
PER_MATCH, PER_DAY = 3, 10
"""How many claims a player has in a match: more would be advice. And how many in a day, those that are void too."""
ANSWERED_AFTER = timedelta(minutes=5)
"""How long after a search has begun a claim is answered that wasn't shown, however soon the search knew."""
DAY = timedelta(days=1)
CANDIDATES = 5
"""How many claims a daemon looks at to find one that no other works on."""
_WON = frozenset({"proven", "proof", "win", "won", "victory"})
_DRAWN = frozenset({"draw", "drawn"})
_FILLING = frozenset({"a", "an", "as", "by", "force", "forced", "is", "it", "match", "of", "the", "this", "to", "be"})

ARE_WAITING = exists().where(col(Claim.done).is_(None))
"""Whether there are any to go on with, be they due or not."""


def is_of_draw(words: str) -> bool | None:
    """Return whether the words behind `claim` claim a draw, and not a win; None if they claim neither.

    >>> is_of_draw("proven"), is_of_draw("a proven draw"), is_of_draw("that this is won"), is_of_draw("it back")
    (False, True, None, None)
    """
    said = {word.strip(".,!") for word in words.lower().split()} - _FILLING
    if said & _DRAWN and said <= _DRAWN | {"proven"}:
        return True
    return False if said and said <= _WON else None


def of(session: Session, match: Match, player: Player) -> Sequence[Claim]:
    """Return the player's claims in the match that count, the newest first."""
    theirs = (Claim.match == match.id, Claim.player == player.id, col(Claim.is_void).is_(False))
    return session.exec(select(Claim).where(*theirs).order_by(col(Claim.id).desc())).all()


def made_today(session: Session, player: Player, now: datetime) -> int:
    """Return how many claims the player has made within a day, void or not."""
    today = (Claim.player == player.id, within(Claim.asked, DAY, now))
    return session.exec(select(func.count()).select_from(Claim).where(*today)).one()


def make(session: Session, match: Match, player: Player, now: datetime, *, is_draw: bool) -> None:
    """Note the claim on the match as it is now; one on the same version that was void takes its place."""
    this = (Claim.match == match.id, Claim.player == player.id, Claim.version == version(match))
    row = session.exec(select(Claim).where(*this)).first()
    row = row or Claim(
        match=match.id or 0, player=player.id or 0, version=version(match), asked=now, due=now, is_draw=is_draw
    )
    row.is_draw, row.asked, row.due = is_draw, now, now
    row.attempts, row.searched, row.done, row.is_void = 0, None, None, False
    session.add(row)
    session.flush()


def next_ones(session: Session, now: datetime, latest: datetime) -> Sequence[int]:
    """Return the claims to go on with, those due longest first.

    A time beyond `latest` was noted before the clock was set back.
    """
    is_due = or_(col(Claim.due) <= now, col(Claim.due) > latest)
    waiting = select(Claim.id).where(col(Claim.done).is_(None), is_due, is_free(Claim))
    found = session.exec(waiting.order_by(col(Claim.due), col(Claim.id)).limit(CANDIDATES))
    return [number or 0 for number in found]


def still_holds(claim: Claim, match: Match) -> bool:
    """Return whether the match is as it was when it was claimed."""
    return match.state == MatchState.RUNNING and version(match) == claim.version


def question(claim: Claim, match: Match, player: Player, texts: tuple[str, ...]) -> ProofQuestion:
    """Return what to search for."""
    claimed = None if claim.is_draw else seat_of(match, player)
    which = seed(match.id or 0, match.plies)
    return ProofQuestion(match.game, match.options, texts, claimed, NODES, which, match.rules)


def forget(session: Session, player: Player, addresses: Collection[str], now: datetime) -> None:
    """Delete the claims of a player who leaves."""
    change(session, delete(Claim).where(col(Claim.player) == player.id))


def pass_on(session: Session, player: Player, heir: Player, now: datetime) -> None:
    """Let another account of the same person have the player's claims."""
    change(session, update(Claim).where(col(Claim.player) == player.id).values(player=heir.id))


def export(session: Session, player: Player) -> dict[str, Any]:
    """Return the claims that the player made."""
    rows = session.exec(select(Claim).where(Claim.player == player.id).order_by(col(Claim.id)))
    return {
        "claims": [
            {"match": row.match, "claimed": "draw" if row.is_draw else "win", "asked": row.asked, "answered": row.done}
            for row in rows
        ]
    }
