"""What players and matches are called in messages to others: names, guests, and the Subject of a match."""

from engines import GAMES
from pbem.storage.models import Match, Player


def name(player: Player) -> str:
    """What a player is called by others; never the address, even before there is a name."""
    return player.name or "a guest"


def is_hidden(match: Match, player: Player) -> bool:
    """Whether the player has not accepted yet what his address was invited to: then nobody is told who he is."""
    return match.by_address and match.started is None and player.id != match.challenger


def shown(match: Match, player: Player) -> Player:
    """The player as the other one of the match may see him: a guest, as long as he is hidden."""
    if is_hidden(match, player):
        return Player(id=player.id, address="", confirmed=player.confirmed, created=player.created)
    return player


def subject_of(match: Match, first: Player, second: Player) -> str:
    """The Subject of all mails about a match, the same from the first to the last.

    A match to which an address was invited is called an invitation for good: nobody learns whose it is by that.
    """
    challenger = first if first.id == match.challenger else second
    contest = f"{name(challenger)}'s invitation" if match.by_address else f"{name(first)} - {name(second)}"
    return f"[pbem #{match.id}] {GAMES[match.game].title}: {contest}"
