"""The sections of an answer: each class holds what its template in templates/sections/ may ask for."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal

from notation.ending import Termination
from pbem.storage.message_payload_base import News, Part, Payload, Section


class CrosstableRow(Part):
    number: int
    place: int
    player: str
    cells: tuple[str, ...]
    points: str
    breaks: tuple[str, ...]
    own: bool = False
    out: bool = False  # whether they have withdrawn


class Crosstable(Part):
    heads: tuple[str, ...]
    breaks: tuple[str, ...]
    rows: tuple[CrosstableRow, ...]
    by_round: bool  # whether a column is a round; in a round robin, it is an opponent
    width: int  # the number of columns of a cell
    missing: int = 0  # the number of rows that are left out


class RoundBegun(Part):
    """The round or rung of a tournament with which a match begins."""

    number: int
    title: str
    round: int = 0
    rounds: int = 0
    game: int = 1  # 2 if the same two have drawn their first match of the round
    table: Crosstable | None = None
    rung: int = 0  # on a ladder, that of the challenger; 0 elsewhere
    wanted: int = 0  # on a ladder, that of the challenged player
    is_own: bool = False  # whether the reader is the challenger


class Away(News, template="away"):
    """The opponent is on vacation."""

    match: int
    ply: int
    by: str
    until: datetime


@dataclass(frozen=True, slots=True)
class OfferShown:
    """An open offer as templates show it: what is offered, by whom, and the turns that would be taken back."""

    kind: str
    by: str
    yours: bool
    turns: tuple[str, ...]
    until: str  # when a pause would end by itself, in words; empty if it wouldn't


class OfferNews(News, Section, template="offer"):
    """An offer in a running match was made, answered or withdrawn: a message, or a section for the one who did it."""

    match: int
    ply: int
    kind: str  # what is offered: draw, undo, pause or cancel
    change: str  # what became of it: made, accepted, rejected, withdrawn, or (a pause) resumed or over
    by: str


class Muted(Section, template="muted"):
    """Offers and notes of the opponent in a match are refused from now on, or accepted again."""

    match: int
    opponent: str
    muted: bool


class Branch(Part):
    match: int
    ply: int  # the number of turns before it
    turns: tuple[str, ...]  # the turns on the way, the opponent's first; none where any turn is answered
    otherwise: str | None = None
    """The turn that is played in reply to any other than the opponent's named ones, at the end."""
    resigns: bool = False


class PreparedTurns(Section, template="prepared"):
    """What the player has prepared in a match, all of it; or that they have just dropped it."""

    match: int
    ply: int
    branches: tuple[Branch, ...]
    change: Literal["kept", "listed", "dropped"]


class TurnTakenBack(Part):
    number: int
    by: str
    text: str
    when: str


class TurnTimeShown(Part):
    number: int
    by: str
    text: str
    when: str
    used: str = ""


class Preview(Section, template="previewed"):
    match: int
    ply: int  # the number of turns before it
    now: int  # the number of turns of the match
    past: bool  # whether the reader named the turn after which it begins
    playable: bool  # whether the reader may play the first of the turns now
    kept: bool  # whether the part was kept before, and need not be written again
    turns: tuple[str, ...]
    part: str | None = None
    chosen: str  # what is chosen of one more turn, beyond a part that can stand by itself


class MatchThen(Section, template="stood"):
    match: int
    ply: int
    now: int
    past: bool = True


class AddressAsked(Section, template="asked"):
    address: str


class TurnBegun(Section, template="begun"):
    match: int
    ply: int
    part: str


class ChallengeSent(Section, template="challenged"):
    match: int
    opponent: str  # as the sender wrote it: a name or an address


class ChallengeClosed(News, Section, template="closed"):
    """A challenge was declined, withdrawn or not answered: a section for who did it, a message for the other player."""

    match: int
    state: str
    by: str = ""


class HeldDropped(Section, template="dropped"):
    pass


class QuestionExpired(Section, template="expired"):
    days: int


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
    days_from: str = ""  # when other days begin to count, in words, if they were chosen


class AsOf(Part):
    match: int
    ply: int
    shift: int = 0
    part: str | None = None


