"""Offers to somebody, such as challenges: their rules, and what becomes of those that nobody answers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import structlog
from sqlalchemy import BindParameter, bindparam, exists
from sqlmodel import Session, col, select

from notation import time_control
from notation.games import GAMES
from pbem.config import ServerSettings
from pbem.conversation.core import NAMED_CONTEST, Shape
from pbem.conversation.syntax import intents, terms
from pbem.conversation.syntax.sentences import WORDS, any_of
from pbem.conversation.syntax.terms import BEGIN, Terms
from pbem.errors import Refused
from pbem.features.house import commands as house
from pbem.features.house.commands import LEVEL
from pbem.features.house.player import LEVELS
from pbem.matches import lifecycle, queries
from pbem.matches.events import OfferWithdrawn
from pbem.matches.lifecycle import OFFER_OPEN
from pbem.players import announcements
from pbem.storage.due import Due, each_row
from pbem.storage.models import Match, MatchState, Player


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


# Challenges that nobody answers end after two weeks, and their challengers are told; those challenged were asked once.
#
# Each match has a transaction of its own that locks it, so only one of several daemons acts on it.
log = structlog.get_logger()

LONG_AGO: BindParameter[datetime] = bindparam("long_ago")
"""OFFER_OPEN before the look at what is due."""


def _unanswered(session: Session, now: datetime, most: int) -> list[int]:
    waiting = (Match.state == MatchState.OFFERED, col(Match.created) <= now - OFFER_OPEN)
    found = select(Match.id).where(*waiting).order_by(col(Match.created), col(Match.id))
    return [number or 0 for number in session.exec(found.limit(most))]


def _end(session: Session, match: Match, server: ServerSettings, now: datetime) -> bool:
    """End a challenge that is unanswered. Return whether it was; a message that waits may be the answer."""
    challenger = session.get_one(Player, match.challenger)
    challenged = session.get_one(Player, queries.opponent_of(match, challenger))
    is_over = match.state == MatchState.OFFERED and match.created <= now - OFFER_OPEN
    if not is_over or queries.waits_from(session, challenged.address):
        return False
    withdrawn = lifecycle.withdraw(session, match, challenger, now)
    unanswered = (replace(event, unanswered=True) for event in withdrawn if isinstance(event, OfferWithdrawn))
    announcements.announce(session, server, now, unanswered)
    log.info("challenge unanswered", match=match.id)
    return True


end = each_row(Match, _unanswered, _end, doing="challenges that end")
"""Ends the challenges that have waited long enough, and returns how many those are."""
HAVE_WAITED = exists().where(col(Match.state) == MatchState.OFFERED, col(Match.created) <= LONG_AGO)
DUE = (Due(name="challenges.end", when=HAVE_WAITED, act=end, moments={LONG_AGO.key: -OFFER_OPEN}),)
