"""The messages: each class holds what its template in templates/ may ask for.

`outgoingcontent.payload` stores them as JSON; "template" tells which one it is.
"""

from typing import ClassVar, Literal

from notation.games import GAMES
from pbem.messages.contents.answer_sections import TurnNews
from pbem.storage.message_payload_base import News, Part, Payload, Section


class Act(Part):
    """What the admin does by mail, as they are asked about it, and told that it is done.

    `by` names the player whom it is about, and `message` is the note, which says something of them: both go when that
    player leaves.
    """

    act: Literal["close", "adjudicate", "ban", "unban", "rename", "announce"]
    by: str = ""
    address: str = ""
    who: str = ""  # the winner, or the new name
    message: tuple[str, ...] = ()
    tells: bool = False  # whether the players learn the note
    # The match
    number: int = 0
    title: str = ""
    opponent: str = ""
    turns: int = 0
    offered: bool = False  # whether it is a challenge that nobody has accepted
    # The running matches that end with a ban
    ended: int = 0
    lost: bool = False  # whether the player loses these; otherwise they have no result
    # What is announced
    subject: str = ""
    lines: tuple[str, ...] = ()
    recipients: int = 0
    per_minute: int = 0


class ActDone(Section, template="act_done"):
    act: Act


LISTED = 12  # the most games of a list that isn't about the games


class OpenSeek(Part):
    number: int
    title: str
    player: str
    options: str = ""
    begin: str = "me"
    """Who begins, as the player of the seek wrote it: me, you or random. In words it may hold their name."""
    time: str = ""
    own: bool = False  # whether it is the reader's
    ended: int = 0  # the number of matches of its player that ended lately
    lost_on_time: int = 0  # how many of them the player lost on time or left
    running: int = 0


class GameTitle(Part):
    key: str
    title: str
    summary: str = ""
    difficulty: int = 2


class Introduction(Section, template="introduction"):
    """What this is and how to join, for somebody whose message asked for nothing that a stranger can have."""

    name: str | None = None  # the name that a `yes` takes, made from the address; None where none can be
    wants_name: bool = False  # whether they want to join, but under no name that a player can have
    sentence: str = ""  # what we understood in plain sentences
    answers: tuple[str, ...] = ()  # what we say to their questions, and what we didn't understand
    rest: tuple[str, ...] = ()  # the lines that wait for the name
    language: str = "en"
    house: bool = False
    games: tuple[GameTitle, ...]


class InvitationWaiting(Section, template="waiting"):
    match: int


class Welcome(Payload, Section, template="welcome"):
    games: tuple[GameTitle, ...] = ()
    board: tuple[str, ...] = ()  # a board as our messages draw it, so that they know what to expect
    seeks: tuple[OpenSeek, ...] = ()
    house: bool = False
    plays: bool = False  # whether the player has a match already, which stands above it
    language: str = "en"
    stands_alone: ClassVar = True


def titles(most: int | None = LISTED) -> tuple[GameTitle, ...]:
    games = GAMES.games()[:most]
    return tuple(GameTitle(key=g.key, title=g.title, summary=g.summary, difficulty=g.difficulty) for g in games)


class AddressQuestion(Payload, template="address"):
    by: str
    by_thread: bool = False  # whether it was asked before, and the answer came without the token of the question


class Alert(Payload, template="alert"):
    numbers: dict[str, tuple[int, ...]]
    """Those of the messages, players and matches that need attention, by what happened to them (see alerts.KINDS)."""
    failing: tuple[str, ...] = ()  # what fails of the scheduled work, such as "time-outs 12"


class Answer(Payload, template="answer"):
    sections: tuple[Section, ...]
    subject: str  # the Subject of the answered message
    plies: dict[int, int] | None = None  # where several matches are shown: the version of each


class Manners(Part):
    """How somebody plays with others: matches of late, how many of them were lost on time or left, and usual times."""

    ended: int
    lost_on_time: int
    running: int
    pace: str = ""


