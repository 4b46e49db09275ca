"""The sections of an answer: each class holds what its template in templates/sections/ may ask for."""

from typing import ClassVar

from notation.ending import Termination
from pbem.messages.said.rounds import RoundBegun
from pbem.storage.payloads import News, Part, Payload, Section


class AddressAsked(Section, template="asked"):
    address: str
    heading: ClassVar = "Your new address"


class TurnBegun(Section, template="begun"):
    match: int
    ply: int
    part: str


class ChallengeSent(Section, template="challenged"):
    match: int
    opponent: str
    """As the sender wrote it: a name or an address."""


class ChallengeClosed(News, Section, template="closed"):
    """A challenge was declined or withdrawn: a section for the one who did it, a message for the other player.

    Or it is unanswered: a message for the challenger.
    """

    match: int
    state: str
    message: tuple[str, ...] = ()
    by: str = ""


class HeldDropped(Section, template="dropped"):
    heading: ClassVar = "Not carried out"


class QuestionExpired(Section, template="expired"):
    days: int
    heading: ClassVar = "Not carried out"


class Choice(Part):
    name: str
    choice: str


class PreferenceHelp(Part):
    name: str
    choice: str
    spelled: str
    help: str


class Preferences(Section, template="preferences"):
    changed: tuple[Choice, ...]
    rows: tuple[PreferenceHelp, ...]
    days_from: str = ""
    """From when other days count, in words, if they were chosen."""
    heading: ClassVar = "Your settings"


class AsOf(Part):
    match: int
    ply: int
    shift: int = 0
    part: str | None = None


class Refusal(Section, template="refused"):
    """A command that was not carried out: why, what would work, and how the match stands."""

    sentence: str
    read: str | None = None
    """What was read, where it helps to repeat it."""
    written: str | None = None
    """The line it was read from, where that differs."""
    at: int | None = None
    """Where the caret goes below what was read, and how broad it is."""
    width: int = 1
    fits: str = ""
    match: int | None = None
    ply: int | None = None
    part: str | None = None
    """The unfinished turn, for the player who began it."""
    own: bool = False
    """Whether the reader plays in the match."""
    meant: tuple[str, ...] = ()
    """What may have been meant."""
    proposed: bool = False
    """Whether "yes" stands for the first of these."""
    as_of: AsOf | None = None
    """Where that is a turn."""
    heading: ClassVar = "That didn't work"


class NewAddresses(Payload, Section, template="renewed"):
    """The player has new reply addresses: after a move to another address, by a command, or by the operator."""

    moved: bool = False
    by_operator: bool = False
    heading: ClassVar = "Your new addresses"


class FirstOnly(Section, template="first_only"):
    heading: ClassVar = "Your message"


class NewsResumed(Section, template="resumed"):
    heading: ClassVar = "Your news"


class Hint(Section, template="hint"):
    match: int
    ply: int
    turn: str | None = None
    """None where the house didn't find one soon enough."""


class WordsPassedOn(Section, template="said"):
    match: int
    opponent: str
    message: tuple[str, ...]


class AlreadySettled(Section, template="settled"):
    verdict: str
    heading: ClassVar = "Answered before"


class PlayedByItself(Part):
    text: str
    why: str


class TurnNews(News, Section, template="turn"):
    """How a match stands after a turn, at its beginning or at its end: a message, or a section for who brought it."""

    match: int
    ply: int
    message: tuple[str, ...] = ()
    """What the player wrote below the command."""
    by: str = ""
    termination: Termination | None = None
    """What has ended the match, where that was not the turn: then the turn is no news."""
    ran_out: bool = False
    """Whether it tells that the player to move has run out of time: then the turn is no news either."""
    reminder: bool = False
    """Whether it reminds the player to move of their turn: then the last one is no news either."""
    taken_back: tuple[str, ...] = ()
    """The turns that were just taken back: then the turn is no news either."""
    given: str = ""
    """How much time was just given: then the turn is no news either."""
    given_to: int | None = None
    """The seat of the player who has got it."""
    since: int | None = None
    """The number of the first turn that is news, where several turns were played at once."""
    by_itself: tuple[PlayedByItself, ...] = ()
    """Those of them that were played for the reader."""
    void: str | None = None
    """Why what the reader had prepared will not be played (matches.events.Void), where that is so."""
    seek: int | None = None
    """The seek of the reader that the opponent has taken, where the match has begun with it."""
    tournament: RoundBegun | None = None
    """The round of the tournament with which the match has begun, if so."""
    unrated: bool = False
    """Whether the match has begun and doesn't count, since the two have begun enough rated ones lately."""
    outlook: tuple[int, ...] = ()
    """What the players' ratings may become, by seat, if the match has ended and counts."""
    stands_alone: ClassVar = True


class NotAttempted(Section, template="unattempted"):
    """Lines behind one that was refused, or behind the last that a message can have."""

    lines: tuple[str, ...]
    most: int | None = None
    """How many commands a message can have, if that is why."""
    heading: ClassVar = "Your message"


class TurnDropped(Section, template="undone"):
    match: int
    ply: int
    dropped: str


class LastAnswer(Section, template="last_answer"):
    """The last answer of its kind for now: machines reply to every reply."""

    until: str
    heading: ClassVar = "Your message"


class NotSent(Section, template="unsent"):
    """Words that were no command and went to nobody."""

    lines: tuple[str, ...]
    matches: tuple[int, ...] = ()
    """The matches to which they may belong, if that is why; empty otherwise."""
    commands: tuple[str, ...] = ()
    """Those of them that are commands, and were not attempted because they stand below words."""
    may_be_quoted: bool = False
    """Whether that is why."""
    heading: ClassVar = "Your message"


class Overlooked(Section, template="overlooked"):
    """Lines that were taken for words although they look like turns."""

    lines: tuple[str, ...]
    heading: ClassVar = "Your message"
