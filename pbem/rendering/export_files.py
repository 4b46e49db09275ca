"""The files of a data export, as attachments: text, JSON, and the messages themselves as a ZIP archive."""

from collections.abc import Iterator

from pbem.players.data_export import Belongings
from pbem.rendering.mime import Attachment


def export_files(held: Belongings, text: str) -> Iterator[Attachment]:
    """The files that go with the mail; `text` is what people read."""
    yield Attachment(f"{held.name}.txt", "text", "plain", text.encode())
    yield Attachment(f"{held.name}.json", "application", "json", held.json)
    archive, number = held.archive
    if number:
        yield Attachment(f"{held.name}-mails.zip", "application", "zip", archive)
