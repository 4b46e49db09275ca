"""All data that is held on a player: for programs, as text, and as the messages themselves.

Reply tokens are mentioned and never shown.
"""

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from sqlmodel import Session, col, or_, select

from pbem.config import ServerSettings
from pbem.conversation.feature import ExportHook
from pbem.matches import prepared
from pbem.matches.queries import name, players_of, plies, seat_of, taken_back
from pbem.matches.ratings import standings
from pbem.matches.snapshot import texts_then, to_show
from pbem.messages import preferences
from pbem.messages.mime import Attachment
from pbem.messages.render import AddedFiles, Enclose
from pbem.messages.said.messages import Export
from pbem.messages.templating import text_of
from pbem.messages.token_redaction import TokenRedactor
from pbem.players import addresses, directory
from pbem.storage.models import Calendar, Incoming, Match, MatchState, Outgoing, Player, PlayerRating
from pbem.storage.outbox import WITH_CONTENT
from pbem.storage.payloads import Payload

MOST_BYTES = 5_000_000
"""How many bytes, packed, go into one archive by email; the operator's export has no limit."""
ExportedFile = tuple[str, datetime, bytes]
"""Name, time and bytes."""


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
        return json.dumps(self.facts, indent=2, ensure_ascii=False, default=_written).encode() + b"\n"


def gather(
    session: Session, player: Player, until: datetime, redactor: TokenRedactor, exports: Sequence[ExportHook]
) -> DataExport:
    # Others only claim to be theirs: somebody else may have used that address, before or in a forged message.
    proven = (Incoming.player == player.id, col(Incoming.received) <= until)
    received = session.exec(select(Incoming).where(*proven).order_by(col(Incoming.id))).all()
    messages = tuple(
        (f"{row.id}.eml", row.received, redactor.redact_bytes(row.raw)) for row in reversed(received) if row.raw
    )
    sent = session.exec(
        select(Outgoing)
        .where(Outgoing.player == player.id, col(Outgoing.created) <= until)
        .order_by(col(Outgoing.id))
        .options(WITH_CONTENT)
    ).all()
    own = or_(Match.seat0 == player.id, Match.seat1 == player.id)
    matches = session.exec(select(Match).where(own).order_by(col(Match.id)))
    facts = {
        "player": _person(session, player),
        "reply_addresses": {
            "how": "We compute them from your number and a key when we send a message.",
            "made_worthless": player.epoch,
        },
        "days": _days(session, player),
        **{key: data for export in exports for key, data in export(session, player).items()},
        "matches": [_match(session, player, match) for match in matches],
        "ratings": [_rating(row) for row in standings.history(session, player)],
        "words": [*_words_of(session, player, until), *_words_to(sent)],
        "mails_in": [_mail_in(row) for row in received],
        "mails_out": [_mail_out(row) for row in sent],
    }
    return DataExport(player.name or f"guest-{player.id}", facts, messages)


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


def _written(value: object) -> str:
    assert isinstance(value, datetime)  # noqa: S101 - the facts hold nothing else that JSON does not know
    return value.isoformat(timespec="seconds")


def _person(session: Session, player: Player) -> dict[str, Any]:
    went = session.exec(select(Outgoing.address).where(Outgoing.player == player.id).distinct())
    return {
        "number": player.id,
        "name": player.name,
        "address": player.address,
        "earlier_addresses": sorted({*went} - {player.address}),
        "other_addresses": addresses.known_of(session, player),
        "first_heard_of": player.created,
        "joined": player.confirmed,
        "choices": preferences.with_defaults(player.settings),
        "chosen": dict(player.settings),
        "last_wrote": directory.last_seen(session, player),
        "no_news_since": player.stopped,
        "mails_that_came_back_in_a_row": player.bounces,
        "last_came_back": player.bounced,
        "nothing_sent_since": player.unreachable,
        "complained_about_our_mail": player.complained,
        "closed_by_the_operator": player.banned,
        "may_open_tournaments_since": player.trusted,
    }


def _rating(row: PlayerRating) -> dict[str, Any]:
    values = ("game", "rating", "deviation", "volatility", "wins", "draws", "losses")
    return {"after_the_week_of": row.week.isoformat()} | {value: getattr(row, value) for value in values}


