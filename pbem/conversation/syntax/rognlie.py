"""Commands as written for Richard Rognlie's PBeM server -> our commands.

There, a command is `game verb board userid password rest`. Here nobody has a password, so userid and password are cut
off before anything else sees the line: they are neither stored nor repeated.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from engines.wording import together
from notation.games import GAMES
from pbem.conversation.syntax.courtesies import POLITE, nearest_word
from pbem.errors import Refused
from pbem.matches import turns

IGNORED = frozenset({"multiple"})
"""What announces several commands there; here, several lines are enough."""
INSTEAD_OF_TURN = {
    "undo": "undo",
    "accept": "accept",
    "reject": "decline",
    "decline": "decline",
    "resign": "resign",
    "propose": "draw",
}
"""What can replace a turn there, with our command for it."""
PLAYING = frozenset({"move", "mvoe", "board"})
MOVING = PLAYING | {"queue", "submit", "preview"}
SAYING = frozenset({"say", "chat"})
LISTING = frozenset({"games", "game", "matches", "match", "matchs"})
FILTERS = frozenset({"all", "active", "inactive", "next"})
ADDRESSED = frozenset({"change", "address", "password"})
NUMBER = re.compile(r"#?\d{1,9}")
BOARD = re.compile(r"#?\d{1,9}(?:#\d{1,4})?")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
TURN = re.compile(r"[A-Za-z]\d{1,2}(?![A-Za-z](?!\d))|set|quadrup|(?:pass|swap)\b", re.IGNORECASE)
"""The beginning of a turn that starts with a letter; "k9dog" is a name."""
STEP = re.compile(r"[~@]?[A-Za-z]\d{1,2}(?:\W*[A-Za-z]\d{1,2}|[+xX]|$)")
"""A word of a turn that is unlikely to be a password."""
MOST_HEAD = 6
"""How many words may precede the userid."""

_AT_ONCE = (
    "A turn is played as soon as it arrives; you don't have to confirm it.",
    '"preview NUMBER TURN" shows where it leads, "#NUMBER TURN" plays it.',
)
ADVICE = {
    "broadcast": (
        "You can't write to all players at once.",
        'In a reply about a match, "say TEXT" writes to your opponent.',
    ),
    "message": ("Here, you write to your opponent in a match.", 'Use "#NUMBER say TEXT", or write below a turn.'),
    "submit": _AT_ONCE,
    "confirm": _AT_ONCE,
    "list": (
        '"who" lists players open to challenges.',
        '"help" lists the games, "games NAME" a player\'s matches.',
    ),
    "add": ("A player has one address here.", '"change address NEW" replaces it.'),
    "propose": ("A draw is offered by a command of that name here.", '"#NUMBER draw" offers one.'),
    "multiple": ("To send several commands here, write each on its own line.", '"help" lists the commands.'),
}
"""Rognlie's commands without a counterpart here: what to say, and what works instead."""
TURNS_OF_SOME = {"pass": "passing", "swap": "swapping sides"}
"""Turns that only some games have, and what they are called."""
WITHOUT_COUNTERPART = ADVICE.keys() | TURNS_OF_SOME

IsTurn = Callable[[str, int | None], bool]
"""Returns whether the words are a turn, in the match with that number or the one the message is about."""


@dataclass(frozen=True, slots=True)
class Translation:
    text: str
    refusal: Refused | None = None
    """Why the line can't be carried out although its command is known."""


@dataclass(frozen=True, slots=True)
class _Head:
    """The words before the userid or the arguments, and what they mean."""

    length: int
    written: str
    """The command as written; it may be misspelt."""
    verb: str
    number: str | None
    game: bool
    every: bool
    led: bool
    """Whether it is preceded by something else, such as a list mark."""


