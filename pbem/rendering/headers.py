"""The headers of our messages: sender and recipient, thread, and what scripts can rely on (docs/headers.md)."""

from collections.abc import Mapping
from email.headerregistry import Address, BaseHeader, HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8, EmailPolicy, Policy
from email.utils import format_datetime
from functools import lru_cache
from typing import Any

from sqlmodel import Session

from pbem.config import ServerSettings
from pbem.matches.naming import OVER, YOUR_TURN, name, subject_of
from pbem.matches.origins import carried
from pbem.matches.snapshot import Snapshot
from pbem.payloads.explained import Rules
from pbem.payloads.messages import Answer, Digest, Payload
from pbem.payloads.moderation import Announced
from pbem.payloads.sections import TurnPlayed
from pbem.payloads.tournaments import RoundWithoutMatch, TournamentEnded
from pbem.players.identity import address_with, token_of
from pbem.reading.message import bare_subject
from pbem.storage.facts import Facts
from pbem.storage.models import MatchState, Outgoing
from pbem.storage.outbox import is_own_id
from pbem.tokens import Keyring, Purpose, Token

SUBJECTS = {
    "account": "Your account",
    "renamed": "A new name",
    "alert": "Some messages need your attention",
    "confirm": "Was this you?",
    "welcome": "Welcome",
    "renewed": "Your new addresses",
    "address": "Is this your address?",
    "moved": "Your mail now goes elsewhere",
    "export": "All the data we hold on you",
    "records": "The records of your matches",
    "deleted": "Your data has been deleted",
    "seeks_ended": "Your seeks have ended",
    "unreachable_admin": "Messages to a player keep bouncing",
}
ANSWERS = {"introduction": "How to play board games by email", "help": "Help", "rules": "The rules of {game}"}
"""The Subjects of replies that say only this, to messages without a Subject; none repeats what a stranger wrote."""
EVENTS = {"invitation": "challenge", "unreachable_admin": "unreachable", "tournament_over": "tournament"}
"""The values of X-PBeM-Event that aren't the template's name."""

NO_BOARD = (MatchState.OFFERED, MatchState.DECLINED, MatchState.WITHDRAWN)
LINE = 78


class Words(BaseHeader):
    """A header whose words stay whole: the library would split long ones, and nobody rejoins them."""

    max_count = 1

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        """Take the value unchanged."""
        kwds["parse_tree"], kwds["decoded"] = None, value

    def fold(self, *, policy: Policy) -> str:
        """Return the header in lines, each starting with a whole word."""
        lines = [f"{self.name}:"]
        for word in str(self).split():
            fits = len(lines[-1]) + 1 + len(word) <= LINE or lines[-1] == f"{self.name}:"
            lines[-1:] = [f"{lines[-1]} {word}"] if fits else [lines[-1], f" {word}"]
        return policy.linesep.join(lines) + policy.linesep


class Repeated(Words):
    """Such a header that can occur several times."""

    max_count = None  # type: ignore[assignment]  # as the library's own have it


class Registry(HeaderRegistry):
    """The library's registry, which makes a class for every header and parses even those of MIME parts each time."""

    def __init__(self) -> None:
        super().__init__()
        for header in ("in-reply-to", "references", "list-id", "list-unsubscribe"):
            self.map_to_type(header, Words)
        self.map_to_type(carried.HEADER, Repeated)
        self._classes: dict[str, type[BaseHeader]] = {}
        self._describe_part = lru_cache(maxsize=256)(super().__call__)

    def __getitem__(self, name: str) -> type[BaseHeader]:
        """Return the class of headers of that name."""
        if name not in self._classes:
            self._classes[name] = super().__getitem__(name)
        return self._classes[name]

    def __call__(self, name: str, value: Any) -> BaseHeader:
        """Return the header; the same object for the same description of a part."""
        describes = name.lower().startswith(("content-", "mime-")) and isinstance(value, str)
        return self._describe_part(name, value) if describes else super().__call__(name, value)


POLICY = SMTP.clone(header_factory=Registry())
POLICY_UTF8 = SMTPUTF8.clone(header_factory=Registry())


def policy(address: str) -> "EmailPolicy[EmailMessage]":
    """Return the policy for messages to that address: headers have non-ASCII letters only if the address does."""
    return POLICY if address.isascii() else POLICY_UTF8


def write(
    mail: EmailMessage,
    row: Outgoing,
    payload: Payload,
    snapshot: Snapshot | None,
    server: ServerSettings,
    keyring: Keyring,
) -> None:
    """Give the message of the row its headers; `snapshot` is its match after the row's turn, where it has one."""
    local, _, domain = row.address.rpartition("@")
    mail["From"] = Address(server.name, addr_spec=server.address)
    mail["To"] = Address(username=local, domain=domain)  # parsing the whole would refuse non-ASCII letters
    mail["Reply-To"] = Address(server.name, addr_spec=reply_to(row, server, keyring))
    mail["Subject"] = subject(payload, snapshot, row.player)
    mail["Date"] = format_datetime(row.created)
    mail["Message-ID"] = row.message_id
    if row.in_reply_to:
        mail["In-Reply-To"] = row.in_reply_to
    if row.references:
        mail["References"] = " ".join(row.references)
    found = {**_machinery(row, server, keyring), **_facts(row, snapshot, server)}
    if isinstance(payload, TurnPlayed) and payload.taken_back:
        found["X-PBeM-Event"] = "undo"
    if isinstance(payload, TurnPlayed) and payload.reminder:
        found["X-PBeM-Event"] = "reminder"
    for header, value in found.items():
        mail[header] = value