def _match(session: Session, player: Player, match: Match) -> dict[str, Any]:
    """Return a match with its record; the unfinished part of a turn is shown only to the player who began it."""
    snapshot = to_show(match, players_of(session, match), texts_then(session, match))
    ending = snapshot.ending
    was_played = match.state in (MatchState.RUNNING, MatchState.OVER)
    own_part = match.part if snapshot.base.turn == snapshot.seat_of(player) else None
    return {
        "number": match.id,
        "game": match.game,
        "options": dict(match.options),
        "time": match.time,
        "imported": match.imported is not None,
        "began": snapshot.began,
        "players": [name(other) for other in snapshot.players],
        "challenger": name(session.get_one(Player, match.challenger)),
        "state": match.state,
        "winner": None if match.winner is None else name(snapshot.players[match.winner]),
        "termination": match.termination,
        "terminated_by": None if ending is None or ending.seat is None else name(snapshot.players[ending.seat]),
        "reason": match.reason,
        "begun": own_part,
        "prepared": _prepared(session, player, match),
        "offered": match.created,
        "started": match.started,
        "ended": match.ended,
        "turns": [
            {"number": ply.number, "by": name(snapshot.players[ply.seat]), "text": ply.text, "played": ply.played}
            for ply in plies(session, match)
        ],
        "taken_back": [
            {"number": row.number, "by": name(snapshot.players[row.seat]), "text": row.text, "played": row.played}
            for row in taken_back(session, match)
        ],
        "record": snapshot.written if was_played else None,
    }


def _days(session: Session, player: Player) -> list[dict[str, Any]]:
    rows = session.exec(select(Calendar).where(Calendar.player == player.id).order_by(col(Calendar.id)))
    return [{"chosen": row.chosen, "from": row.begins, "zone": row.zone, "days": row.days} for row in rows]


def _prepared(session: Session, player: Player, match: Match) -> list[list[str]]:
    """Return what the player has prepared in the match; what the opponent has is never shown."""
    seat = seat_of(match, player)
    return [] if seat is None else [list(line) for line in prepared.of_seat(session, match, seat).lines]


def _mail_in(row: Incoming) -> dict[str, Any]:
    return {
        "number": row.id,
        "received": row.received,
        "from": row.source,
        "envelope_sender": row.sender,
        "size": row.size,
        "state": row.state,
        "what_became_of_it": row.verdict,
        "acted_for_its_domain": row.proof is not None,
        "file": f"{row.id}.eml" if row.raw else None,
    }


def _mail_out(row: Outgoing) -> dict[str, Any]:
    return {
        "number": row.id,
        "message_id": row.message_id,
        "to": row.address,
        "what": row.template,
        "match": row.match,
        "turn": row.ply,
        "words": row.payload,
        "answers": row.in_reply_to,
        "suggested": row.proposal or None,
        "state": row.state,
        "owed": row.created,
        "sent": row.sent,
        "error": row.error,
    }


def _words_of(session: Session, player: Player, until: datetime) -> Iterator[dict[str, Any]]:
    own = select(Incoming.id).where(Incoming.player == player.id)
    rows = session.exec(
        select(Outgoing)
        .where(
            col(Outgoing.incoming).in_(own),
            col(Outgoing.player).is_distinct_from(player.id),
            col(Outgoing.created) <= until,
        )
        .order_by(col(Outgoing.id))
        .options(WITH_CONTENT)
    )
    for row in rows:
        if row.payload.get("message"):
            yield {"when": row.created, "match": row.match, "by": player.name, "words": row.payload["message"]}


def _words_to(sent: Iterable[Outgoing]) -> Iterator[dict[str, Any]]:
    for row in sent:
        if row.payload.get("message") and row.payload.get("by"):
            yield {"when": row.created, "match": row.match, "by": row.payload["by"], "words": row.payload["message"]}


def encloser(server: ServerSettings, exports: Sequence[ExportHook]) -> Enclose:
    """Return what encloses the data of a player with the message for that."""

    def enclose(session: Session, row: Outgoing, payload: Payload, redactor: TokenRedactor) -> AddedFiles | None:
        if not isinstance(payload, Export) or (owner := session.get(Player, row.player)) is None:
            return None
        data = gather(session, owner, row.created, redactor, exports)
        return AddedFiles(tuple(export_files(data, server, redactor)), data)

    return enclose


def export_files(data: DataExport, server: ServerSettings, redactor: TokenRedactor) -> Iterator[Attachment]:
    text = text_of("parts/held.j2", data.facts | {"server": server})
    yield Attachment(f"{data.name}.txt", "text", "plain", redactor.redact_bytes(text.encode()))
    yield Attachment(f"{data.name}.json", "application", "json", redactor.redact_bytes(data.json))
    archive, number = data.archive
    if number:
        yield Attachment(f"{data.name}-mails.zip", "application", "zip", archive)
