"""What others add to a message: features their files, and what a template tells of them; the site its boards."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sqlmodel import Session

from pbem.config import ServerSettings
from pbem.matches.snapshot import Snapshot
from pbem.messages.links import ReplyTarget
from pbem.messages.mime import Attachment
from pbem.messages.token_redaction import TokenRedactor
from pbem.storage.facts import Facts
from pbem.storage.models import Match, Outgoing, Player
from pbem.storage.payloads import Payload

ExportHook = Callable[[Session, Player], Mapping[str, Any]]
"""Returns what a feature holds on a player, for their own copy of their data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    session: Session
    row: Outgoing
    payload: Payload
    known: Facts
    """The reader and the matches, as they were when the message was queued."""
    server: ServerSettings
    redactor: TokenRedactor
    exports: tuple[ExportHook, ...]
    """What all features hold on a player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    files: tuple[Attachment, ...]
    told: Any = None
    """What its template calls `held`: a description of the files."""


Enrich = Callable[[Rendering], Extra | None]
"""Returns what a feature adds to a message; None where that is nothing."""


class BoardPages(Protocol):
    def url(self, snapshot: Snapshot, player: int, epoch: int, target: ReplyTarget) -> str | None:
        """Return the URL of the page for a player of the match; None if there is none."""

    def retire(self, match: Match, player: int, epoch: int) -> None:
        """Remove the pages of a player for turns of the match that are over."""
