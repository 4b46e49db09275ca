"""What a player is willing to play, and with whom: blocks, games they reject, and how many matches are enough."""

from collections.abc import Mapping

from sqlmodel import Session

from pbem.community import blocks
from pbem.matches.queries import is_playing_enough
from pbem.storage.models import Player

LIMIT, REJECTS = "limit", "rejects"
"""Settings of players: no more challenges while they play that many matches, and the games they reject."""
NONE = "none"


def rejected(settings: Mapping[str, str]) -> tuple[str, ...]:
    """Return the games in which a player with those settings can't be challenged.

    >>> rejected({"rejects": "hexaphages,kvadratik"}), rejected({})
    (('hexaphages', 'kvadratik'), ())
    """
    return tuple(game for game in settings.get(REJECTS, NONE).split(",") if game != NONE)


def has_enough(session: Session, player: Player) -> bool:
    """Return whether the player has as many running matches as they want."""
    limit = player.settings.get(LIMIT, NONE)
    return limit != NONE and is_playing_enough(session, player, int(limit))


def is_open_to(session: Session, player: Player, challenger: Player, game: str) -> bool:
    """Return whether that challenger may challenge the player to that game now."""
    if player.banned is not None or blocks.is_between(session, player, challenger):
        return False
    return game not in rejected(player.settings) and not has_enough(session, player)
