"""What is said of seeks."""

from pbem.messages.said.messages import OpenSeek
from pbem.storage.payloads import Listing, Part, Payload, Section


class SeekList(Listing, template="seeks"):
    rows: tuple[OpenSeek, ...]
    narrowed: bool = False
    """Whether only some kind of seeks was asked for."""


class SeekOpened(Section, template="seek_opened"):
    seek: OpenSeek
    repeat: int
    until: str
    narrowed: bool = False
    """Whether it is only for players with some ratings."""
    reliable: bool = False
    """Whether it is only for reliable players."""


class SeekClosed(Section, template="seek_closed"):
    seeks: tuple[OpenSeek, ...]


class EndedSeek(Part):
    number: int
    title: str
    again: str


class SeeksEnded(Payload, template="seeks_ended"):
    seeks: tuple[EndedSeek, ...]
