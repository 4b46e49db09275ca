"""What is said of seeks."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from pbem.messages.said.welcome import OpenSeek
from pbem.storage.payloads import Payload, Section


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekList(Section):
    """A page of the open seeks."""

    rows: tuple[OpenSeek, ...]
    page: int
    next_page: str | None = None
    """How to ask for the next page; None on the last one."""
    narrowed: bool = False
    """Whether only some kind of seeks was asked for."""
    template: Literal["seeks"] = "seeks"
    heading: ClassVar = "Seeks"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekOpened(Section):
    """A seek of the reader is open."""

    seek: OpenSeek
    repeat: int
    until: str
    narrowed: bool = False
    """Whether it is only for players with some ratings."""
    reliable: bool = False
    """Whether it is only for reliable players."""
    template: Literal["seek_opened"] = "seek_opened"
    heading: ClassVar = "Your seeks"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekClosed(Section):
    """The reader has taken seeks back."""

    seeks: tuple[OpenSeek, ...]
    template: Literal["seek_closed"] = "seek_closed"
    heading: ClassVar = "Your seeks"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedSeek:
    """A seek that nobody took in time, and how to put it up again."""

    number: int
    title: str
    again: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeeksEnded(Payload):
    """Tells a player which of their seeks have ended without anybody who took them."""

    seeks: tuple[EndedSeek, ...]
    template: Literal["seeks_ended"] = "seeks_ended"
    heading: ClassVar = "Your seeks have ended"