class Refusal(Section, template="refused"):
    """A command that was not carried out: why, what would work, and how the match stands."""

    sentence: str
    read: str | None = None  # what was read, where it helps to repeat it
    written: str | None = None  # the line it was read from, where that differs
    at: int | None = None
    width: int = 1
    fits: str = ""
    match: int | None = None
    ply: int | None = None
    part: str | None = None  # the unfinished turn, for the player who began it
    own: bool = False  # whether the reader plays in the match
    meant: tuple[str, ...] = ()
    proposed: bool = False  # whether "yes" stands for the first that may be meant
    as_of: AsOf | None = None  # the position at which that is a turn
    wish: bool = False  # whether it answers a wish in plain sentences: nothing went wrong


class NewAddresses(Payload, Section, template="renewed"):
    """The player has new reply addresses: after a move to another address, by a command, or by the operator."""

    moved: bool = False
    by_operator: bool = False


class FirstOnly(Section, template="first_only"):
    pass


class NewsResumed(Section, template="resumed"):
    pass


class Hint(Section, template="hint"):
    match: int
    ply: int
    turn: str | None = None  # none where the house didn't find one soon enough


class WordsPassedOn(Section, template="said"):
    match: int
    opponent: str
    message: tuple[str, ...]


class AlreadySettled(Section, template="settled"):
    verdict: str


class PlayedByItself(Part):
    text: str
    why: str


class TurnNews(News, Section, template="turn"):
    """How a match stands after a turn, at its beginning or at its end: a message, or a section for who brought it."""

    match: int
    ply: int
    by: str = ""
    # With any of these, the turn itself is no news.
    termination: Termination | None = None  # what has ended the match, where that was not the turn
    ran_out: bool = False  # whether the player to move has run out of time
    reminder: bool = False
    taken_back: tuple[str, ...] = ()
    given: str = ""  # the time that was just given
    given_to: int | None = None  # the seat of the player who has got it

    since: int | None = None  # the number of the first turn that is news, where several turns were played at once
    by_itself: tuple[PlayedByItself, ...] = ()  # those of them that were played for the reader
    void: str | None = None  # why what the reader had prepared will not be played (matches.events.Void)
    seek: int | None = None  # the reader's seek that the opponent has taken to begin the match
    tournament: RoundBegun | None = None
    unrated: bool = False
    """Whether the match has begun and doesn't count, since the two have begun enough rated ones lately."""
    outlook: tuple[int, ...] = ()  # what the players' ratings may become, by seat, if the match has ended and counts
    stands_alone: ClassVar = True


class NotAttempted(Section, template="unattempted"):
    """Lines behind one that was refused, or behind the last that a message can have."""

    lines: tuple[str, ...]
    most: int | None = None  # the number of commands that a message can have, if it had more


class TurnDropped(Section, template="undone"):
    match: int
    ply: int
    dropped: str


class LastAnswer(Section, template="last_answer"):
    """The last answer of its kind for now: machines reply to every reply."""

    until: str


class NotSent(Section, template="unsent"):
    """Words that were no command and went to nobody."""

    lines: tuple[str, ...]
    matches: tuple[int, ...] = ()  # the matches to which they may belong, if that is why
    may_be_quoted: bool = False


class SentElsewhere(Section, template="sent_elsewhere"):
    """The message went to the reply addresses of other matches as well, where nothing was done."""

    matches: tuple[int, ...]


class Overlooked(Section, template="overlooked"):
    """Lines that were taken for words although they look like turns."""

    lines: tuple[str, ...]


MOST_LINES = 10


WIDEST = 300


def clipped(lines: tuple[str, ...], most: int = MOST_LINES) -> tuple[str, ...]:
    """Return the beginning of what somebody wrote, for a message that may go to somebody else.

    >>> clipped(("short",)), len(clipped(("line",) * 100))
    (('short',), 11)
    """
    kept = tuple(line if len(line) <= WIDEST else f"{line[:WIDEST]} ..." for line in lines[:most])
    return kept if len(lines) <= most else (*kept, f"... and {len(lines) - most} more lines")
