"""Orders by mail: whom or what they are about, how, and why."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlmodel import select

from pbem.commands.core import Decision, Line, Request
from pbem.errors import Refused
from pbem.moderation import acts
from pbem.moderation.acts import Order
from pbem.moderation.bans import Ended
from pbem.payloads.moderation import Act, ActDone
from pbem.storage.models import HOUSE, Player

ACTOR = "the admin, by mail"
CHOICES: Mapping[str, tuple[str, ...]] = {
    "tell": ("no", "yes"),
    "matches": tuple(ended.value for ended in Ended),
}
"""What can stand between what an order is about and why, and its values."""


@dataclass(frozen=True, slots=True)
class Written:
    """An order as the admin wrote it."""

    about: tuple[str, ...]
    """The words that say what it is about."""
    order: Order
    ended: Ended = Ended.CANCELLED
    """What becomes of running matches."""


def read(request: Request, line: Line) -> Written:
    """Return the order: as many words as it takes at least, choices, and the rest and what stands below as the note.

    Raises Refused.
    """
    count, _ = line.command.words
    words = line.words.split()
    about, rest = words[:count], words[count:]
    chosen: dict[str, str] = {}
    while rest and (key := rest[0].partition("=")[0].lower()) in CHOICES and "=" in rest[0]:
        chosen[key] = _chosen(line, rest.pop(0))
    note = "\n".join((" ".join(rest), *request.prose)).strip()
    tells = chosen.get("tell") == "yes"
    if len(note) > acts.LONGEST_NOTE:
        raise Refused(f"The note is longer than {acts.LONGEST_NOTE} characters.", read=line.text[:60])
    if tells and not note:
        raise Refused(
            "tell=yes tells the players why, and you haven't said it.",
            read=line.text,
            fits="Write why behind it.",
        )
    order = Order(ACTOR, note, tells, is_trial=request.is_trial)
    ended = Ended(chosen.get("matches", Ended.CANCELLED))
    return Written(tuple(word.strip(".,;!") for word in about), order, ended)


def _chosen(line: Line, word: str) -> str:
    key, _, value = word.lower().partition("=")
    if value not in CHOICES[key]:
        choices = " or ".join(f"{key}={each}" for each in CHOICES[key])
        raise Refused(f"There is no {word[:40]}.", read=line.text, fits=f"Write {choices}.")
    return value


def player_called(request: Request, line: Line, wanted: str) -> Player:
    """Return the player of that name or address; raise Refused."""
    place = Player.address if "@" in wanted else Player.name
    found = request.session.exec(select(Player).where(place == wanted.lower())).first()
    if found is None or found.address == HOUSE or found.deleted is not None or found.confirmed is None:
        raise Refused(f"No player is called {wanted[:40]}.", read=line.text, fits='"players" lists all of them.')
    return found


def done(act: Act) -> Decision:
    """Return the decision that tells the admin what was done; the text below the line is part of it."""
    return Decision(answer=(ActDone(act=act),), takes_prose=True)
