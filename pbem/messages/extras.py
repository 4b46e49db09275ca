"""What features add to a message: files, and what a template tells of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session

from pbem.config import ServerSettings
from pbem.messages.attachments import Origin
from pbem.messages.mime import Attachment
from pbem.messages.token_redaction import TokenRedactor
from pbem.storage.facts import Facts
from pbem.storage.models import Outgoing, Player
from pbem.storage.payloads import Payload

ExportHook = Callable[[Session, Player], Mapping[str, Any]]
"""Returns what a feature holds on a player, for their own copy of their data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """A message that is rendered."""

    session: Session
    row: Outgoing
    payload: Payload
    known: Facts
    """The reader and the matches, as they were when the message was queued."""
    server: ServerSettings
    origin: Origin
    redactor: TokenRedactor
    exports: tuple[ExportHook, ...]
    """What all features hold on a player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """What a feature adds to a message."""

    files: tuple[Attachment, ...]
    told: Any = None
    """What its template calls `held`: a description of the files."""


Enrich = Callable[[Rendering], Extra | None]
"""Returns what a feature adds to a message; None where that is nothing."""
