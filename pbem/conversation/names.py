"""Names of players: which words can be one, and which name an address suggests."""

import re
from functools import cache

from engines.core import Game
from notation.games import GAMES
from pbem.conversation.feature import Features
from pbem.conversation.syntax.courtesies import GREETINGS, POLITE, with_other_number
from pbem.conversation.syntax.slots import NAME as NAME
from pbem.messages.said import sections
from pbem.storage.models import ANONYMOUS, IMPORTED

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
    return RESERVED | games | settings | polite | sections.words()


@cache
def reserved_keys(features: Features) -> frozenset[str]:
    """Return the words that can't be the key of a game: commands, settings, and what else means something to us.

    >>> {"please", "random", "rated", "level", "ladder"} <= reserved_keys(Features())
    True
    """
    commands = (word for each in features.all_commands.values() for word in (each.name, *each.aliases))
    said = {word for phrase in (*POLITE, *GREETINGS) for word in phrase.split()}
    terms = ("me", "you", "random", "rated", "unrated", "begin", "time", "level", "weekends", "en")
    contests = ("ladder", "swiss")
    return frozenset((*commands, *features.preferences, *features.topics, *said, *terms, *contests, *RESERVED))


def can_be_named(game: Game, features: Features) -> bool:
    """Return whether players can write the key and the title of a game for it; `notation.games.unusable` says why not.

    >>> from dataclasses import replace
    >>> [can_be_named(replace(GAMES["quadrupel"].game, key=key), Features()) for key in ("hex", "please")]
    [True, False]
    """
    reserved = reserved_keys(features)
    return all(with_other_number(word.lower(), reserved) not in reserved for word in (game.key, game.title))


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