def carry(
    mail: EmailMessage, session: Session, row: Outgoing, known: Facts, server: ServerSettings, keyring: Keyring
) -> None:
    """Let the message to a player carry the matches in it that they play, as many as fit (see origins.carried)."""
    if known.reader is None or row.purpose in (None, Purpose.ADDRESS.name):
        return
    room = carried.MOST
    for _, each in sorted(known.matches.items()):
        match = carried.of(session, each, known.reader, row.address, server.domain, row.created)
        words = "" if match is None else carried.pack(match, keyring)
        if words and len(words) <= room:
            room -= len(words)
            mail[carried.HEADER] = words


def reply_to(row: Outgoing, server: ServerSettings, keyring: Keyring) -> str:
    """Return where a reply to the message goes; the token in it, if any, proves who replies."""
    token = token_of(row)
    return address_with(server, keyring, token, row.epoch) if token else server.address


def subject(payload: Payload, snapshot: Snapshot | None, reader: int | None = None) -> str:
    """Return the Subject: the same for all messages of a match, but for its tag."""
    if snapshot is not None:
        return subject_of(snapshot.match, *snapshot.players, _state(snapshot, reader))
    if isinstance(payload, Digest):
        yours = sum(item.stage == "yours" for item in payload.matches) + len(payload.waiting)
        return f"[pbem] News of {len(payload.matches)} matches" + (f": your turn in {yours}" if yours else "")
    if isinstance(payload, Announced):
        return f"[pbem] {payload.subject}"
    if isinstance(payload, RoundWithoutMatch):
        return f"[pbem] {payload.title}: round {payload.round}"
    if isinstance(payload, TournamentEnded):
        return f"[pbem] {payload.line.title}: {payload.line.state}"
    asked = bare_subject(payload.subject) if isinstance(payload, Answer) else ""
    if asked.startswith("[pbem]"):
        return f"Re: {asked}"
    if asked:
        return f"[pbem] Re: {asked}"
    return f"[pbem] {SUBJECTS.get(payload.template) or _answered(payload)}"


def _answered(payload: Payload) -> str:
    """Return what a reply is about, as its Subject says it where the message had none."""
    match payload:
        case Answer(sections=[Rules() as only]):
            return ANSWERS["rules"].format(game=only.game.title)
        case Answer(sections=[only, *_]):
            return ANSWERS.get(only.template, "Your message")
    return "Your message"


def _state(snapshot: Snapshot, reader: int | None) -> str:
    """Return what the tag of the Subject says about the match."""
    if snapshot.ended_here:
        return OVER
    turn = snapshot.base.turn
    is_readers = turn is not None and reader is not None and snapshot.players[turn].id == reader
    return YOUR_TURN if is_readers and snapshot.match.state not in NO_BOARD else ""


def _machinery(row: Outgoing, server: ServerSettings, keyring: Keyring) -> Mapping[str, str]:
    """Return the headers that keep machines from replying, and let mail programs sort news or offer to stop them."""
    answers = row.in_reply_to is not None and not is_own_id(row.in_reply_to, server.domain)
    found = {
        "Auto-Submitted": "auto-replied" if answers else "auto-generated",
        "X-Auto-Response-Suppress": "All",
    }
    if row.player is not None and (row.is_notice or row.template == "invitation"):
        stop = address_with(server, keyring, Token(Purpose.NOTICES, row.player), row.epoch)
        if row.is_notice:
            found["List-Id"] = f"<matches.{server.domain}>"
        found["List-Unsubscribe"] = f"<mailto:{stop}?subject=stop>"
    return found


def _facts(row: Outgoing, snapshot: Snapshot | None, server: ServerSettings) -> Mapping[str, str]:
    """Return the headers that scripts can rely on."""
    facts = {"X-PBeM-Server": server.domain, "X-PBeM-Event": EVENTS.get(row.template, row.template)}
    if snapshot is None:
        return facts
    facts |= {"X-PBeM-Match": str(snapshot.number), "X-PBeM-Game": snapshot.match.game}
    if snapshot.match.tournament is not None:
        facts["X-PBeM-Tournament"] = str(snapshot.match.tournament)
    if snapshot.match.state in NO_BOARD:
        return facts
    facts["X-PBeM-Number"] = str(snapshot.ply)
    if snapshot.texts:
        facts["X-PBeM-Last"] = snapshot.texts[-1]
    turn = snapshot.base.turn
    if snapshot.ended_here or turn is None:
        return facts | ({"X-PBeM-Event": "over"} if row.template == "turn" else {}) | _result(snapshot)
    return facts | {"X-PBeM-Turn": str(snapshot.ply + 1), "X-PBeM-To-Move": name(snapshot.players[turn])}


def _result(snapshot: Snapshot) -> dict[str, str]:
    """Return how the match ended, and who won or ended it."""
    ending, winner = snapshot.ending, snapshot.match.winner
    if ending is None:
        return {}
    facts = {"X-PBeM-Termination": ending.termination.value}
    if winner is not None:
        facts["X-PBeM-Winner"] = name(snapshot.players[winner])
    if ending.seat is not None:
        facts["X-PBeM-Ended-By"] = name(snapshot.players[ending.seat])
    return facts
