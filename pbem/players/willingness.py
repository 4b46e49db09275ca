"""What a player is willing to play, and with whom: blocks, games they reject, and how many matches are enough."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Integer, and_, case, cast, literal, or_
from sqlmodel import Session, col, func, select

from notation.games import GAMES
from pbem.matches.queries import is_playing_enough
from pbem.players import blocks
from pbem.storage.models import Match, Player
from pbem.storage.preference_definition import NONE, Preference

MOST_MATCHES = 999


def _number(text: str) -> str | None:
    return str(int(text)) if text.isascii() and text.isdecimal() and int(text[:9]) <= MOST_MATCHES else None


def _games(text: str) -> str | None:
    """Return the games that the text lists, each once and in our order, or None.

    >>> _games("quadrature,Hexaphages"), _games("chess")
    ('hexaphages,quadrature', None)
    """
    names = {word for word in text.lower().replace(" ", ",").split(",") if word}
    return ",".join(game for game in GAMES if game in names) if names and names <= set(GAMES) else None


LIMIT = Preference("limit", (NONE,), "no more challenges while you play that many matches", "10", _number)
REJECTS = Preference("rejects", (NONE,), "the games to which nobody can challenge you", "hexaphages,kvadratik", _games)


def rejected(settings: Mapping[str, str]) -> tuple[str, ...]:
    """Return the games in which a player with those settings can't be challenged."""
    return tuple(game for game in REJECTS.of(settings).split(",") if game != NONE)


def has_enough(session: Session, player: Player) -> bool:
    limit = LIMIT.of(player.settings)
    return limit != NONE and is_playing_enough(session, player, int(limit))


def wants_more(most: int | None = None) -> ColumnElement[bool]:
    """Return the condition that a player in a row plays fewer matches than they want, and than `most`."""
    running = sum(
        (
            select(func.count()).where(seat == Player.id, col(Match.to_move).is_not(None)).scalar_subquery()
            for seat in (Match.seat0, Match.seat1)
        ),
        start=literal(0),
    )
    wish: Any = col(Player.settings)[LIMIT.name].as_string()
    has_none = or_(wish.is_(None), wish == NONE)
    wants = case((has_none, True), else_=running < cast(wish, Integer))
    return wants if most is None else and_(wants, running < most)


def is_open_to(session: Session, player: Player, challenger: Player, game: str) -> bool:
    if not player.can_play or blocks.is_between(session, player, challenger):
        return False
    return game not in rejected(player.settings) and not has_enough(session, player)
