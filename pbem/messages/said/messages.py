"""The messages: each dataclass holds what the template of its name in templates/ may ask for.

`outgoingcontent.payload` stores them as JSON; the field `template` tells which one it is.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from pbem.messages.said.acts import Act
from pbem.messages.said.sections import TurnNews
from pbem.messages.said.welcome import OpenSeek
from pbem.storage.payloads import News, Payload, Section, heading_of


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressQuestion(Payload):
    """Asks an address whether a player may have it."""

    by: str
    by_thread: bool = False
    """Whether it was asked before, and the answer came without the token of the question."""
    template: Literal["address"] = "address"
    heading: ClassVar = "Is this your address?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert(Payload):
    """Tells the admin which messages wait for them."""

    came: tuple[int, ...]
    owed: tuple[int, ...]
    listed: int
    """How many of each are listed."""
    came_count: int | None = None
    owed_count: int | None = None
    """How many of each there are, where there may be more than the numbers."""
    complained: tuple[int, ...] = ()
    """The players whose mail provider has reported a message of ours as spam since the last one."""
    lost: tuple[int, ...] = ()
    """The matches that somebody has lost on time since the last one, though messages to them had come back."""
    stuck: tuple[int, ...] = ()
    """The matches in which the house finds no turn, though it has tried three times."""
    unanalysed: tuple[int, ...] = ()
    """The matches that the house couldn't analyse since the last one, though it has tried three times."""
    unsaved: str = ""
    """Since when no backup can be made."""
    failing: tuple[str, ...] = ()
    """What fails of the scheduled work, such as "time-outs 12"."""
    used: tuple[str, ...] = ()
    """The settings of [limits] for everybody of which half is used."""
    template: Literal["alert"] = "alert"
    heading: ClassVar = "Some messages need your attention"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Payload):
    """Answers a message with some sections."""

    sections: tuple[Section, ...]
    subject: str
    """The Subject of the answered message."""
    plies: dict[int, int] | None = None
    """Where several matches are shown: the version of each."""
    template: Literal["answer"] = "answer"

    @property
    def heading(self) -> str:
        """What the Subject says where the answered message had none: what its first section is about."""
        first = self.sections[0]
        return heading_of(first) or f"Match #{getattr(first, 'match', 0)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How somebody plays with others: lately lost on time or left, the usual time for a turn, and what goes on."""

    ended: int
    lost_on_time: int
    running: int
    pace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge(News):
    """Offers a match to a player."""

    message: tuple[str, ...]
    by: str
    rating: str = ""
    """Theirs, if the match is to be rated and they have one."""
    won: int = 0
    lost: int = 0
    drawn: int = 0
    """How the reader's matches with them ended."""
    known: Manners | None = None
    """How they play; None where they have finished no match yet."""
    template: Literal["challenge"] = "challenge"


