"""What is to be played, as a challenge or a seek says it: the game, its options, who begins, and how much time."""

import re
import secrets
from dataclasses import dataclass
from typing import Any

from engines.core import BadOption, Game
from notation import time_control
from notation.games import GAMES
from notation.time_control import ROGNLIE, WEEKENDS, BadTime, TimeControl
from pbem.conversation.syntax.grammar import GAME, OPTION, RATED, Given, Piece, Slot, opt, word
from pbem.errors import Refused

BEGIN = ("me", "you", "random")
TIME = "time"
UNDO, FREE, ASKED = "undo", "free", "asked"
NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
OPPONENT = word("PLAYER|ADDRESS", r"[^\s=]+", is_name=True)
_BEGINS = re.compile(r"\b(i|you) (?:begin|start|move first|go first)\b", re.IGNORECASE)
_LEVEL = re.compile(r"\b(?:at )?(?:level|lvl)[: ]+(\w+)", re.IGNORECASE)
_WEEKENDS = re.compile(r"\bweekends off\b", re.IGNORECASE)
_IN_WORDS = re.compile(
    rf"(?:\btime[=: ]+|\bwith |(?<![=\w]))({'|'.join(NUMBERS)}|\d{{1,3}}) ?(hours?|days?|weeks?)\b(?!=)"
    r"(?: ?(?:per|a|each|every|for each|for every|for a|/) ?(?:turn|move))?( (?:in all|in total|for the whole match))?",
    re.IGNORECASE,
)
_BARE_TIME = re.compile(r"(?<!\S)\d{1,4}[wdhm]\S*")


@dataclass(frozen=True, slots=True)
class Terms:
    game: Game
    begin: str
    options: dict[str, str]
    time: TimeControl
    rated: bool = False
    free_undo: bool = False
    """Whether a turn can be taken back without asking until it is answered."""


def options(usage: str, *further: Piece[Any]) -> Slot:
    return opt(*further, OPTION, RATED, usage=usage, most=12)


def choice(name: str, example: str) -> Piece[str]:
    return Piece(f"{name}={example}", rf"-*{name}=\S*", lambda text: text.partition("=")[2].lower())


LEVEL = choice("level", "1")
"""How well the opponent is to play, which only the house can choose."""


def of(given: Given, default_time: str, text: str) -> Terms:
    return chosen(given[GAME], dict(given.all(OPTION)), default_time, text, rated=is_rated(given))


def is_rated(given: Given) -> bool:
    wanted = set(given.all(RATED))
    if len(wanted) > 1:
        raise Refused("A challenge is either rated or unrated.", fits="Leave one of the two words out.")
    return True in wanted


def as_written(words: str) -> str:
    """Return the words with times, levels and who begins as our help writes them, where people say them in words.

    >>> as_written("kvadratik level 3"), as_written("bob quadrupel 3 days per move you begin")
    ('kvadratik level=3', 'bob quadrupel time=3d/move begin=you')
    >>> as_written("bob quadrupel time=a week"), as_written("bob quadrupel 14d+1d,auto")
    ('bob quadrupel time=7d/move', 'bob quadrupel time=14d+1d,auto')
    >>> as_written("swiss kvadratik time=3d/move places=8 days=5")
    'swiss kvadratik time=3d/move places=8 days=5'
    """
    text = _BEGINS.sub(lambda found: f"begin={'me' if found[1].lower() == 'i' else 'you'}", " ".join(words.split()))
    text = _WEEKENDS.sub(f"{WEEKENDS}=off", _LEVEL.sub(r"level=\1", text))
    return _BARE_TIME.sub(rf"{TIME}=\g<0>", _IN_WORDS.sub(_time, text))


def _time(found: re.Match[str]) -> str:
    count, unit, whole = found[1].lower(), found[2][0].lower(), found[3]
    number = int(count) if count.isdecimal() else NUMBERS[count]
    written = f"{7 * number}d" if unit == "w" else f"{number}{unit}"
    return f"{TIME}={written}" if whole else f"{TIME}={written}/move"


def chosen(game: str, given: dict[str, str], default_time: str, text: str, *, rated: bool = False) -> Terms:
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
        return Terms(GAMES[game].game, begin, GAMES[game].game.chosen(options), time, rated, undo == FREE)
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
