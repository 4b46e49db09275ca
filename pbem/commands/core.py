"""Commands, the lines of a message that call them, and the context they run in."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from sqlmodel import Session

from engines.core import Seat
from pbem.config import ServerSettings
from pbem.errors import Refused
from pbem.matches.events import Events
from pbem.matches.lifecycle import MOST_OPEN, NotPossible, Obstacle
from pbem.matches.queries import awaiting, locked, seat_of
from pbem.payloads.messages import Message as Payload
from pbem.payloads.sections import ChallengeClosed, Section, TurnPlayed, Welcome
from pbem.players import announcements
from pbem.players.identity import Sender, address_with
from pbem.reading.message import Message
from pbem.storage.models import Incoming, Match, Player
from pbem.storage.outbox import Mailer
from pbem.tokens import Keyring, Purpose, Token


@dataclass(frozen=True, slots=True)
class Request:
    """A message to be handled, and what handling needs besides the database. It never changes."""

    server: ServerSettings
    keyring: Keyring
    now: datetime
    incoming: Incoming
    mail: Message
    commands: "Mapping[str, Command]"
    """Every command there is, for those that explain them."""
    held: Mapping[int, Message] = field(default_factory=dict)
    """The held message that this one confirms, by its number, parsed before the transaction."""


@dataclass(slots=True)
class Effects:
    """What handling a message brings about besides rows: all that the answer is made of."""

    sender: Sender
    """Who sent the message: commands find that out too, as when its sender leaves, or gets another address."""
    sections: list[Section] = field(default_factory=list)
    """The sections of the one answer to the sender."""
    match: int | None = None
    """The match that the last command was about."""
    subject: str = ""
    """The Subject as an answer may repeat it: without a password."""
    proposal: str | None = None
    """The line that `yes` means in an answer to our answer."""
    prose_used: bool = False
    """Whether the sender's prose already travels with something."""


@dataclass(frozen=True, slots=True)
class Context:
    """A request being handled, and its effects so far, which alone change."""

    session: Session
    request: Request
    effects: Effects
    prose: tuple[str, ...] = ()
    """What the person wrote besides commands, for the opponent."""
    moves_ahead: frozenset[int] = frozenset()
    """The matches in which a later line of the same message moves again."""

    @property
    def sender(self) -> Sender:
        """Who sent the message, by everything known so far."""
        return self.effects.sender

    @property
    def server(self) -> ServerSettings:
        """The settings of the server."""
        return self.request.server

    @property
    def now(self) -> datetime:
        """The time at which the message is handled."""
        return self.request.now

    @property
    def incoming(self) -> Incoming:
        """The row of the message."""
        return self.request.incoming

    @property
    def mail(self) -> Message:
        """The message as it was read."""
        return self.request.mail

    @property
    def commands(self) -> "Mapping[str, Command]":
        """Every command there is, for those that explain them."""
        return self.request.commands

    @property
    def player(self) -> Player:
        """Return the sender as a player; raise Refused for a stranger."""
        player = self.sender.player
        if player is None or player.confirmed is None:
            raise Refused(
                "This address doesn't belong to a player yet.",
                fits='Write "join NAME" to get started. The name is one word.',
            )
        return player

    @property
    def answered(self) -> tuple[str, ...]:
        """Return the Message-ID that our reply refers to, if there is one."""
        return (self.mail.message_id,) if self.mail.message_id else ()

    @property
    def mailer(self) -> Mailer:
        """What queues messages in this transaction."""
        return Mailer(self.session, self.server, self.now)

    def answer(self, section: Section) -> None:
        """Add a section to the reply."""
        self.effects.sections.append(section)

    def tell(
        self, player: Player, payload: Payload, *, purpose: Purpose, match: Match | None = None, ply: int = 0
    ) -> None:
        """Queue a message to a player; for the sender, add a section to the one reply instead."""
        if self.is_sender(player):
            assert isinstance(payload, TurnPlayed | Welcome | ChallengeClosed)  # noqa: S101 - nothing else is told
            self.answer(payload)
            return
        announcements.notify(
            self.session,
            self.server,
            self.now,
            player,
            payload,
            purpose=purpose,
            match=match,
            ply=ply,
            incoming=self.incoming,
        )

    def author(self) -> Player | None:
        """Return the sender, whose message this is."""
        return self.sender.player

    def is_sender(self, player: Player) -> bool:
        """Return whether that player sent this message."""
        return self.sender.player is not None and self.sender.player.id == player.id

    def personal_address(self, player: Player) -> str:
        """Return the address at which the player's new messages take effect at once."""
        return address_with(self.server, self.request.keyring, Token(Purpose.PERSONAL, player.id or 0), player.epoch)

    def message(self, about: int | None) -> tuple[str, ...]:
        """Return the prose, to be sent along with something about that match; only the first call gets it."""
        if self.effects.prose_used or about is None:
            return ()
        self.effects.prose_used = True
        return self.prose


