"""The files of a data export, as attachments: text, JSON, and the messages themselves as a ZIP archive."""

from collections.abc import Iterator

from pbem.config import ServerSettings
from pbem.features.accounts import data_export
from pbem.features.accounts.data_export import DataExport
from pbem.messages.extras import Extra, Rendering
from pbem.messages.mime import Attachment
from pbem.messages.said.messages import Export
from pbem.messages.templating import text_of
from pbem.messages.token_redaction import TokenRedactor
from pbem.storage.models import Player


def enclosed(rendering: Rendering) -> Extra | None:
    row = rendering.row
    if not isinstance(rendering.payload, Export) or (owner := rendering.session.get(Player, row.player)) is None:
        return None
    held = data_export.gather(rendering.session, owner, row.created, rendering.redactor, rendering.exports)
    return Extra(files=tuple(export_files(held, rendering.server, rendering.redactor)), told=held)


def export_files(held: DataExport, server: ServerSettings, redactor: TokenRedactor) -> Iterator[Attachment]:
    text = text_of("parts/held.j2", held.facts | {"server": server})
    yield Attachment(f"{held.name}.txt", "text", "plain", redactor.redact_bytes(text.encode()))
    yield Attachment(f"{held.name}.json", "application", "json", redactor.redact_bytes(held.json))
    archive, number = held.archive
    if number:
        yield Attachment(f"{held.name}-mails.zip", "application", "zip", archive)
