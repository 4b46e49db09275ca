"""All data that is held on a player, and the command export: for programs, as text, and as the messages themselves.

Reply tokens are mentioned and never shown.
"""

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from sqlalchemy import inspect
from sqlmodel import Session, SQLModel, col, or_, select

from pbem.config import ServerSettings
from pbem.conversation.command import Command, Decision, Letter, Line, Request, Who
from pbem.conversation.feature import ExportHook
from pbem.conversation.syntax.arguments import opt, word, words
from pbem.errors import Refused
from pbem.matches import prepared_and_forced_turns
from pbem.matches.queries import players_of, plies, seat_of, taken_back
from pbem.matches.replayed_match import texts_then, to_show
from pbem.matches.shown_names import name
from pbem.messages import general_preferences
from pbem.messages.contents.message_payloads import Export
from pbem.messages.mime import Attachment
from pbem.messages.render import AddedFiles, Enclose
from pbem.messages.templating import text_of
from pbem.messages.token_redaction import TokenRedactor
from pbem.players import addresses_and_revocation, player_directory
from pbem.storage import facts_when_queued
from pbem.storage.mailer import WITH_CONTENT
from pbem.storage.message_payload_base import Payload
from pbem.storage.models import Calendar, Incoming, Match, MatchState, Outgoing, Player, PlayerRating
from pbem.storage.utc import within

MOST_BYTES = 5_000_000  # how many bytes, packed, go into one archive by email; the operator's export has no limit
ExportedFile = tuple[str, datetime, bytes]  # name, time and bytes
PERSON = "id name address created confirmed settings stopped bounces bounced unreachable complained banned trusted"
MATCH = "id game options time imported state termination reason created started ended"
TURN = "number text played"
MAIL_IN = "id received source sender size state verdict proof"
MAIL_OUT = "id message_id address template match ply payload in_reply_to proposal state created sent error"
"""The columns that are exported, under their own names."""


def rows_of(table: type[SQLModel], columns: str) -> ExportHook:
    """Return the hook that exports the rows of a table whose `player` is the player, by those columns."""

    def export(session: Session, player: Player) -> list[dict[str, Any]]:
        rows = select(table).where(inspect(table).columns.player == player.id).order_by(*inspect(table).primary_key)
        return [columns_of(row, columns) for row in session.exec(rows)]

    return export


def columns_of(row: SQLModel, columns: str) -> dict[str, Any]:
    return {column: getattr(row, column) for column in columns.split()}


@dataclass(frozen=True)
class DataExport:
    """What is held on a player: facts for JSON, and the messages that are still stored, newest first."""

    name: str
    facts: dict[str, Any]
    messages: tuple[ExportedFile, ...]

    @property
    def enclosed(self) -> int:
        return self.archive[1]

    @cached_property
    def archive(self) -> tuple[bytes, int]:
        """The messages that fit, as a ZIP file that is made once, and how many those are."""
        return packed(self.messages)

    @property
    def json(self) -> bytes:
        return (
            json.dumps(self.facts, indent=2, ensure_ascii=False, default=lambda time: time.isoformat()).encode() + b"\n"
        )


def gather(
    session: Session, player: Player, until: datetime, redactor: TokenRedactor, exports: Mapping[str, ExportHook]
) -> DataExport:
    # Others only claim to be theirs: somebody else may have used that address, before or in a forged message.
    proven = (Incoming.player == player.id, col(Incoming.received) <= until)
    received = session.exec(select(Incoming).where(*proven).order_by(col(Incoming.id))).all()
    messages = tuple(
        (f"{row.id}.eml", row.received, redactor.redact_bytes(row.raw)) for row in reversed(received) if row.raw
    )
    stored = select(Outgoing).where(col(Outgoing.created) <= until).order_by(col(Outgoing.id)).options(WITH_CONTENT)
    sent = session.exec(stored.where(Outgoing.player == player.id)).all()
    caused = col(Outgoing.incoming).in_(select(Incoming.id).where(Incoming.player == player.id))
    to_others = session.exec(stored.where(caused, col(Outgoing.player).is_distinct_from(player.id)))
    went = session.exec(select(Outgoing.address).where(Outgoing.player == player.id).distinct())
    own = or_(Match.seat0 == player.id, Match.seat1 == player.id)
    matches = session.exec(select(Match).where(own).order_by(col(Match.id))).all()
    texts = facts_when_queued.own_texts(session, player, matches)
    facts = {
        "player": columns_of(player, PERSON)
        | {
            "earlier_addresses": sorted({*went} - {player.address}),
            "other_addresses": addresses_and_revocation.known_of(session, player),
            "choices": general_preferences.with_defaults(player.settings),
            "last_wrote": player_directory.last_seen(session, player),
        },
        "reply_addresses": {
            "how": "We compute them from your number and a key when we send a message.",
            "made_worthless": player.epoch,
        },
        "days": rows_of(Calendar, "chosen begins zone days")(session, player),
        **{name: export(session, player) for name, export in exports.items()},
        "matches": [_match(session, player, match) | {"own": texts.get(match.id or 0, {})} for match in matches],
        "ratings": rows_of(PlayerRating, "game week rating deviation volatility wins draws losses")(session, player),
        "words": [*_words(to_others, player.name), *_words(sent)],
        "mails_in": [columns_of(row, MAIL_IN) | {"file": f"{row.id}.eml" if row.raw else None} for row in received],
        "mails_out": [columns_of(row, MAIL_OUT) for row in sent],
    }
    return DataExport(player.name or f"guest-{player.id}", facts, messages)


