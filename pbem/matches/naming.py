"""The names of players and matches in messages to others: names, guests, and the Subject of a match."""

from notation.games import GAMES
from pbem.storage.models import Match, Player

GUEST = "a guest"
"""What others call somebody who has no name, or doesn't show it."""


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


def subject_of(match: Match, first: Player, second: Player, state: str = "") -> str:
    """Return the Subject of a message about a match; what has happened stands in its tag.

    Apart from the tag, which Gmail and other mail programs ignore when they compare Subjects, it is the same for all
    messages of a match, so that they stay in one thread. Only a match that began with an invitation by address is
    renamed once, when it has started between two names; until then it must not tell whose address that is.

    >>> carol, dan = Player(id=1, name="carol"), Player(id=2, name="dan")
    >>> subject_of(Match(id=42, game="quadrature", challenger=1), carol, dan, "your turn")
    '[pbem #42, your turn] Quadrature: carol - dan'
    """
    challenger = first if first.id == match.challenger else second
    has_names = match.started is not None and first.name is not None and second.name is not None
    is_invitation = match.by_address and not has_names
    contest = f"{name(challenger)}'s invitation" if is_invitation else f"{name(first)} - {name(second)}"
    tag = f"[pbem #{match.id}, {state}]" if state else f"[pbem #{match.id}]"
    return f"{tag} {GAMES.title(match.game)}: {contest}"
