"""What the words of a challenge say, and which command people mean by words like those."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from notation import time_control
from notation.games import GAMES
from pbem.conversation.core import NAMED_CONTEST, Shape
from pbem.conversation.syntax import intents, terms
from pbem.conversation.syntax.sentences import WORDS, any_of
from pbem.conversation.syntax.terms import BEGIN, Terms
from pbem.errors import Refused
from pbem.features.house import commands as house
from pbem.features.house.commands import LEVEL
from pbem.features.house.levels import LEVELS


@dataclass(frozen=True, slots=True)
class Proposal:
    opponent: str
    terms: Terms
    level: str | None = None
    """How well the opponent is to play, which only the house can choose."""


def read(words: Sequence[str], own_name: str | None, default_time: str = time_control.NONE, text: str = "") -> Proposal:
    """Return the challenge those words spell, in any order (Rognlie's too). Raises Refused."""
    games, given, people = terms.split(words)
    rated, people = terms.rated_in(people)
    if len(people) > 1 and people[0].lower() == own_name:
        people = people[1:]
    if len(games) != 1 or len(people) != 1:
        unknown = f" ({' '.join(people)[:60]}?)" if len(people) > 1 else ""
        raise Refused(
            f"Whom do you challenge, and to which game{unknown}?",
            fits=f'For example "challenge bob {next(iter(GAMES))}"; against the house, "play {next(iter(GAMES))}" is '
            f"enough. {intents.there_are()}",
        )
    level = given.pop(house.LEVEL, None)
    wanted = terms.chosen(games[0], given, default_time, text, rated=rated)
    return Proposal(people[0].lower(), wanted, level)


_ON_LADDER = re.compile(rf"(\S+)\s+(?:on|in)\s+(?:the\s+)?{NAMED_CONTEST}\s*#?(\d{{1,9}})$", re.IGNORECASE)
"""Whom `challenge` wants to meet on a ladder: "challenge bob on ladder 3"."""


def on_ladder(words: str) -> tuple[str, str]:
    """Return the command that people mean who write the words behind `challenge`.

    >>> on_ladder("bob on ladder 3"), on_ladder("bob quadrupel")
    (('climb', '3 bob'), ('challenge', 'bob quadrupel'))
    """
    wanted = _ON_LADDER.match(words)
    return ("climb", f"{wanted[2]} {wanted[1]}") if wanted else ("challenge", words)


_FROM = re.compile(rf"(?:from\s+(?:the\s+)?)?{NAMED_CONTEST}\s*#?(\d{{1,9}})$|from\s+#?(\d{{1,9}})$", re.IGNORECASE)
"""What `withdraw` means a tournament by: "withdraw from 3"."""


def from_tournament(words: str) -> tuple[str, str]:
    """Return the command that people mean who write the words behind `withdraw`.

    >>> from_tournament("from tournament 3"), from_tournament("3")
    (('retire', '3'), ('withdraw', '3'))
    """
    left = _FROM.match(words)
    return ("retire", left[1] or left[2]) if left else ("withdraw", words)


def for_game(command: str, instead: str, words: str) -> tuple[str, str]:
    """Return another command if a game follows: "reject hexaphages" refuses every challenge to it.

    >>> for_game("decline", "refuse", "hexaphages"), for_game("decline", "refuse", "42")
    (('refuse', 'hexaphages'), ('decline', '42'))
    """
    return (instead if words.lower() in GAMES else command), words


def played(words: str) -> str:
    """Return the game and the choices in the words; raise Refused, without repeating them, for any others."""
    game = next((GAMES[word].game for word in words.split() if word in GAMES), None)
    given = dict(word.split("=", 1) for word in words.split() if "=" in word)
    known = {LEVEL: tuple(str(level.number) for level in LEVELS), "begin": BEGIN}
    if game is not None:
        known |= {option.name: option.choices for option in game.options}
    is_clear = len(given) == len(words.split()) - 1 and all(given[each] in known.get(each, ()) for each in given)
    if game is None or not is_clear:
        understood = "Which game?" if game is None else f'We can read "play {game.key}" in that line, and not the rest.'
        raise Refused(understood, fits=f'"play {next(iter(GAMES)) if game is None else game.key}" is enough.')
    return " ".join((game.key, *(f"{each}={choice}" for each, choice in given.items())))


_GAME = Shape(r"\b(GAME)\b")
_PLAYING = re.compile(rf"\b(?:{any_of('playing')})\b", re.IGNORECASE)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_AGAINST = re.compile(rf"\b(?:{any_of('against')})\.?\s+([a-z][\w-]*)", re.IGNORECASE)
_SOMEBODY = re.compile(rf"\b(?:{any_of('somebody')})\b", re.IGNORECASE)


def opponent_said(sentence: str) -> str | None:
    """Return the line that challenges whom the sentence names to the game that it names; None without one of the two.

    >>> opponent_said("I'd like to play quadrupel with my friend otto@mail.example")
    'challenge otto@mail.example quadrupel'
    >>> opponent_said("Can I play hexaphages against Bob?"), opponent_said("Kvadratik against the computer")
    ('challenge bob hexaphages', None)
    """
    game, address = _GAME.search(sentence), _ADDRESS.search(sentence)
    named = (
        found[1].lower() for found in _AGAINST.finditer(sentence) if found[1].lower() not in (*WORDS["nobody"], *GAMES)
    )
    whom = address[0].rstrip(".").lower() if address else next(named, None)
    return f"challenge {whom} {game[1].lower()}" if game and whom else None


def game_said(sentence: str) -> str | None:
    """Return the line that begins a match against the house of the game that the sentence names; None without one.

    >>> game_said("I'd love to try Kvadratik!"), game_said("kvadratik"), game_said("Is kvadratik old?")
    ('play kvadratik', 'play kvadratik', None)
    """
    game = _GAME.search(sentence)
    if game is None or (len(sentence.split()) > 2 and not _PLAYING.search(sentence)) or _SOMEBODY.search(sentence):
        return None
    level = next((word for word in house.as_written(sentence.rstrip(".!? ")) if word.startswith("level=")), "")
    return f"play {game[1].lower()} {level}".strip()
