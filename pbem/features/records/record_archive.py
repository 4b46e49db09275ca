"""The records of a player's matches in one archive, the newest first, as many as go into one message."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from sqlmodel import Session

from pbem.features.accounts.data_export import ExportedFile, packed
from pbem.matches.clock.timesheet import turn_times
from pbem.matches.queries import players_of, with_board
from pbem.matches.snapshot import texts_then, to_show
from pbem.messages import attachments
from pbem.messages.extras import Extra, Rendering
from pbem.messages.mime import Attachment
from pbem.messages.said.messages import AllRecords
from pbem.storage.models import Match, Player

MOST_MATCHES = 200
"""How many matches one archive holds: writing them takes two seconds, and other messages wait for it."""


@dataclass(frozen=True, slots=True)
class RecordArchive:
    file: Attachment
    numbers: tuple[int, ...]
    older: int


def record_archive(
    session: Session, player: Player, before: int | None, origin: str, written: datetime
) -> RecordArchive:
    """Return the records of the player's matches, of those with smaller numbers than `before` if that is given."""
    numbers = with_board(session, player, before)
    content, number = packed(_records(session, numbers[:MOST_MATCHES], origin, written))
    file = Attachment("pbem-records.zip", "application", "zip", content)
    return RecordArchive(file, tuple(numbers[:number]), len(numbers) - number)


def enclosed(rendering: Rendering) -> Extra | None:
    row, payload = rendering.row, rendering.payload
    if not isinstance(payload, AllRecords) or (owner := rendering.session.get(Player, row.player)) is None:
        return None
    held = record_archive(rendering.session, owner, payload.before, rendering.server.name, row.created)
    return Extra(files=(held.file,), told=held)


def _records(
    session: Session, numbers: list[int], origin: str, written: datetime
) -> Iterator[tuple[ExportedFile, ...]]:
    """Yield the files of each match; none of them holds an address."""
    for number in numbers:
        match = session.get_one(Match, number)
        snapshot = to_show(match, players_of(session, match), texts_then(session, match))
        times = partial(turn_times, session, match)
        files = attachments.records(snapshot, origin=origin, generated=written, times=times)
        when = match.ended or match.started or match.created
        yield tuple((file.name, when, file.content) for file in files)
