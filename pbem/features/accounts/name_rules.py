"""The names that players and games can have: nobody else's, and none that stands for something else in messages."""

import re
from functools import cache

from sqlmodel import Session, select

from engines.core import Game
from notation.games import GAMES
from pbem.conversation.command import Request
from pbem.conversation.feature import Features
from pbem.conversation.syntax.names_in_sentences import NAME
from pbem.conversation.syntax.prose import GREETINGS, POLITE
from pbem.errors import Refused
from pbem.features.house import house_account
from pbem.messages import template_files
from pbem.storage.models import ANONYMOUS, IMPORTED, ModerationAct, Player

MOST_TRIED = 20


def check_name(request: Request, name: str, command: str) -> str:
    """Return the name in lower case; raise Refused, with another one for that command, if it is invalid or taken."""
    name = _checked(name, request.features)
    if not is_taken(request.session, name):
        return name
    candidates = (f"{name[:18]}{number}" for number in range(2, 2 + MOST_TRIED))
    free = next((candidate for candidate in candidates if not is_taken(request.session, candidate)), None)
    player = request.sender.player
    if free is None or player is None or player.confirmed is not None:
        raise Refused(f"The name {name} is taken.", fits="Try another one.")
    instead = f"{command} {free}"
    raise Refused(
        f"The name {name} is taken.", fits=f'Another name: "{command} NAME".', meant=(instead,), proposal=instead
    )


def check_other_name(session: Session, name: str, features: Features) -> str:
    name = _checked(name, features)
    if is_taken(session, name):
        raise Refused(f"The name {name} is taken, or was until the operator changed it.", fits="Try another one.")
    return name


def _checked(name: str, features: Features) -> str:
    name = name.lower()
    if not is_name(name, features):
        raise Refused(
            f"\"{name[:40]}\" can't be a player's name.",
            fits="A name is one word of 2 to 20 letters and digits, starting with a letter; - and _ may appear inside.",
        )
    return name


def free_name(request: Request, address: str) -> str:
    """Return a unique name, made from the address, for an invited person who chose none."""
    local = name_from_address(address)
    stem = local if is_name(local, request.features) else "player"
    name, number = stem, 1
    while is_taken(request.session, name) or not is_name(name, request.features):
        number += 1
        name = f"{stem}{number}"
    return name


def is_name(name: str, features: Features) -> bool:
    """Return whether the name is allowed: no word of ours, since lines of our messages start with names."""
    is_command = features.all_commands.named(name) is not None
    is_special = is_command or name in words_in_use(features) or name.startswith(STANDING_FOR)
    return NAME.fullmatch(name) is not None and not is_special and not house_account.resembles(name)


def is_taken(session: Session, name: str) -> bool:
    owner = session.exec(select(Player.id).where(Player.name == name)).first()
    renamed = select(ModerationAct.id).where(ModerationAct.former_name == name)
    return owner is not None or session.exec(renamed).first() is not None


STANDING_FOR = (ANONYMOUS, IMPORTED)  # how the names of rows begin that are no player's
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
    return RESERVED | games | settings | _polite() | template_files.words()


def _polite() -> set[str]:
    return {word for phrase in (*POLITE, *GREETINGS) for word in phrase.split()}


TERMS = {"me", "you", "random", "rated", "unrated", "begin", "time", "level", "weekends", "ladder", "swiss", "en"}
"""What no game can be called: what terms of matches and contests are."""


def can_be_named(game: Game, features: Features) -> bool:
    """Return whether players can write the key and the title of a game for it; `notation.games.unusable` says why not.

    >>> from dataclasses import replace
    >>> names = ("hex", "please", "random", "rated", "level", "ladder")
    >>> [can_be_named(replace(GAMES["quadrupel"].game, key=key), Features()) for key in names]
    [True, False, False, False, False, False]
    """
    commands, settings, topics = features.all_commands.verbs, features.preferences, features.topics
    taken = RESERVED.union(commands, settings, topics, _polite(), TERMS)
    return taken.isdisjoint((game.key, game.title.lower()))


def name_from_address(address: str) -> str:
    """Return what of an address can be a name; empty if nothing can."""
    return re.sub(r"[^a-z0-9]", "", address.partition("@")[0].partition("+")[0].lower())[:16].lstrip("0123456789")