@dataclass(frozen=True, slots=True)
class Command:
    """A command. The parser, the help message and the documents all use these attributes."""

    name: str
    arguments: str
    help: str
    run: "Callable[[Context, Line], str | None]"
    """Runs the command or raises Refused; returns what to log if the name alone doesn't tell."""
    changes: bool = False
    """Whether it needs proof of who sent it."""
    of_match: bool = False
    """Whether it applies to one match: the named one, or that of the message replied to."""
    takes_turn: bool = False
    """Whether a turn follows, which may itself start with a number."""
    looks_back: bool = False
    """Whether the match's number may be followed by a turn, as in 42#7."""
    words: tuple[int, int] = (0, 0)
    """How many words may follow, at least and at most, not counting the match's number."""
    aliases: tuple[str, ...] = ()
    asks_once_more: bool = False
    """Whether even a proven message waits for a `yes` from the address on file."""
    resumes: bool = False
    """Whether it resumes news for a player who had stopped them."""

    def fits(self, words: str) -> bool:
        """Return whether that many words may follow; prose that starts with the command's name mostly doesn't fit."""
        fewest, most = self.words
        return fewest <= len(words.split()) <= most

    @property
    def usage(self) -> str:
        """Return how to write it."""
        return f"{self.name} {self.arguments}".strip()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a message, read as a command."""

    command: Command
    words: str
    match: int | None
    text: str
    """As the person wrote it, without courtesies, userid and password."""
    ply: int | None = None
    """The turn after which to show the match, as in 42#7; None for its current state."""
    misfit: bool = False
    """Whether the command is known but its arguments don't fit."""
    trouble: Refused | None = None
    """Why they don't fit, if the reader knows."""
    turn: int | None = None
    """The number that the turn must have, as in Rognlie's `move#7`."""


def named(commands: Mapping[str, Command], verb: str) -> Command | None:
    """Return the command with that name or alias."""
    verb = verb.lower()
    return commands.get(verb) or next((found for found in commands.values() if verb in found.aliases), None)


def unsure(written: str, guess: Line) -> Refused:
    """Return the refusal of a line that isn't a command, suggesting the one it resembles."""
    word = written.split()[0].strip(".,:;!?")
    misspelt = word[:1].isalpha() and word.lower() not in (guess.command.name, *guess.command.aliases)
    named = not guess.command.of_match or guess.match is None or str(guess.match) in re.findall(r"\d+", guess.text)
    return Refused(
        f'I don\'t know the command "{word[:30]}".' if misspelt else "I'm not sure this line is a command.",
        read=None if misspelt else written[:60],
        fits="" if misspelt else "Write only the command, with nothing in front of it.",
        meant=(guess.text,),
        proposal=guess.text if named else f"#{guess.match} {guess.text}",
    )


def match_of(context: Context, line: Line) -> Match:
    """Return the match of the line, locked for this transaction; raise Refused."""
    if line.match is None:
        raise _which(context, line)
    match = locked(context.session, line.match)
    if match is None:
        raise Refused(f"There is no match #{line.match}.", read=line.text, fits='"games" lists yours.')
    context.effects.match = match.id
    return match


