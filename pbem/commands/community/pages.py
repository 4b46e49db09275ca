"""Pages of long lists, and the people whom commands name."""

from collections.abc import Sequence

from sqlmodel import select

from pbem.commands.core import Line, Request
from pbem.errors import Refused
from pbem.house import player as house
from pbem.storage.models import Player

SIZE = 25
"""How many lines a page has."""
LAST = 400


def numbered(words: Sequence[str]) -> tuple[int, list[str]]:
    """Return the number of the page among the words, and the other words.

    >>> numbered(["quadrature", "2"]), numbered([]), numbered(["0"])
    ((2, ['quadrature']), (1, []), (1, []))
    """
    numbers = [word for word in words if word.isascii() and word.isdecimal()]
    page = int(numbers[0][:9]) if numbers else 1
    return min(max(page, 1), LAST), [word for word in words if word not in numbers]


def following(command: str, words: Sequence[str], page: int, *, more: bool) -> str | None:
    """Return how to ask for the page after this one, if there is one.

    >>> following("seeks", ["quadrature"], 1, more=True)
    'seeks quadrature 2'
    """
    return " ".join((command, *words, str(page + 1))) if more and page < LAST else None


def player_called(request: Request, line: Line, wanted: str, *, lock: bool = False) -> Player:
    """Return the player of that name; raise Refused."""
    query = select(Player).where(Player.name == wanted.lower())
    found = request.session.exec(query.with_for_update() if lock else query).first()
    if found is None and wanted.lower() == house.current_name(request.session, request.house):
        raise Refused("Nobody has played against the house yet.", fits='"play GAME" begins a match with it.')
    if found is None or found.deleted is not None or found.confirmed is None:
        raise Refused(
            f"No player is called {wanted[:40]}.", read=line.text, fits='"who" lists players who agreed to be found.'
        )
    return found