class Challenge(News, template="challenge"):
    by: str
    rating: str = ""  # theirs, if the match is to be rated and they have one
    won: int = 0  # the number of the reader's matches with them that were won; below those that were lost or drawn
    lost: int = 0
    drawn: int = 0
    known: Manners | None = None  # how they play; None where they have finished no match yet


class Invitation(Payload, template="invitation"):
    message: tuple[str, ...]
    by: str


class Asking(Part):
    command: str
    match: int | None = None


class Confirmation(Payload, template="confirm"):
    lines: tuple[str, ...]
    prose: tuple[str, ...]
    joining: bool
    asking: tuple[Asking, ...]
    unclear: bool = False  # whether it was asked before, and the answer was neither a yes nor a no
    last: bool = False  # whether it isn't asked again
    by_thread: bool = False  # whether it was asked before, and the answer came without the token of the question
    unknown: str = ""  # the address in From, if the player isn't known to write from there: a yes makes it known
    answered_from: str = ""  # the same of the answer, if it was asked before: it didn't count
    more: bool = False  # whether somebody who joins has written more, which is carried out with it
    beyond: int | None = None
    """The match whose reply address the message was sent to, which covers less than the message asks for."""
    match: int | None = None  # the match of theirs that it is about, if it is one alone
    acts: tuple[Act, ...] = ()  # what the admin does with it, if it is theirs
    sentence: str = ""
    """What we understood in plain sentences: a yes carries out the lines as they are printed, and nothing else."""
    answers: tuple[str, ...] = ()  # what we say to their questions, and what we didn't understand
    language: str = "en"
    held: tuple[tuple[bool, str], ...] = ()  # what a yes carries out: the lines, and whether each is a command
    withheld: tuple[str, ...] = ()  # the lines that may be quoted, which go to nobody
    about: int | None = None  # the match that lines are about which name none
    answers_about: int | None = None  # the match of the message that it replies to
    seen: int | None = None  # the version of it that their author had seen
    seen_of: dict[int, int] | None = None  # the same if that was a message about several matches
    agreed: int | None = None  # the message of ours to whose suggestion they agree


class Deleted(Payload, template="deleted"):
    pass


class Export(Payload, template="export"):
    is_long: ClassVar = True


class OpponentLeft(News, template="left"):
    pass


class Words(News, template="message"):
    by: str


class AddressMoved(Payload, template="moved"):
    by: str


class OpponentUnreachable(Payload, template="unreachable"):
    by: str


class DigestTurn(Part):
    seat: int
    text: str


class DigestMatch(Part):
    match: int
    ply: int
    stage: str
    turns: tuple[DigestTurn, ...]
    has_board: bool
    news: tuple[News, ...]

    @property
    def begun_with(self) -> str:
        rounds = (news.tournament for news in self.news if isinstance(news, TurnNews) and self.ply == 0)
        return next((begun.title for begun in rounds if begun is not None and begun.round), "")


class WaitingMatch(Part):
    """A match without news in which it is the reader's turn."""

    match: int
    ply: int


class DigestRow(Part):
    match: int
    ply: int
    stage: str
    since: str  # the date since when it has stood as it does
    due: str = ""  # the date by which the turn is due, if there is a limit


class Digest(Payload, template="digest"):
    matches: tuple[DigestMatch, ...]
    waiting: tuple[WaitingMatch, ...] = ()
    overview: tuple[DigestRow, ...] = ()
    """All of them, where there are several: the reader's turn first, longest waiting first."""
    plies: dict[int, int] | None = None  # where several matches are shown: the version of each
    seeks: tuple[OpenSeek, ...] = ()  # some open seeks, where a reply may take one
    is_long: ClassVar = True

    @property
    def begun(self) -> str:
        """The tournament that has begun with all of these matches; nothing where there is none."""
        titles = {item.begun_with for item in self.matches}
        return titles.pop() if len(titles) == 1 else ""


class InvitationsStopped(Section, template="uninvited"):
    pass


class InvitationsAllowed(Section, template="invitable"):
    pass


class NewsStarted(Section, template="started"):
    since: str | None = None  # the day on which the player had stopped them


class NewsStopped(Section, template="stopped"):
    pass
