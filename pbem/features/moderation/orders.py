"""Orders: whom or what they are about, how, and why. They come by mail, or from the command line as such a line."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session

from pbem.config import Settings
from pbem.conversation.core import Command, Decision, Group, Line, Request, Who
from pbem.conversation.feature import Features
from pbem.errors import Refused
from pbem.features.moderation import acts
from pbem.features.moderation.acts import Order
from pbem.features.moderation.bans import BanOutcome
from pbem.mail.reading.message import Message
from pbem.messages.said.acts import Act, ActDone
from pbem.players.identity import Sender
from pbem.storage.models import Incoming

BY_MAIL = "the admin, by mail"
CHOICES: Mapping[str, tuple[str, ...]] = {
    "tell": ("no", "yes"),
    "matches": tuple(ended.value for ended in BanOutcome),
}
"""What can stand between what an order is about and why, and its values."""


@dataclass(frozen=True, slots=True)
class WrittenOrder:
    about: tuple[str, ...]
    """The words that say what it is about."""
    order: Order
    ended: BanOutcome = BanOutcome.CANCELLED
    """What becomes of running matches."""


def read(request: Request, line: Line) -> WrittenOrder:
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
        raise Refused("The players should learn why, and you haven't said it.", read=line.text, fits="Add a note.")
    ended = BanOutcome(chosen.get("matches", BanOutcome.CANCELLED))
    return WrittenOrder(tuple(word.strip(".,;!") for word in about), order(request, note, tells=tells), ended)


def order(request: Request, note: str = "", *, tells: bool = False) -> Order:
    return Order(request.operator or BY_MAIL, note, tells, is_trial=request.is_trial)


def _chosen(line: Line, word: str) -> str:
    key, _, value = word.lower().partition("=")
    if value not in CHOICES[key]:
        choices = " or ".join(f"{key}={each}" for each in CHOICES[key])
        raise Refused(f"There is no {word[:40]}.", read=line.text, fits=f"Write {choices}.")
    return value


def done(act: Act, order: Order) -> Decision:
    act = replace(act, message=tuple(order.note.splitlines()), tells=order.tells)
    return Decision(answer=(ActDone(act=act),), takes_prose=True)


def command(
    name: str,
    arguments: str,
    about: str,
    run: Callable[[Request, Line], Decision],
    words: tuple[int, int],
    *,
    takes_rest: bool = False,
) -> Command:
    return Command(
        *(name, arguments, about, run, Group.MODERATION),
        changes=True,
        words=words,
        asks_once_more=True,
        open_to=Who.ADMIN,
        takes_rest=takes_rest,
    )


def by_operator(
    session: Session,
    settings: Settings,
    features: Features,
    now: datetime,
    text: str,
    below: str,
    operator: str,
    *,
    is_trial: bool,
) -> ActDone:
    """Run a line as if the admin had written it by mail, with what stands below it. Raises Refused."""
    request = Request(
        session,
        settings.server,
        settings.server.keyring(),
        now,
        Incoming(key="", size=0, source="", recipients=[], received=now),
        Message(None, None, (), (), "", None, ()),
        Sender(settings.server.admin or "", None, proven=True),
        features.all_commands,
        features,
        settings.limits,
        settings.house,
        prose=tuple(below.splitlines()),
        operator=operator,
        is_trial=is_trial,
    )
    name, _, words = text.partition(" ")
    found = features.all_commands[name]
    (answer,) = found.run(request, Line(found, words, None, text)).answer
    assert isinstance(answer, ActDone)  # noqa: S101 - so do all that change something
    return answer
