"""The headers of our messages: sender and recipient, thread, and what scripts can rely on (docs/headers.md)."""

from base64 import b64encode
from collections.abc import Mapping
from email.headerregistry import Address
from email.utils import format_datetime
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from notation.games import GAMES
from pbem.config import ServerSettings
from pbem.mail.reading.from_and_subject import bare_subject
from pbem.matches.replayed_match import Snapshot
from pbem.matches.shown_names import name
from pbem.messages.contents.answer_sections import ChallengeClosed, OfferNews, TurnNews
from pbem.messages.contents.message_payloads import Answer, Challenge
from pbem.messages.delivery_choices import KINDS, kind_of
from pbem.messages.reply_links import address_with, token_of
from pbem.messages.templating import TEXT, templates
from pbem.messages.token_redaction import HeaderValue
from pbem.storage.mailer import is_own_id
from pbem.storage.message_payload_base import Payload, Said
from pbem.storage.models import Match, MatchState, Outgoing, Player
from pbem.tokens import Keyring, Purpose, Token

EVENTS = {"invitation": "challenge", "tournament_over": "tournament"}
"""The values of X-PBeM-Event that aren't the template's name."""

NO_BOARD = (MatchState.OFFERED, MatchState.DECLINED, MatchState.WITHDRAWN)


def head(
    row: Outgoing, payload: Payload, snapshot: Snapshot | None, server: ServerSettings, keyring: Keyring
) -> dict[str, HeaderValue]:
    """Return the headers of the row's message; `snapshot` is its match after the row's turn, where it has one."""
    head: dict[str, HeaderValue] = {
        "From": _address(server.address, server.name),
        "To": _address(row.address),
        "Reply-To": _address(reply_to(row, server, keyring), server.name),
        "Subject": subject(payload, snapshot, row.player),
        "Date": format_datetime(row.created),
        "Message-ID": row.message_id,
    }
    if row.in_reply_to:
        head["In-Reply-To"] = (row.in_reply_to,)
    if row.references:
        head["References"] = tuple(row.references)
    languages = (getattr(part, "language", None) for part in (payload, *getattr(payload, "sections", ())))
    head["Content-Language"] = next(filter(None, languages), "en")
    if snapshot is not None:  # one conversation in Outlook ([MS-OXOMSG] 2.2.1.3), which else goes by the Subject
        unique = sha256(f"{server.domain} {snapshot.number}".encode()).digest()[:21]
        head["Thread-Topic"] = f"[pbem #{snapshot.number}] {snapshot.game.title}"
        head["Thread-Index"] = b64encode(b"\1" + unique).decode()
    head |= {**_machinery(row, server, keyring), **_facts(row, snapshot, server)}
    if isinstance(payload, TurnNews) and (payload.reminder or payload.taken_back):
        head["X-PBeM-Event"] = "reminder" if payload.reminder else "undo"
    return head


def _address(address: str, name: str = "") -> Address:
    """Return the address in its parts: parsing the whole takes long, and would refuse non-ASCII letters."""
    local, _, domain = address.rpartition("@")
    return Address(name, local, domain)


def reply_to(row: Outgoing, server: ServerSettings, keyring: Keyring) -> str:
    """Return where a reply to the message goes; the token in it, if any, proves who replies."""
    token = token_of(row)
    return address_with(server, keyring, token, row.epoch) if token else server.address


def subject(payload: Payload, snapshot: Snapshot | None, reader: int | None = None) -> str:
    """Return the Subject: the same for all messages of a match, but for its tag."""
    if snapshot is not None:
        return subject_of(snapshot.match, *snapshot.players, _state(payload, snapshot, reader))
    answered = bare_subject(payload.subject) if isinstance(payload, Answer) else ""
    if answered:
        return f"Re: {answered}" if answered.startswith("[pbem") else f"Re: [pbem] {answered}"
    content: Said = payload.sections[0] if isinstance(payload, Answer) else payload
    headings: Any = templates(TEXT).get_template("parts/headings.j2").module
    heading = getattr(headings, content.template, headings.anything)
    return f"[pbem] {' '.join(str(heading(content)).split())}"


