"""Names of players: which words can be one, and which name an address suggests."""

import re
from functools import cache

from notation.games import GAMES
from pbem.conversation.feature import Features
from pbem.conversation.syntax.courtesies import GREETINGS, POLITE
from pbem.messages.said import templates
from pbem.storage.models import ANONYMOUS, IMPORTED

NAME = re.compile(r"[a-z][a-z0-9_-]{0,18}[a-z0-9]")


STANDING_FOR = (ANONYMOUS, IMPORTED)
"""How the names of rows begin that are no player's."""


RESERVED = frozenset({"postmaster", "webmaster", "abuse", "root", "guest"})
"""Names that somebody might take for the operator's, or that stand for nobody."""


@cache
def words_in_use(features: Features) -> frozenset[str]:
    """Return the words that games, settings, courtesies and our messages use: as a name they would be misread.

    >>> {"quadraphages", "first", "begin", "daily", "hello", "to", "turn"} <= words_in_use(Features())
    True
    """
    games = {
        *GAMES,
        *(word for game in GAMES.games() for word in game.title.lower().split()),
        *(option.name for game in GAMES.games() for option in game.options),
        *(choice for game in GAMES.games() for option in game.options for choice in option.choices),
    }
    known = features.preferences
    settings = {*known, *(choice for each in known.values() for choice in each.choices)}
    polite = {word for phrase in (*POLITE, *GREETINGS) for word in phrase.split()}
    return RESERVED | games | settings | polite | templates.words()


def suggested_name(address: str, features: Features) -> str | None:
    """Return a name made from the address, whether or not it is taken; None if none can be.

    >>> [suggested_name(address, Features()) for address in ("Carol.Smith@mail.example", "42@mail.example")]
    ['carolsmith', None]
    """
    local = re.sub(r"[^a-z0-9]", "", address.partition("@")[0].partition("+")[0].lower())[:16].lstrip("0123456789")
    fits = (
        NAME.fullmatch(local) is not None and local not in words_in_use(features) and not local.startswith(STANDING_FOR)
    )
    return local if fits else None