@dataclass(frozen=True, slots=True, kw_only=True)
class AllRecords(Payload):
    """Sends a player the records of their matches."""

    before: int | None = None
    """The match whose predecessors they are; None for the newest."""
    template: Literal["records"] = "records"
    is_long: ClassVar = True
    heading: ClassVar = "The records of your matches"


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation(Payload):
    """Offers a match to an address that is no player's yet."""

    message: tuple[str, ...]
    by: str
    template: Literal["invitation"] = "invitation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A command that waits for a "yes", and the match it is about."""

    command: str
    match: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation(Payload):
    """Asks whether a message was meant."""

    lines: tuple[str, ...]
    prose: tuple[str, ...]
    joining: bool
    asking: tuple[Asking, ...]
    unclear: bool = False
    """Whether it was asked before, and the answer was neither a yes nor a no."""
    last: bool = False
    """Whether it isn't asked again."""
    by_thread: bool = False
    """Whether it was asked before, and the answer came without the token of the question."""
    unknown: str = ""
    """The address in From, if the player isn't known to write from there: a yes makes it known."""
    answered_from: str = ""
    """The same of the answer, if it was asked before: it didn't count."""
    more: bool = False
    """Whether somebody who joins has written more, which is carried out with it."""
    beyond: int | None = None
    """The match whose reply address the message was sent to, which covers less than the message asks for."""
    match: int | None = None
    """The match of theirs that it is about, if it is one alone."""
    acts: tuple[Act, ...] = ()
    """What the admin does with it, if it is theirs."""
    template: Literal["confirm"] = "confirm"

    @property
    def heading(self) -> str:
        """What the Subject says."""
        return "Please confirm" if self.acts else "Was this you?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted(Payload):
    """Tells somebody that all data about them is gone."""

    template: Literal["deleted"] = "deleted"
    heading: ClassVar = "Your data has been deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Export(Payload):
    """Sends a player all data about them."""

    template: Literal["export"] = "export"
    is_long: ClassVar = True
    heading: ClassVar = "All the data we hold on you"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpponentLeft(News):
    """Tells a player that their opponent has left the server."""

    message: tuple[str, ...] = ()
    """Always empty: a digest asks all news for their words."""
    template: Literal["left"] = "left"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words(News):
    """Passes a player's words on to the opponent."""

    message: tuple[str, ...]
    by: str
    template: Literal["message"] = "message"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressMoved(Payload):
    """Tells the former address of a player that messages go elsewhere."""

    by: str
    template: Literal["moved"] = "moved"
    heading: ClassVar = "Your mail now goes elsewhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpponentUnreachable(Payload):
    """Tells a player that messages to their opponent come back."""

    by: str
    template: Literal["unreachable"] = "unreachable"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerUnreachable(Payload):
    """Tells the admin that messages to a player come back, and to how many others."""

    who: str
    by: str
    matches: tuple[int, ...]
    others: int = 0
    """How many other players can't be reached since the admin was last told."""
    told: tuple[int, ...] = ()
    """The numbers of all of them."""
    template: Literal["unreachable_admin"] = "unreachable_admin"
    heading: ClassVar = "Messages to a player keep bouncing"


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestTurn:
    """A turn that was played since."""

    seat: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestMatch:
    """A match in a digest: what happened, and how it stands."""

    match: int
    ply: int
    stage: str
    turns: tuple[DigestTurn, ...]
    has_board: bool
    news: tuple[News, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingMatch:
    """A match without news in which it is the reader's turn."""

    match: int
    ply: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestRow:
    """A line in the overview of a digest."""

    match: int
    ply: int
    stage: str
    since: str
    """The date since when it has stood as it does."""
    due: str = ""
    """The date by which the turn is due, if there is a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest(Payload):
    """Tells what has happened in one match or several."""

    matches: tuple[DigestMatch, ...]
    waiting: tuple[WaitingMatch, ...] = ()
    overview: tuple[DigestRow, ...] = ()
    """All of them, where there are several: the reader's turn first, longest waiting first."""
    plies: dict[int, int] | None = None
    """Where several matches are shown: the version of each."""
    seeks: tuple[OpenSeek, ...] = ()
    """Some open seeks, where a reply may take one."""
    template: Literal["digest"] = "digest"
    is_long: ClassVar = True

    @property
    def heading(self) -> str:
        """What the Subject says: how many matches there are, or that a tournament has begun with all of them."""
        yours = sum(item.stage == "yours" for item in self.matches) + len(self.waiting)
        begun = {_begun_with(item) for item in self.matches}
        title = begun.pop() if len(begun) == 1 else ""
        told = f"{title} has begun" if title else f"News of {len(self.matches) + len(self.waiting)} matches"
        return told + (f": your turn in {yours}" if yours else "")


def _begun_with(item: DigestMatch) -> str:
    """Return the title of the tournament that has begun with the match, if that is its news."""
    rounds = (news.tournament for news in item.news if isinstance(news, TurnNews) and item.ply == 0)
    return next((begun.title for begun in rounds if begun is not None and begun.round), "")