def _state(payload: Payload, snapshot: Snapshot, reader: int | None) -> str:
    """Return what the tag of the Subject says: that the match is over, what has happened, or whose turn it is."""
    if snapshot.ended_here:
        return "over"
    seat = snapshot.base.turn
    turn = None if seat is None or snapshot.match.state in NO_BOARD else snapshot.players[seat].id
    is_readers = turn is not None and turn == reader
    match payload:
        case TurnNews(reminder=True):
            return "reminder"
        case TurnNews(given_to=int()):
            return "time given"
        case TurnNews(ran_out=True):
            return "your time is up" if is_readers else "you can claim"
        case Challenge():
            return "challenge"
        case ChallengeClosed(state=state):
            return state
        case OfferNews(change="made", kind=kind):
            return f"{kind} offered"
        case TurnNews(ply=0, taken_back=()) if not is_readers:
            return "begun"
    return "your turn" if is_readers else ""


def _machinery(row: Outgoing, server: ServerSettings, keyring: Keyring) -> Mapping[str, HeaderValue]:
    """Return the headers that keep machines from replying, and let mail programs sort news or offer to stop them."""
    answers = row.in_reply_to is not None and not is_own_id(row.in_reply_to, server.domain)
    head: dict[str, HeaderValue] = {
        "Auto-Submitted": "auto-replied" if answers else "auto-generated",
        "X-Auto-Response-Suppress": "All",
    }
    if row.player is not None and (row.is_notice or row.template == "invitation"):
        stop = address_with(server, keyring, Token(Purpose.NOTICES, row.player), row.epoch)
        stop = f"<mailto:{stop}?subject={quote(kind_of(row.template).stop)}>"
        head["List-Unsubscribe"] = (stop,)
        if row.is_notice:
            head["List-Id"] = (f"<matches.{server.domain}>",)
        if server.unsubscribe_url and row.is_notice:
            token = Token(Purpose.ONE_CLICK, row.player, KINDS.index(kind_of(row.template)))
            link = f"<{server.unsubscribe_url}{keyring.format(token, row.epoch)}>"
            head["List-Unsubscribe"] = (f"{stop},", link)
            head["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return head


def _facts(row: Outgoing, snapshot: Snapshot | None, server: ServerSettings) -> Mapping[str, str]:
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
    if turn is not None and not snapshot.ended_here:
        return facts | {"X-PBeM-Turn": str(snapshot.ply + 1), "X-PBeM-To-Move": name(snapshot.players[turn])}
    if row.template == "turn":
        facts["X-PBeM-Event"] = "over"
    if (ending := snapshot.ending) is not None:
        facts["X-PBeM-Termination"] = ending.termination.value
        if snapshot.match.winner is not None:
            facts["X-PBeM-Winner"] = name(snapshot.players[snapshot.match.winner])
        if ending.seat is not None:
            facts["X-PBeM-Ended-By"] = name(snapshot.players[ending.seat])
    return facts


def subject_of(match: Match, first: Player, second: Player, state: str = "") -> str:
    """Return the Subject of a message about a match; what has happened stands in its tag.

    Apart from the tag, which Gmail and other mail programs ignore when they compare Subjects, it is the same for all
    messages of a match, so that they stay in one thread. Only a match that began with an invitation by address is
    renamed once, when it has started between two names; until then it must not tell whose address that is.

    >>> carol, dan = Player(id=1, name="carol"), Player(id=2, name="dan")
    >>> subject_of(Match(id=42, game="quadrature", challenger=1), carol, dan, "your turn")
    '[pbem #42, your turn] Quadrature: carol - dan'
    """
    challenger = first if first.id == match.challenger else second
    has_names = match.started is not None and first.name is not None and second.name is not None
    is_invitation = match.by_address and not has_names
    contest = f"{name(challenger)}'s invitation" if is_invitation else f"{name(first)} - {name(second)}"
    tag = f"[pbem #{match.id}, {state}]" if state else f"[pbem #{match.id}]"
    return f"{tag} {GAMES.title(match.game)}: {contest}"
