"""What people want who write a plain sentence in place of a command: a table of phrases, in intents.toml.

It is only looked up where a message has no command, and only suggested: a `yes` carries it out, nothing else does.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from itertools import islice

from pydantic import TypeAdapter

from notation.games import FEW, GAMES
from pbem.errors import Refused
from pbem.storage.models import Match

SHOWN = 60
MOST_LINES, LONGEST = 5, 200
"""How many lines are looked at, and of how many characters."""
ALL = '"help games" lists them all.'
"""What follows a list of the first FEW."""
_WORD = re.compile(r"[\w'-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    name: str
    means: str
    """What we understood, as it follows "It seems that"."""
    phrases: tuple[str, ...]
    examples: tuple[str, ...]
    match: tuple[str, ...] = ()
    """How the match stands that the message is about; empty for any message."""
    line: str = ""
    """What a `yes` carries out."""
    fits: str = ""
    """What would work, where no line does."""
    is_for_people: bool = False
    """Whether the house would make nothing of it."""
    shows_board: bool = False
    """Whether the board belongs to the answer."""

    def is_in(self, sentence: str) -> bool:
        """Return whether one of its phrases stands in the sentence, which is `plain`."""
        return any(f" {phrase} " in f" {sentence} " or phrase == f"={sentence}" for phrase in self.phrases)


def _load() -> tuple[Intent, ...]:
    text = resources.files("pbem.conversation.syntax").joinpath("intents.toml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[Intent, ...]).validate_python(tomllib.loads(text)["intent"])


INTENTS = _load()


def plain(sentence: str) -> str:
    """Return the words of a sentence in lower case, without accents and punctuation.

    >>> plain("Où puis-je jouer ?"), plain("I don't know...")
    ('ou puis-je jouer', "i don't know")
    """
    bare = unicodedata.normalize("NFKD", sentence[:LONGEST].replace("\u2019", "'").lower())
    return " ".join(_WORD.findall("".join(each for each in bare if not unicodedata.combining(each))))


def of_anybody(sentence: str) -> str | None:
    """Return the line that a sentence comes to which isn't about a match; None if nothing of the table says so.

    >>> of_anybody("Take me off your list!"), of_anybody("Hello")
    ('stop', None)
    """
    said = plain(sentence)
    wanted = (intent.line for intent in INTENTS if not intent.match and intent.is_in(said))
    return next((line for line in wanted if line and "{" not in line), None)


def understood(lines: Iterable[str], match: Match | None, admin: str = "") -> Refused | None:
    texts = [line.strip() for line in lines if line.strip()][:MOST_LINES]
    said = [(text, plain(text)) for text in texts]
    state = match.state if match is not None else None
    those = (intent for intent in INTENTS if not intent.match or state in intent.match)
    found = ((intent, text, words) for intent in those for text, words in said if intent.is_in(words))
    return next((_refusal(intent, text, words, match, admin) for intent, text, words in found), None)


def rules_commands() -> str:
    return " or ".join(f'"rules {key}"' for key in islice(GAMES, FEW))


def there_are() -> str:
    return f"The games: {GAMES.some()}." + (f" {ALL}" if len(GAMES) > FEW else "")


def _refusal(intent: Intent, text: str, said: str, match: Match | None, admin: str) -> Refused:
    game = GAMES.first_in(said) or (match.game if match is not None else "")
    line = intent.line.format(match=match.id if match is not None else "", game=game, text=text[:LONGEST])
    refused = Refused(
        f"It seems that {intent.means}.",
        read=text[:SHOWN],
        fits=intent.fits.format(admin=f"The operator of this server reads {admin}. " if admin else ""),
        match=match.id if match is not None and intent.shows_board else None,
        gist=f"intent {intent.name}",  # machines vary the words
    )
    if "{game}" in intent.line and not game:
        refused.fits = f"{rules_commands()} sends the rules of a game."
    elif intent.is_for_people and match is not None and match.level is not None:
        refused.fits = "The house doesn't read what you write to it, but thank you."
    elif line:
        refused.meant, refused.proposal = (line,), line
    return refused
