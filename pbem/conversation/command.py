"""A command, the line that calls it, what it is asked and what it decides.

A command takes a `Request` and a `Line`. It writes the rows of matches and players through their domains, and returns
a `Decision`. It has no other effect: `pbem.conversation.reply` turns decisions into messages and the reply.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, Flag, auto
from functools import cached_property
from typing import TYPE_CHECKING

from sqlmodel import Session

from pbem.config import HouseSettings, LimitsSettings, ServerSettings
from pbem.conversation.syntax.arguments import CONDITION, MATCH, MATCH_THEN, Given, Grammar
from pbem.errors import Refused, Silence, Unanswerable
from pbem.mail.reading.message import Message
from pbem.matches.events import Events
from pbem.players.queue_match_news import Notice
from pbem.players.sender_identity import Sender
from pbem.storage.mailer import UNCAUSED, Cause
from pbem.storage.message_payload_base import Payload, Section
from pbem.storage.models import Incoming, Match, Player, Standing
from pbem.tokens import Keyring, Purpose

if TYPE_CHECKING:
    from pbem.conversation.feature import Features

NO_PLAYER = "This address doesn't belong to a player yet."


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked: by whom, with what proof, in which message, and the transaction in which to decide it."""

    session: Session
    server: ServerSettings
    keyring: Keyring
    now: datetime  # when the message is handled
    incoming: Incoming
    message: Message
    sender: Sender
    features: "Features"
    limits: LimitsSettings
    house: HouseSettings = field(default_factory=HouseSettings)
    stored_bytes: int = 0  # how much of the message is stored: less than its size where it was too large
    language: str = ""  # the language of the message that this one confirms, if it does
    prose: tuple[str, ...] = ()  # the text for the opponent below the commands, unless an earlier command has used it
    operator: str = ""  # the user at the command line who asks for it; empty for a message
    is_trial: bool = False  # whether it is only tried, to be asked about, and undone
    is_half_used: bool | None = None  # whether half of the answers to strangers is, if one writes
    later: "tuple[Line, ...]" = ()  # the lines of the same message below the one that is carried out

    @property
    def player(self) -> Player:
        """The sender as a player; raises Refused for a stranger."""
        player = self.sender.player
        if player is None or player.confirmed is None:
            raise Refused(NO_PLAYER, fits='Write "join NAME" to get started. The name is one word.')
        return player

    def on_file(self) -> Player:
        """Return the row of the sender, which is made for a stranger."""
        if self.sender.player is not None:
            return self.sender.player
        player = Player(address=self.sender.address, created=self.now)
        self.session.add(player)
        self.session.flush()
        return player

    def cause(self, standing: Standing | None = None, gist: str | None = None) -> Cause:
        """Return the message as the cause of another, which replies to it."""
        return Cause(self.incoming, (self.message.message_id,) if self.message.message_id else (), standing, gist)

    def check_left(self) -> None:
        """Raise Unanswerable if half of today's answers are used: the others are for those who know what they want."""
        if self.is_half_used:
            raise Unanswerable(Silence.DAILY_ANSWERS_TO_STRANGERS)

    @property
    def commands(self) -> "Commands":
        is_admin = bool(self.operator) or self.server.is_admin(self.sender.address)
        return self.features.all_commands if is_admin else self.features.commands

    def is_from(self, player: Player) -> bool:
        return self.sender.player is not None and self.sender.player.id == player.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A message of a command's own: to a player, to an address, or to the address that a player wants to use."""

    payload: Payload
    player: Player | None = None
    address: str = ""  # where it isn't the player's
    purpose: Purpose = Purpose.PERSONAL  # what an answer to it allows
    match: Match | None = None
    token_subject: int = 0
    cause: Cause = UNCAUSED


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a command decided. Its rows are written; these are the messages that follow from it."""

    answer: tuple[Section, ...] = ()  # what the sender is told
    events: Events = ()  # what happened in a match, which both players are told
    below: tuple[Section, ...] = ()  # what the sender is told below that
    covers: "tuple[Line, ...]" = ()  # the later lines of the message that are carried out with this one
    messages: tuple[Notice | Letter, ...] = ()  # the other messages to be sent
    takes_prose: bool = False
    """Whether the sender's prose is part of this already; otherwise it goes with the news of the events."""
    leaves: bool = False  # whether the sender is gone: they are told nothing more, and are a stranger from now on
    log: str = ""  # what to log if the name of the command doesn't tell


class Reach(Enum):
    """Where a command takes effect at once; each value is the phrase for the documents."""

    ANYWHERE = "at once"
    MATCH = "at once, in that match"
    OPPONENT = "at once, if it goes to the opponent of that match"
    GUEST = "at once, for someone who isn't a player yet"
    NOWHERE = "after a `yes`"


class Role(Flag):
    """What a command is in a message and in a match, beside what it does."""

    NONE = 0
    PLAYS = auto()  # it plays a turn, so that a turn alone means it
    GOES_WITH_TURN = auto()  # it is carried out behind the turns of its message, wherever it stands
    ANSWERS = auto()  # it accepts or declines what was offered
    CHALLENGES = auto()  # it offers a match, to whose opponent the words below it go
    RESUMES = auto()  # it resumes news for a player who had stopped them


class Who(Flag):
    """Who can write a command, beside players."""

    PLAYERS = 0
    GUESTS = auto()  # people who have proven their address, and aren't players yet
    CLOSED = auto()  # players whose account the operator has closed
    ADMIN = auto()  # only the admin: for anybody else it is no command at all


