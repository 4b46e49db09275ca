"""What a command is, and what it gets: the context of one mail."""

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


@dataclass(slots=True)
class Context:
    """One mail being executed: who sent it, when, and the answers it has earned so far."""

    session: Session
    server: ServerSettings
    keyring: Keyring
    now: datetime
    incoming: Incoming
    mail: Message
    sender: Sender
    commands: "Mapping[str, Command]"
    """Every command there is, for those who explain them."""
    held: Mapping[int, Message] = field(default_factory=dict)
    """The held message that this one confirms, by its number, parsed before the transaction."""
    prose: tuple[str, ...] = ()
    """What the person wrote besides commands, for the opponent."""
    sections: list[Section] = field(default_factory=list)
    """The sections of the one answer to the sender."""
    match: int | None = None
    """The match that the last command was about."""
    prose_used: bool = False
    subject: str = ""
    """The Subject as an answer may repeat it: without a password."""
    proposal: str | None = None
    """The line that `yes` stands for in an answer to our answer."""
    moves_ahead: frozenset[int] = frozenset()
    """The matches in which a later line of the same mail moves again."""

    @property
    def player(self) -> Player:
        """The sender as a player; raises Refused for a stranger."""
        player = self.sender.player
        if player is None or player.confirmed is None:
            raise Refused(
                "This address does not belong to a player yet.",
                fits='Write "join NAME" (one word, the name you want) to begin.',
            )
        return player

    @property
    def answered(self) -> tuple[str, ...]:
        """The Message-ID that a mail of ours answers; none where the mail has none."""
        return (self.mail.message_id,) if self.mail.message_id else ()

    @property
    def mailer(self) -> Mailer:
        """What queues messages in this transaction."""
        return Mailer(self.session, self.server, self.now)

    def answer(self, section: Section) -> None:
        """Add a section to the answer that the sender gets."""
        self.sections.append(section)

    def tell(
        self, player: Player, payload: Payload, *, purpose: Purpose, match: Match | None = None, ply: int = 0
    ) -> None:
        """Queue a message to a player; for the sender it is a section of the one answer."""
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
        """Whether that player sent this mail."""
        return self.sender.player is not None and self.sender.player.id == player.id

    def personal_address(self, player: Player) -> str:
        """Where the player's fresh mails act at once."""
        return address_with(self.server, self.keyring, Token(Purpose.PERSONAL, player.id or 0), player.epoch)

    def message(self, about: int | None) -> tuple[str, ...]:
        """The person's prose, to travel with something about that match; given out once."""
        if self.prose_used or about is None:
            return ()
        self.prose_used = True
        return self.prose


@dataclass(frozen=True, slots=True)
class Command:
    """A verb: the parser, the help mail and the documents all read these attributes."""

    name: str
    arguments: str
    help: str
    run: "Callable[[Context, Line], str | None]"
    """Does it, or raises Refused; what came back is for the log, where the verb alone would not tell."""
    changes: bool = False
    """Whether it needs a proof of who sends it."""
    of_match: bool = False
    """Whether it is about one match, named or that of the mail being answered."""
    takes_turn: bool = False
    """Whether what follows is a turn of the match, which may begin with a number itself."""
    looks_back: bool = False
    """Whether a turn may be named behind the match's number, as in 42#7."""
    words: tuple[int, int] = (0, 0)
    """How few and how many words may follow (the match's number not counted)."""
    aliases: tuple[str, ...] = ()
    asks_once_more: bool = False
    """Whether even a proven mail waits until the address on file has said `yes`."""
    resumes: bool = False
    """Whether somebody who plays on with it wants to be told news again."""

    def fits(self, words: str) -> bool:
        """Whether so many words may follow; prose that happens to begin with the verb mostly does not fit."""
        fewest, most = self.words
        return fewest <= len(words.split()) <= most

    @property
    def usage(self) -> str:
        """How it is written."""
        return f"{self.name} {self.arguments}".strip()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a mail, read as a command."""

    command: Command
    words: str
    match: int | None
    text: str
    """As the person wrote it, without what stood around it, and without userid and password."""
    ply: int | None = None
    """The turn after which the match is meant, as in 42#7; None for the match as it stands."""
    misfit: bool = False
    """The verb is known, but what follows does not fit."""
    trouble: Refused | None = None
    """Why it does not fit, where the reader knows."""
    turn: int | None = None
    """The number that the turn must have, as in Rognlie's `move#7`."""


def named(commands: Mapping[str, Command], verb: str) -> Command | None:
    """The command of that name or alias."""
    verb = verb.lower()
    return commands.get(verb) or next((found for found in commands.values() if verb in found.aliases), None)


