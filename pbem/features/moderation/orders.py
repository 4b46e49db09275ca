"""The operator's orders: ban, unban, rename, close, adjudicate."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session

from notation.games import GAMES
from pbem.config import Settings
from pbem.conversation.core import ASKS, Command, Decision, Group, Line, Request, Who
from pbem.conversation.feature import Features
from pbem.errors import Refused
from pbem.features.accounts.account import check_other_name
from pbem.features.moderation import acts, broadcasts, roster
from pbem.features.moderation.acts import BanOutcome, Order
from pbem.mail.reading.message import Message
from pbem.matches.queries import name, players_of
from pbem.messages.said.messages import Act, ActDone
from pbem.players.identity import Sender
from pbem.storage.models import Incoming, Match, MatchState

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
        words=words,
        proof=ASKS,
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


def close(request: Request, line: Line) -> Decision:
    written = read(request, line)
    match = acts.open_match(request.session, _number(line, written.about[0]))
    act = _act(request, match)
    acts.close(request.session, request.server, match, written.order, request.now)
    return done(act, written.order)


def adjudicate(request: Request, line: Line) -> Decision:
    written = read(request, line)
    number, winner = written.about
    match = acts.open_match(request.session, _number(line, number))
    wanted = winner.lower()
    act = replace(_act(request, match), act="adjudicate", who="" if wanted == acts.DRAW else wanted)
    acts.adjudicate(request.session, request.server, match, wanted, written.order, request.now)
    return done(act, written.order)


def _number(line: Line, word: str) -> int:
    digits = word.removeprefix("#")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10):
        raise Refused(f'"{word[:40]}" isn\'t the number of a match.', read=line.text, fits=line.command.advice)
    return int(digits)


def _act(request: Request, match: Match) -> Act:
    """Return what the admin is told of the match, as it is before it ends."""
    first, second = players_of(request.session, match)
    return Act(
        act="close",
        by=name(first),
        opponent=name(second),
        number=match.id or 0,
        title=GAMES.title(match.game),
        turns=match.plies,
        offered=match.state == MatchState.OFFERED,
    )


CLOSE = command(
    "close", "NUMBER [tell=yes] [NOTE]", "end a match without a result, or withdraw a challenge", close, (1, 200)
)
ADJUDICATE = command(
    "adjudicate",
    "NUMBER PLAYER|draw [tell=yes] [NOTE]",
    "end a match as won by a player, or as a draw; it counts like any other result",
    adjudicate,
    (2, 200),
)


def ban(request: Request, line: Line) -> Decision:
    written = read(request, line)
    player, order = roster.called(request.session, written.about[0]), written.order
    if request.is_from(player):
        raise Refused("That's your own account.", read=line.text)
    ended = acts.ban(request.session, request.server, request.features, player, order, request.now, written.ended)
    lost = written.ended is BanOutcome.LOST
    return done(Act(act="ban", by=name(player), address=player.address, ended=ended, lost=lost), order)


def unban(request: Request, line: Line) -> Decision:
    written = read(request, line)
    player = roster.called(request.session, written.about[0])
    acts.unban(request.session, request.server, player, written.order, request.now)
    return done(Act(act="unban", by=name(player), address=player.address), written.order)


def rename(request: Request, line: Line) -> Decision:
    written = read(request, line)
    called, new = written.about
    player = roster.called(request.session, called)
    former = name(player)
    wanted = check_other_name(request.session, new, request.features)
    acts.rename(request.session, request.server, player, wanted, written.order, request.now)
    return done(Act(act="rename", by=former, address=player.address, who=wanted), written.order)


def announce(request: Request, line: Line) -> Decision:
    """Write to all players who get news: the line is the subject, and what stands below it the text."""
    subject, lines = broadcasts.read("\n".join((line.words, *request.prose)))
    own, number = order(request), broadcasts.recipients(request.session)
    if not number:
        raise Refused("There is nobody to write to: no player gets news.")
    broadcasts.begin(request.session, subject, lines, own, request.now)
    pace = broadcasts.per_minute(number)
    return done(Act(act="announce", subject=subject, lines=lines, recipients=number, per_minute=pace), own)


BAN = command(
    "ban",
    "PLAYER [matches=lost] [tell=yes] [NOTE]",
    "keep a player out; their matches end without a result, or with matches=lost their opponents win",
    ban,
    (1, 200),
)
UNBAN = command("unban", "PLAYER [tell=yes] [NOTE]", "let them in again; what has ended stays over", unban, (1, 200))
RENAME = command(
    "rename",
    "PLAYER NEW [tell=yes] [NOTE]",
    "give a player another name; nobody else gets the old one",
    rename,
    (2, 200),
)
ANNOUNCE = command(
    "announce",
    "SUBJECT",
    "write to all players who get news: what stands below this line is the text",
    announce,
    (0, 40),
    takes_rest=True,
)
