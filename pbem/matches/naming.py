"""The names of players and matches in messages to others: names, guests, and the Subject of a match."""

from engines import GAMES
from pbem.storage.models import Match, Player


def name(player: Player) -> str:
    """Return the name others see; never the address, even before the player has a name."""
    return player.name or "a guest"


def is_hidden(match: Match, player: Player) -> bool:
    """Return whether the player was invited by address and hasn't accepted yet. Until then nobody learns their name."""
    return match.by_address and match.started is None and player.id != match.challenger


def shown(match: Match, player: Player) -> Player:
    """Return the player as their opponent may see them: as a guest while they are hidden."""
    if is_hidden(match, player):
        return Player(id=player.id, address="", confirmed=player.confirmed, created=player.created)
    return player


def subject_of(match: Match, first: Player, second: Player) -> str:
    """Return the Subject of every message about a match, the same from its beginning to the last.

    A match that is offered to an address is called an invitation until its guest accepts, and so has a name: before
    that, it must not tell whose address that is.
    """
    challenger = first if first.id == match.challenger else second
    is_invitation = match.by_address and match.started is None
    contest = f"{name(challenger)}'s invitation" if is_invitation else f"{name(first)} - {name(second)}"
    return f"[pbem #{match.id}] {GAMES[match.game].title}: {contest}"
