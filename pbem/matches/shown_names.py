"""What players are called before others: by their name, or as a guest where they have none or hide it."""

from pbem.storage.models import Match, Player

GUEST = "a guest"  # what others call somebody who has no name, or doesn't show it


def name(player: Player) -> str:
    return player.name or GUEST


def is_hidden(match: Match, player: Player) -> bool:
    """Return whether the player was invited by address and hasn't accepted yet. Until then nobody learns their name."""
    return match.by_address and match.started is None and player.id != match.challenger


def shown(match: Match, player: Player) -> Player:
    """Return the player as their opponent may see them: as a guest while they are hidden."""
    if is_hidden(match, player):
        return Player(id=player.id, address="", confirmed=player.confirmed, created=player.created)
    return player
