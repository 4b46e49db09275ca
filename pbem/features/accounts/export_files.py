"""The files of a data export, as attachments: text, JSON, and the messages themselves as a ZIP archive."""

from collections.abc import Iterator

from pbem.features.accounts.data_export import DataExport
from pbem.messages.mime import Attachment
from pbem.players.token_redaction import TokenRedactor


def export_files(held: DataExport, text: str, redactor: TokenRedactor) -> Iterator[Attachment]:
    """Yield the files; `text` is what people read."""
    yield Attachment(f"{held.name}.txt", "text", "plain", redactor.redact_bytes(text.encode()))
    yield Attachment(f"{held.name}.json", "application", "json", redactor.redact_bytes(held.json))
    archive, number = held.archive
    if number:
        yield Attachment(f"{held.name}-mails.zip", "application", "zip", archive)
