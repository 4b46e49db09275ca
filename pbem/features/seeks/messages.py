"""What is said of seeks."""

from typing import ClassVar

from pbem.messages.said.welcome import OpenSeek
from pbem.storage.payloads import Listing, Part, Payload, Section


class SeekList(Listing, template="seeks"):
    """A page of the open seeks."""

    rows: tuple[OpenSeek, ...]
    narrowed: bool = False
    """Whether only some kind of seeks was asked for."""
    heading: ClassVar = "Seeks"


class SeekOpened(Section, template="seek_opened"):
    """A seek of the reader is open."""

    seek: OpenSeek
    repeat: int
    until: str
    narrowed: bool = False
    """Whether it is only for players with some ratings."""
    reliable: bool = False
    """Whether it is only for reliable players."""
    heading: ClassVar = "Your seeks"


class SeekClosed(Section, template="seek_closed"):
    """The reader has taken seeks back."""

    seeks: tuple[OpenSeek, ...]
    heading: ClassVar = "Your seeks"


class EndedSeek(Part):
    """A seek that nobody took in time, and how to put it up again."""

    number: int
    title: str
    again: str


class SeeksEnded(Payload, template="seeks_ended"):
    """Tells a player which of their seeks have ended without anybody who took them."""

    seeks: tuple[EndedSeek, ...]
    heading: ClassVar = "Your seeks have ended"