BOARD = 100
"""What a board costs to show, in turns to replay or lines to list: as measured, one takes up to half a millisecond."""
PAGE = 50  # what an answer costs that shows no board


class Group(Enum):
    """Under which heading help lists a command: that is the value, and the name is the word after `help`."""

    CHALLENGES = "How a match begins"
    TURNS = "In a match"
    BOARDS = "Boards, records, and what others play"
    CONTESTS = "Tournaments, ladders and ratings"
    PLAYERS = "Players"
    ACCOUNT = "Your mail and your account"
    EXPLANATIONS = "Explanations"
    MODERATION = "What only the admin can write"

    @property
    def word(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Command:
    """A command. The parser, the help message and the documents all use these attributes."""

    name: str
    grammar: Grammar  # what follows the name
    help: str  # what it does, in at most ten words, and behind a semicolon or a colon what else there is to say
    run: "Callable[[Request, Line], Decision]"
    """Carries the command out and returns what follows; raises Refused, or NotPossible, which `execute` rewords."""
    keywords: str = ""  # the words under which help finds it, besides its names
    changes: bool = True  # whether it changes something
    asks: "bool | Callable[[Request, Line], bool]" = False
    """Whether even a proven message waits for a `yes` from the address on file: it ends a match or an account."""
    aliases: tuple[str, ...] = ()
    by_match: Reach | None = None
    """Where it takes effect at once with a token of a match; None: in that match, if it is about one."""
    to_opponent: "Callable[[Request, Line], bool] | None" = None
    """Returns whether it goes to nobody but the opponent in the sender's match, for Reach.OPPONENT."""
    answers_news: bool = False  # whether news of other people's matches, or an invitation, can be answered with it
    open_to: Who = Who.PLAYERS
    for_stranger: "Callable[[Request, Line], Line | None] | None" = None
    """Returns the line in our own words if a stranger can write it; None if not; raises Refused for unknown words."""
    newcomer_rank: int = 0  # in which place it makes somebody a player, among several that do; 0 if it doesn't
    role: Role = Role.NONE
    own_cost: int | None = None
    """What it costs to answer besides the turns of its match; None: nothing if it changes something, else a board."""

    @property
    def is_large(self) -> bool:
        """Whether its answer is too large for an address that may be a victim's."""
        return not self.changes and (self.own_cost or 0) > BOARD

    @property
    def of_match(self) -> bool:
        """Whether it applies to one match: the named one, or that of the message replied to."""
        return self.grammar.has(MATCH, MATCH_THEN, CONDITION)

    @property
    def takes_name(self) -> bool:
        """Whether the name of a player or a game follows it."""
        return not self.of_match and re.search("NAME|PLAYER|GAME", self.grammar.usage) is not None

    @property
    def plays(self) -> bool:
        return Role.PLAYS in self.role

    @property
    def brief(self) -> str:
        return re.split("[;:]", self.help, maxsplit=1)[0]

    @property
    def of_admin(self) -> bool:
        return Who.ADMIN in self.open_to

    def reach(self, purpose: Purpose) -> Reach:
        """People forward messages and reply to all of us at once, so the token of a match serves that match."""
        match purpose:
            case Purpose.PERSONAL:
                return Reach.NOWHERE if self.of_admin else Reach.ANYWHERE
            case Purpose.PLAY:
                return self.by_match or (Reach.MATCH if self.of_match else Reach.NOWHERE)
            case Purpose.NOTICES:
                return Reach.ANYWHERE if self.answers_news else Reach.NOWHERE
        return Reach.NOWHERE

    @property
    def usage(self) -> str:
        return f"{self.name} {self.grammar.usage}".strip()

    @property
    def advice(self) -> str:
        return f'Write it like this: "{self.usage}".'


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a message, read as a command."""

    command: Command
    words: str
    match: int | None
    text: str  # as the person wrote it, without courtesies, userid and password
    ply: int | None = None  # the turn after which to show the match, as in 42#7; None for its current state
    malformed: bool = False  # whether the command is known but its arguments don't fit
    refusal: Refused | None = None  # why they don't fit, if the reader knows
    turn_number: int | None = None  # the number that the turn must have, as in Rognlie's `move#7`

    @property
    def given(self) -> Given:
        """What the words say, by the command's grammar."""
        return self.command.grammar.read(self.words)

    def misfit(self) -> Refused:
        return self.given.misfit(self.command.name, self.command.advice, self.text)

    def ends(self, request: Request) -> bool:
        """Return whether it would end a match or an account, which even a proven message has to confirm."""
        asks = self.command.asks
        return asks if isinstance(asks, bool) else asks(request, self)


class Commands(dict[str, Command]):
    """Commands by name, in the order in which help lists them."""

    def __init__(self, commands: Iterable[Command]) -> None:
        super().__init__((command.name, command) for command in commands)

    def named(self, verb: str) -> Command | None:
        return self.get(self._names.get(verb.lower(), ""))

    @cached_property
    def verbs(self) -> frozenset[str]:
        return frozenset(self._names)

    @cached_property
    def move(self) -> Command:
        return next(command for command in self.values() if command.plays)

    @cached_property
    def _names(self) -> dict[str, str]:
        found = {name: name for name in self}
        for name, command in self.items():
            for alias in command.aliases:
                found.setdefault(alias, name)
        return found
