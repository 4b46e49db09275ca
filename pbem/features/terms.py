"""What is to be played, as a challenge or a seek says it: the game, its options, who begins, and how much time."""

import secrets
from dataclasses import dataclass
from typing import Any

from engines.core import BadOption, Game
from notation import time_control
from notation.games import GAMES
from notation.time_control import ROGNLIE, WEEKENDS, BadTime, TimeControl
from pbem.conversation.syntax.arguments import GAME, Given, Piece, Slot, opt, word
from pbem.errors import Refused
from pbem.matches.lifecycle import Terms

BEGIN = ("me", "you", "random")
UNDO, FREE, ASKED = "undo", "free", "asked"
TIME = "time"
OPPONENT = word("PLAYER|ADDRESS", r"[^\s=]+", is_name=True)


def _option(text: str) -> tuple[str, str]:
    name, is_named, choice = text.lstrip("-").lower().partition("=")
    return (name, choice) if is_named else (TIME, name)


OPTION = Piece("option=choice ...", r"[^\s=]+=\S*|\d{1,4}[wdhm][^\s=]*", _option)
"""A choice, of which a time control needs no name."""
RATED = Piece("rated", "-*(?:un)?rated", lambda text: text.lstrip("-").lower() == "rated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted(Terms):
    begin: str


def options(usage: str, *further: Piece[Any]) -> Slot:
    return opt(*further, OPTION, RATED, usage=usage, most=12)


def choice(name: str, example: str) -> Piece[str]:
    return Piece(f"{name}={example}", rf"-*{name}[= ]\S+", lambda text: text.lower().lstrip("-")[len(name) + 1 :])


LEVEL = choice("level", "1")  # how well the opponent is to play, which only the house can choose


def of(given: Given, default_time: str, text: str) -> Wanted:
    return chosen(given[GAME], dict(given.all(OPTION)), default_time, text, rated=is_rated(given))


def is_rated(given: Given) -> bool:
    wanted = set(given.all(RATED))
    if len(wanted) > 1:
        raise Refused("A challenge is either rated or unrated.", fits="Leave one of the two words out.")
    return True in wanted


def chosen(game: str, given: dict[str, str], default_time: str, text: str, *, rated: bool = False) -> Wanted:
    options = dict(given)
    begin, undo = options.pop("begin", BEGIN[0]), options.pop(UNDO, ASKED)
    try:
        if undo not in (FREE, ASKED):
            raise BadOption(f"{UNDO}={undo[:20]} is not a choice; use {UNDO}={FREE} or {UNDO}={ASKED}")
        if begin not in BEGIN:
            raise BadOption(f"begin={begin[:20]} is not a choice; use begin=me, begin=you or begin=random")
        time = read_time(options, default_time)
        if rated:
            options = made_fair(GAMES[game].game, options, text)
        return Wanted(game, GAMES[game].game.chosen(options), time, rated, undo == FREE, begin=begin)
    except BadOption as error:
        raise Refused(f"{str(error)[:1].upper()}{str(error)[1:]}.", read=text) from error
    except BadTime as error:
        raise Refused(str(error), read=text) from error


def made_fair(game: Game, options: dict[str, str], text: str) -> dict[str, str]:
    """Return the options with the choices that rated matches and tournaments have; raise Refused for others."""
    for name, choice in game.rated:
        if options.get(name, choice) != choice:
            raise Refused(
                f"Rated matches and tournaments of {game.title} are played with {name}={choice}, which is fair.",
                read=text,
                fits=f'Leave out "{name}={options[name][:20]}".',
            )
    return {**options, **dict(game.rated)}


def read_time(options: dict[str, str], default: str) -> TimeControl:
    """Return the time control among the options, and take it out of them; raise BadTime."""
    text, weekends = options.pop(TIME, None), options.pop(WEEKENDS, None)
    flags = {name: options.pop(name) for name in ROGNLIE if name in options}
    if flags and text is not None:
        raise BadTime(f'"{TIME}={text[:20]}" and "--{next(iter(flags))}" say the same; use one of them.')
    time = time_control.of_flags(flags) if flags else time_control.parse(default if text is None else text)
    return time if weekends is None else time_control.with_weekends(time, weekends)


def is_first(begin: str) -> bool:
    """Return whether the one who wrote that begins; `random` is decided here."""
    return begin == "me" or (begin == "random" and secrets.randbelow(2) == 0)