def unsure(written: str, guess: Line) -> Refused:
    """What to say to a line that is no command, with the command that it resembles."""
    word = written.split()[0].strip(".,:;!?")
    misspelt = word[:1].isalpha() and word.lower() not in (guess.command.name, *guess.command.aliases)
    named = not guess.command.of_match or guess.match is None or str(guess.match) in re.findall(r"\d+", guess.text)
    return Refused(
        f'I don\'t know the command "{word[:30]}".' if misspelt else "I am not sure that this line is a command.",
        read=None if misspelt else written[:60],
        fits="" if misspelt else "Write the command alone, without anything before it.",
        meant=(guess.text,),
        proposal=guess.text if named else f"#{guess.match} {guess.text}",
    )


def match_of(context: Context, line: Line) -> Match:
    """The match that the line is about, locked for this transaction; raises Refused."""
    if line.match is None:
        raise _which(context, line)
    match = locked(context.session, line.match)
    if match is None:
        raise Refused(f"There is no match #{line.match}.", read=line.text, fits='"games" lists yours.')
    context.match = match.id
    return match


def _which(context: Context, line: Line) -> Refused:
    """What to say to a command about a match that is not named: in which ones the sender could have meant it."""
    player, sentence = context.sender.player, "Which match? This mail does not answer one."
    yours = [match.id for match in awaiting(context.session, player)] if player else []
    if context.sender.plies:
        sentence = "Which match? The mail that you answered shows several."
    number, listed = (yours or [42])[0], " and ".join(f"#{each}" for each in yours)
    return Refused(
        sentence,
        read=line.text,
        fits=f'Put its number in front, as in "#{number} {line.text[:30]}"; '
        + (f"it is your turn in {listed}." if yours else '"games" lists yours.'),
    )


def own_match(context: Context, line: Line) -> tuple[Match, Seat]:
    """The match and the sender's seat in it; raises Refused for somebody else's match."""
    player = context.sender.player
    match = match_of(context, line)
    seat = seat_of(match, player) if player else None
    if seat is None:
        raise Refused(
            f"You do not play in match #{match.id}.",
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
            return Refused(f"Match #{number} has not begun: the challenge is not accepted yet.")
        case Obstacle.OVER:
            return Refused(f"Match #{number} is over.", match=number)
        case Obstacle.NEVER_STARTED:
            return Refused(f"Match #{number} was never played: the challenge was {state}.")
        case Obstacle.NOT_YOUR_TURN:
            sentence, fits = f"It is not your turn in match #{number}.", "You get a mail when it is."
            return Refused(sentence, read=line.words, fits=fits, match=number)
        case Obstacle.NO_PART:
            sentence = "There is no begun turn of yours to take back; a complete turn stands."
            return Refused(sentence, read=line.text, match=number)
        case Obstacle.NOT_ON_OFFER:
            sentence = f"Match #{number} is not on offer any more; it is {state}."
            return Refused(sentence, read=line.text, fits=f'"show {number}" shows it.')
        case Obstacle.OWN_OFFER:
            sentence = f"Match #{number} is your own challenge; your opponent accepts or declines it."
            return Refused(sentence, fits=f'"withdraw {number}" takes it back.')
        case Obstacle.OFFERED_TO_YOU:
            return Refused(f"Match #{number} was offered to you.", fits=f'"decline {number}" turns it down.')
        case Obstacle.YOURSELF:
            sentence, fits = "You can't challenge yourself.", "Name another player, or an address."
            return Refused(sentence, read=line.text, fits=fits)
        case Obstacle.TOO_MANY_OFFERS:
            sentence = f"{MOST_OPEN} of your challenges wait for an answer; that is the most."
            return Refused(sentence, fits='"withdraw NUMBER" takes one back.')
        case Obstacle.INVITED_ALREADY:
            sentence = "You have invited this address already."
            return Refused(sentence, fits="Wait for an answer; a second mail would be one too many.")
    raise AssertionError(f"{obstacle} is not reached by a command")


def announce(context: Context, events: Events) -> None:
    """Owe both players what these events mean to them."""
    announcements.announce(context.session, context, events)


def seats(session: Session, match: Match) -> tuple[Player, Player]:
    """The players of a match, by seat."""
    return session.get_one(Player, match.seat0), session.get_one(Player, match.seat1)


def opponent(context: Context, match: Match) -> Player:
    """The other player than the sender."""
    first, second = seats(context.session, match)
    return second if context.is_sender(first) else first