def _words(rows: Iterable[Outgoing], author: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield what a player has written to another in each message: that author, or the one whom the message names."""
    for row in rows:
        by, words = author or row.payload.get("by"), row.payload.get("message")
        if by and words:
            yield {"when": row.created, "match": row.match, "by": by, "words": words}


def packed(files: Iterable[ExportedFile], most: int = MOST_BYTES) -> tuple[bytes, int]:
    """Return the first files that fit, as a ZIP file, and how many those are."""
    file, number = io.BytesIO(), 0
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for title, when, raw in files:
            if file.tell() + len(raw) > most:
                break
            archive.writestr(zipfile.ZipInfo(title, when.timetuple()[:6]), raw, zipfile.ZIP_DEFLATED)
            number += 1
    return file.getvalue(), number


def _match(session: Session, player: Player, match: Match) -> dict[str, Any]:
    """Return a match with its record; unfinished and prepared turns are shown only to the player whose they are."""
    snapshot = to_show(match, players_of(session, match), texts_then(session, match))
    names, seat, ending = [name(other) for other in snapshot.players], seat_of(match, player), snapshot.ending
    return columns_of(match, MATCH) | {
        "began": snapshot.began,
        "players": names,
        "challenger": name(session.get_one(Player, match.challenger)),
        "winner": None if match.winner is None else names[match.winner],
        "terminated_by": None if ending is None or ending.seat is None else names[ending.seat],
        "begun": match.part if snapshot.base.turn == snapshot.seat_of(player) else None,
        "prepared": [] if seat is None else prepared_and_forced_turns.of_seat(session, match, seat).lines,
        "turns": [columns_of(ply, TURN) | {"by": names[ply.seat]} for ply in plies(session, match)],
        "taken_back": [columns_of(row, TURN) | {"by": names[row.seat]} for row in taken_back(session, match)],
        "record": snapshot.written if match.state in (MatchState.RUNNING, MatchState.OVER) else None,
    }


def encloser(server: ServerSettings, exports: Mapping[str, ExportHook]) -> Enclose:
    """Return what encloses the data of a player with the message for that."""

    def enclose(session: Session, row: Outgoing, payload: Payload, redactor: TokenRedactor) -> AddedFiles | None:
        if not isinstance(payload, Export) or (owner := session.get(Player, row.player)) is None:
            return None
        data = gather(session, owner, row.created, redactor, exports)
        return AddedFiles(tuple(export_files(data, server, redactor)), data)

    return enclose


def export_files(data: DataExport, server: ServerSettings, redactor: TokenRedactor) -> Iterator[Attachment]:
    text = text_of("parts/held.j2", data.facts | {"server": server})
    yield Attachment(f"{data.name}.txt", "text/plain", redactor.redact_bytes(text.encode()))
    yield Attachment(f"{data.name}.json", "application/json", redactor.redact_bytes(data.json))
    archive, number = data.archive
    if number:
        yield Attachment(f"{data.name}-mails.zip", "application/zip", archive)


APART = timedelta(days=1)  # the time between two exports, which are larger than any other message


def export(request: Request, line: Line) -> Decision:
    player = request.player
    check_about_sender(request, line, '"record NUMBER" sends the record of a match')
    theirs = (Outgoing.player == player.id, Outgoing.template == "export")
    recent = select(Outgoing.id).where(*theirs, within(Outgoing.created, APART, request.now))
    if request.session.exec(recent).first() is not None:
        raise Refused("We've sent you all your data within the last day.", read=line.text, fits="Try again tomorrow.")
    return Decision(messages=(Letter(player=player, payload=Export(), cause=request.cause()),))


WHOSE = word("me", r"\S+")


def check_about_sender(request: Request, line: Line, instead: str) -> None:
    if line.given.get(WHOSE, "me") not in ("me", request.player.name):
        raise Refused(
            f'"{line.command.name}" is only about you and the data we hold on you.',
            read=line.text,
            fits=f'Write "{line.command.usage}"; {instead}.',
        )


EXPORT = Command(
    "export",
    words(opt(WHOSE, usage="me")),
    "get all the data we hold on you: name, address, settings, matches, notes and messages, as files",
    export,
    keywords="download-data",
    open_to=Who.CLOSED,
)