@dataclass(frozen=True, slots=True)
class Translator:
    own: str | None
    """The sender's name here."""
    verbs: frozenset[str]
    """All commands."""
    naming: frozenset[str]
    """Those that take a name, so that no password follows it."""
    is_turn: IsTurn
    plain: frozenset[str] = frozenset()
    """Those that no other server has: what follows them is neither a userid nor a password."""

    def translate(self, text: str) -> tuple[Translation, ...]:
        """Return the line in our syntax, mostly unchanged; several lines if it asks for several matches.

        >>> words = Translator("al", frozenset({"move"}), frozenset(), lambda words, number: words == "c1b1 g9h9 3")
        >>> words.translate("quadraphages move 42 al secret c1b1 g9h9 3")
        (Translation(text='quadraphages move 42 c1b1 g9h9 3', refusal=None),)
        """
        words = text.split()
        head = self._head(words)
        if head is None or head.written in self.plain:
            return (Translation(text),)
        before, rest = words[: head.length], words[head.length :]
        if head.written == "change" and "password" in map(_bare, before):
            return (Translation(" ".join(before)),)
        if self.own is not None and rest and _bare(rest[0]) == self.own and self._takes_password(head):
            cut = self._without_userid(head, rest[1:])
            if cut is None:
                return (Translation(" ".join(before), _unclear()),)
            rest = cut
            text = " ".join([*before, *rest])
            if head.written in WITHOUT_COUNTERPART:
                return (self._instead(head, text),)
        elif head.game and head.written in WITHOUT_COUNTERPART and len(rest) <= 1:
            return (self._instead(head, text),)
        elif self._names_somebody(head, rest):
            return (Translation(" ".join(before), _needless()),)
        return (Translation(text),) if head.led else tuple(self._in_our_words(text, head, rest))

    def _instead(self, head: _Head, text: str) -> Translation:
        if head.written in TURNS_OF_SOME and self.is_turn(head.written, int(head.number) if head.number else None):
            return Translation(f"#{head.number} {head.written}" if head.number else head.written)
        return Translation(text, advice(text))

    def without_password(self, text: str) -> str:
        """Return the text for a reply, cut where a password may follow: after the sender's name or a strange command.

        >>> translator = Translator("al", frozenset(), frozenset(), lambda words, number: False)
        >>> translator.without_password("movve 42 al secret c1b1")
        'movve 42 al ...'
        """
        words = text.split()
        at = next((place + 1 for place, word in enumerate(words) if _bare(word) == self.own), None)
        if self.own is None and (head := self._head(words)) and head.verb not in self.naming:
            at = head.length
        return text if at is None or len(words) <= at else " ".join([*words[:at], "..."])

    def _head(self, words: list[str]) -> _Head | None:
        written, verb, number, game, every, led, length = "", "", None, False, False, False, 0
        known = _known(self.verbs)
        for word in words[:MOST_HEAD]:
            bare = _bare(word)
            if NUMBER.fullmatch(bare) and number is None:
                number = bare.lstrip("#")
            elif not verb and bare in GAMES and not game:
                game = True
            elif not verb and bare == "all":
                every = True
            elif not verb and (near := bare if bare in known else nearest_word(bare, known)):
                written, verb = bare, near
            elif written in ("change", "add") and bare in ADDRESSED:
                pass
            elif not verb and _may_lead(word):
                led = True
            else:
                break
            length += 1
        return _Head(length, written, verb, number, game, every, led) if verb or number else None

    def _takes_password(self, head: _Head) -> bool:
        """Return whether the sender's own name after this head is a userid rather than an argument."""
        if head.verb in SAYING:
            return head.number is not None and (head.verb == "chat" or head.game)
        return head.number is not None or head.verb not in self.naming | {"show"}

    def _without_userid(self, head: _Head, rest: list[str]) -> list[str] | None:
        """Return the words after userid and password; None if a password can't be told from a turn."""
        if head.verb in WITHOUT_COUNTERPART and head.verb not in MOVING:
            return []
        if not rest or (head.verb and head.verb not in MOVING):
            return rest[1:]
        number = int(head.number) if head.number else None
        all_of_it, but_one = (self._is_turn_or_such(words, number) for words in (rest, rest[1:]))
        if all_of_it and but_one and not STEP.match(rest[0]):
            return None
        return rest if all_of_it else rest[1:]

    def _is_turn_or_such(self, words: list[str], number: int | None) -> bool:
        text = " ".join(words).partition("#")[0].strip()
        known = INSTEAD_OF_TURN.keys() | TURNS_OF_SOME.keys()
        return bool(text) and (text.lower() in known or self.is_turn(text, number))

    def _names_somebody(self, head: _Head, rest: list[str]) -> bool:
        """Return whether there seems to be a userid, other than the sender's name here, before a password."""
        if head.written not in MOVING | {"resign", "confirm"} or head.number is None or len(rest) < 2:
            return False
        if not NAME.fullmatch(rest[0]) or TURN.match(rest[0]) or _bare(rest[0]) in GAMES:
            return False
        return not self.is_turn(" ".join(rest), int(head.number))

    def _in_our_words(self, text: str, head: _Head, rest: list[str]) -> Iterator[Translation]:
        plain = _bare(rest[0]).partition("#")[0] if len(rest) == 1 else ""
        numbers = [head.number] if head.number else []
        if head.written in PLAYING and plain in INSTEAD_OF_TURN:
            yield Translation(f"{INSTEAD_OF_TURN[plain]} {head.number or ''}".strip())
        elif head.written == "showas":
            yield from self._shown(rest[2:] if len(rest) > 2 and not numbers else [*numbers, *rest], text)
        elif self._asks_for_matches(head, rest):
            yield from self._shown([*numbers, *rest], text)
        else:
            yield Translation(text)

    def _asks_for_matches(self, head: _Head, rest: list[str]) -> bool:
        """Return whether the line is Rognlie's `show` or `games`, with boards, players and filters."""
        said = [_bare(word) for word in rest]
        if head.written == "show":
            return head.every or head.game or head.number is not None or self.own in said
        return head.written in LISTING and (head.number is not None or not FILTERS.isdisjoint(said))

    def _shown(self, what: list[str], text: str) -> Iterator[Translation]:
        if what and all(BOARD.fullmatch(word.rstrip(".,;!?")) for word in what):
            for word in what:
                yield Translation(f"show {word.rstrip('.,;!?').lstrip('#')}")
            return
        names = [word for word in map(_bare, what) if word not in FILTERS]
        if len(names) > 1 or any(not NAME.fullmatch(name) for name in names):
            yield Translation(text)
        elif not names or names == [self.own]:
            yield Translation("games")
        else:
            yield Translation(f"games {names[0]}")