def _which(context: Context, line: Line) -> Refused:
    """Return the refusal of a command that doesn't name its match, with the matches it could mean."""
    player, sentence = context.sender.player, "Which match? This message isn't a reply about one."
    yours = [match.id for match in awaiting(context.session, player)] if player else []
    if context.sender.plies:
        sentence = "Which match? The message you replied to shows several."
    number, listed = (yours or [42])[0], " and ".join(f"#{each}" for each in yours)
    return Refused(
        sentence,
        read=line.text,
        fits=f'Put its number in front, as in "#{number} {line.text[:30]}"; '
        + (f"it's your turn in {listed}." if yours else '"games" lists yours.'),
    )


def own_match(context: Context, line: Line) -> tuple[Match, Seat]:
    """Return the match and the sender's seat; raise Refused for other people's matches."""
    player = context.sender.player
    match = match_of(context, line)
    seat = seat_of(match, player) if player else None
    if seat is None:
        raise Refused(
            f"You don't play in match #{match.id}.",
            read=line.text,
            fits='"games" lists the matches you play in.',
        )
    return match, seat


@contextmanager
def in_words(line: Line) -> Iterator[None]:
    """Raise Refused, with words for the person who wrote the line, in place of NotPossible."""
    try:
        yield
    except NotPossible as impossible:
        raise _refusal(impossible.obstacle, impossible.match, line) from impossible


def _refusal(obstacle: Obstacle, match: Match | None, line: Line) -> Refused:
    number, state = (match.id, match.state) if match else (None, "")
    match obstacle:
        case Obstacle.NOT_STARTED:
            return Refused(f"Match #{number} hasn't started: the challenge hasn't been accepted yet.")
        case Obstacle.OVER:
            return Refused(f"Match #{number} is over.", match=number)
        case Obstacle.NEVER_STARTED:
            return Refused(f"Match #{number} never started: the challenge was {state}.")
        case Obstacle.NOT_YOUR_TURN:
            sentence, fits = f"It's not your turn in match #{number}.", "Wait until we write that it's your turn."
            return Refused(sentence, read=line.words, fits=fits, match=number)
        case Obstacle.NO_PART:
            sentence = "You have no unfinished turn to take back. A complete turn can't be undone."
            return Refused(sentence, read=line.text, match=number)
        case Obstacle.NOT_ON_OFFER:
            sentence = f"Match #{number} is no longer open; it is {state}."
            return Refused(sentence, read=line.text, fits=f'"show {number}" shows it.')
        case Obstacle.OWN_OFFER:
            sentence = f"Match #{number} is your own challenge; your opponent has to accept it."
            return Refused(sentence, fits=f'"withdraw {number}" takes it back.')
        case Obstacle.OFFERED_TO_YOU:
            return Refused(f"Match #{number} is a challenge to you.", fits=f'"decline {number}" turns it down.')
        case Obstacle.YOURSELF:
            sentence, fits = "You can't challenge yourself.", "Name another player, or an email address."
            return Refused(sentence, read=line.text, fits=fits)
        case Obstacle.TOO_MANY_OFFERS:
            sentence = f"{MOST_OPEN} of your challenges are still open, and that's the limit."
            return Refused(sentence, fits='"withdraw NUMBER" takes one back.')
        case Obstacle.INVITED_ALREADY:
            sentence = "You've already invited this address."
            return Refused(sentence, fits="Please wait for a reply; we won't write to them twice.")
    raise AssertionError(f"{obstacle} is not reached by a command")


def announce(context: Context, events: Events) -> None:
    """Owe both players what these events mean to them."""
    announcements.announce(context.session, context, events)


def seats(session: Session, match: Match) -> tuple[Player, Player]:
    """Return the players of a match by seat."""
    return session.get_one(Player, match.seat0), session.get_one(Player, match.seat1)


def opponent(context: Context, match: Match) -> Player:
    """Return the opponent of the sender."""
    first, second = seats(context.session, match)
    return second if context.is_sender(first) else first
