"""The people whom commands name."""

import re

from sqlmodel import select

from pbem.conversation.core import Line, Request
from pbem.errors import Refused
from pbem.features.house import player as house
from pbem.storage.models import Player

SHAPE = re.compile(r"[\w-]*")
"""A name, as commands take it."""


def player_called(request: Request, line: Line, wanted: str, *, lock: bool = False) -> Player:
    query = select(Player).where(Player.name == wanted.lower())
    found = request.session.exec(query.with_for_update() if lock else query).first()
    if found is None and wanted.lower() == house.current_name(request.session):
        raise Refused("Nobody has played against the house yet.", fits='"play GAME" begins a match with it.')
    if found is None or found.deleted is not None or found.confirmed is None:
        raise Refused(
            f"No player is called {wanted[:40]}.", read=line.text, fits='"who" lists players open to challenges.'
        )
    return found