def advice(text: str, game: str | None = None) -> Refused | None:
    """Return the refusal of one of Rognlie's commands that has no counterpart here; None for anything else.

    `game` is the key of the game that the message is about, if it is about one.
    """
    words = text.split()
    if words and words[0].lower().rstrip(":") in GAMES:
        game, words = words[0].lower().rstrip(":"), words[1:]
    verb = _bare(words[0]) if words else ""
    if verb in MOVING and len(words) <= MOST_HEAD and _bare(words[-1]).partition("#")[0] in TURNS_OF_SOME:
        verb = _bare(words[-1]).partition("#")[0]
    if verb not in WITHOUT_COUNTERPART or len(words) > MOST_HEAD:
        return None
    if verb in TURNS_OF_SOME:
        return _turn_of_some(verb, game)
    sentence, fits = ADVICE[verb]
    return Refused(sentence, fits=fits)


def _turn_of_some(word: str, game: str | None) -> Refused:
    have = [key for key, pack in GAMES.items() if turns.parse(pack.notation, word).error is None]
    what = TURNS_OF_SOME[word]
    if not have:
        return Refused(f"None of these games allows {what}.", fits='"help GAME" explains how turns are written.')
    titles = together(map(GAMES.title, have))
    sentence = f"Of these games, only {titles} {'allow' if len(have) > 1 else 'allows'} {what}."
    if game is not None and game not in have:
        return Refused(sentence, fits=f'"help {game}" explains how turns are written.')
    return Refused(sentence, fits=f'"#NUMBER {word}" in a match of {"such a game" if len(have) > 1 else titles}.')


@cache
def _known(verbs: frozenset[str]) -> frozenset[str]:
    return verbs | MOVING | SAYING | WITHOUT_COUNTERPART | {"showas"}


def _may_lead(word: str) -> bool:
    """Return whether a word before the command means nothing: politeness, a list mark, `Re: [pbem #42]`."""
    bare = _bare(word)
    return not any(map(str.isalnum, bare)) or bare in POLITE or word.lower() in ("re:", "[pbem") or "]" in word


def _bare(word: str) -> str:
    return word.lower().strip(".,:;!?\"'")


def _unclear() -> Refused:
    return Refused(
        "We can't tell a password from a turn in this line, so we ignored everything after your name.",
        fits='Names and passwords are not needed here; write "#NUMBER TURN".',
    )


def _needless() -> Refused:
    return Refused(
        "The words after the number look like a name and a password, so we ignored them.",
        fits='They are not needed here. Write "#NUMBER TURN" or "#NUMBER resign".',
    )
