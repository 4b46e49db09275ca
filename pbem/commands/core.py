"""What a command is, and what it gets: the context of one mail."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlmodel import Session

from engines.core import Seat
from pbem.config import ServerSettings
from pbem.errors import Refused
from pbem.matches.queries import awaiting, locked, seat_of
from pbem.players import preferences, schedule
from pbem.players.identity import Sender, address_with
from pbem.reading.message import Message
from pbem.reading.protocol import MailParser
from pbem.storage import outbox
from pbem.storage.models import Incoming, Match, MatchState, Player
from pbem.tokens import Keyring, Purpose, Token


@dataclass(slots=True)
class Context:
    """One mail being executed: who sent it, when, and the answers it has earned so far."""

    session: Session
    server: ServerSettings
    keyring: Keyring
    parser: MailParser
    now: datetime
    incoming: Incoming
    mail: Message
    sender: Sender
    commands: "Mapping[str, Command]"
    """Every command there is, for those who explain them."""
    prose: tuple[str, ...] = ()
    """What the person wrote besides commands, for the opponent."""
    sections: list[dict[str, Any]] = field(default_factory=list)
    """The parts of the one answer to the sender: each a template's name and its words."""
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
                "This address doesn't belong to a player yet.",
                fits='Write "join NAME" to get started. The name is one word.',
            )
        return player

    @property
    def answered(self) -> tuple[str, ...]:
        """The Message-ID that a mail of ours answers; none where the mail has none."""
        return (self.mail.message_id,) if self.mail.message_id else ()

    def answer(self, template: str, **words: Any) -> None:
        """Add a section to the answer that the sender gets."""
        self.sections.append({"template": template, "words": words})

    def owe(
        self,
        template: str,
        player: Player,
        *,
        purpose: Purpose,
        match: Match | None = None,
        ply: int = 0,
        **words: Any,
    ) -> None:
        """Owe a player a mail of its own; to the sender it is a part of the one answer."""
        if self.is_sender(player):
            self.answer(template, **words, **({"match": match.id, "ply": ply} if match else {}))
            return
        is_notice = player.confirmed is not None
        outbox.owe(
            self.session,
            self.now,
            self.server.domain,
            template=template,
            address=player.address,
            words=words,
            player=player,
            purpose=purpose,
            subject=(match.id or 0) if match and purpose is Purpose.PLAY else 0,
            match=match,
            ply=ply,
            incoming=self.incoming,
            is_notice=is_notice,
            is_batched=is_notice and schedule.waits(preferences.of(player.settings), player.stopped),
        )

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
        f'I don\'t know the command "{word[:30]}".' if misspelt else "I'm not sure this line is a command.",
        read=None if misspelt else written[:60],
        fits="" if misspelt else "Write only the command, with nothing in front of it.",
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
    """The match and the sender's seat in it; raises Refused for somebody else's match."""
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


def running(match: Match) -> Match:
    """The match, where it is being played; raises Refused with how it stands instead."""
    number = match.id
    match match.state:
        case MatchState.OFFERED:
            raise Refused(f"Match #{number} hasn't started: the challenge hasn't been accepted yet.")
        case MatchState.OVER:
            raise Refused(f"Match #{number} is over.", match=number)
        case MatchState.DECLINED | MatchState.WITHDRAWN:
            raise Refused(f"Match #{number} never started: the challenge was {match.state}.")
    return match


def seats(session: Session, match: Match) -> tuple[Player, Player]:
    """The players of a match, by seat."""
    return session.get_one(Player, match.seat0), session.get_one(Player, match.seat1)


def opponent(context: Context, match: Match) -> Player:
    """The other player than the sender."""
    first, second = seats(context.session, match)
    return second if context.is_sender(first) else first
