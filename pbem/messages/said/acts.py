"""What the admin does, as they are asked about it and told that it is done."""

from typing import ClassVar, Literal

from pbem.storage.payloads import Part, Section


class Act(Part):
    """What the admin does by mail, as they are asked about it, and told that it is done.

    In this and the classes below, `by` names the player whom it is about, and `message` is the note, which says
    something of them: both go when that player leaves (see people).
    """

    act: Literal["close", "adjudicate", "ban", "unban", "rename", "announce"]
    by: str = ""
    address: str = ""
    number: int = 0
    """The number of the match, the title of its game, and how many turns it has."""
    title: str = ""
    opponent: str = ""
    """The second player of the match."""
    turns: int = 0
    offered: bool = False
    """Whether it is a challenge that nobody has accepted."""
    who: str = ""
    """The winner, or the new name."""
    ended: int = 0
    """How many running matches end with it."""
    lost: bool = False
    """Whether the player loses these; otherwise they have no result."""
    subject: str = ""
    lines: tuple[str, ...] = ()
    """What is announced."""
    recipients: int = 0
    """To how many players, and to how many of them each minute."""
    per_minute: int = 0
    message: tuple[str, ...] = ()
    tells: bool = False
    """Whether the players learn the note."""


class ActDone(Section, template="act_done"):
    act: Act
    heading: ClassVar = "Done"
