"""What people are told of the events in a match: the one place where events become owed messages."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlmodel import Session

from notation.ending import Termination
from pbem.config import ServerSettings
from pbem.matches.events import (
    Event,
    MatchEnded,
    MatchOffered,
    MatchStarted,
    OfferDeclined,
    OfferWithdrawn,
    PartKept,
    PartTakenBack,
    TurnPlayed,
)
from pbem.matches.naming import name, shown
from pbem.payloads import sections
from pbem.payloads.messages import Challenge, Invitation, Message, OpponentLeft
from pbem.players import preferences, schedule
from pbem.storage.models import Incoming, Match, Player
from pbem.storage.outbox import Mailer
from pbem.tokens import Purpose


class Messenger(Protocol):
    """Owes messages about what somebody did by mail, or about what happened by itself."""

    def author(self) -> Player | None:
        """Return the player whose message made it happen; None where none did."""

    def tell(
        self, player: Player, payload: Message, *, purpose: Purpose, match: Match | None = None, ply: int = 0
    ) -> None:
        """Queue a message to the player; for the author it becomes a section of the answer."""

    def message(self, about: int | None) -> tuple[str, ...]:
        """Return the author's words that travel with news of that match. They are given out once."""


@dataclass(frozen=True, slots=True)
class Unprompted:
    """The messenger for what nobody's message brought about, and for what its author is told in another way."""

    session: Session
    server: ServerSettings
    now: datetime

    def author(self) -> None:
        """Return None."""

    def tell(
        self, player: Player, payload: Message, *, purpose: Purpose, match: Match | None = None, ply: int = 0
    ) -> None:
        """Queue a message to the player."""
        notify(self.session, self.server, self.now, player, payload, purpose=purpose, match=match, ply=ply)

    def message(self, about: int | None) -> tuple[str, ...]:
        """Return nothing: nobody said anything."""
        return ()


def notify(
    session: Session,
    server: ServerSettings,
    now: datetime,
    player: Player,
    payload: Message,
    *,
    purpose: Purpose,
    match: Match | None = None,
    ply: int = 0,
    incoming: Incoming | None = None,
) -> None:
    """Owe a player news: at once, or together with others where the player wants that."""
    is_notice = player.confirmed is not None
    if player.stopped is not None:  # unless another daemon is just handling their "start"
        session.flush()
        session.refresh(player, with_for_update={"read": True})
    Mailer(session, server, now).to_player(
        player,
        payload,
        purpose=purpose,
        match=match,
        ply=ply,
        incoming=incoming,
        is_notice=is_notice,
        is_batched=is_notice and schedule.waits(preferences.of(player.settings), player.stopped),
    )


def announce(session: Session, messenger: Messenger, events: Iterable[Event]) -> None:
    """Owe everybody concerned the messages about these events, in their order."""
    for event in events:
        players = (session.get_one(Player, event.match.seat0), session.get_one(Player, event.match.seat1))
        match event:
            case MatchOffered(match):
                _offer(messenger, match, players)
            case MatchStarted(match) | TurnPlayed(match):
                _show(messenger, match, players)
            case OfferDeclined(match, left) | OfferWithdrawn(match, left):
                _closed(messenger, match, players, left=left)
            case MatchEnded(match, ending) if ending.termination is Termination.LEFT:
                _left(messenger, match, players)
            case MatchEnded(match, ending) if ending.termination is not Termination.RULES:
                _show(messenger, match, players, resigned=True)  # or otherwise: the last turn is no news
            case MatchEnded() | PartKept() | PartTakenBack():
                pass  # the message about the last turn tells how the rules ended it; a begun turn is its player's own


def _offer(messenger: Messenger, match: Match, players: tuple[Player, Player]) -> None:
    first, second = players
    challenger, other = (first, second) if first.id == match.challenger else (second, first)
    kind = Challenge if other.confirmed else Invitation
    payload = kind(message=messenger.message(match.id), by=name(challenger))
    messenger.tell(other, payload, purpose=Purpose.PLAY, match=match)


def _show(messenger: Messenger, match: Match, players: tuple[Player, Player], *, resigned: bool = False) -> None:
    """Owe both players the message that shows the match as it is now."""
    message, author = messenger.message(match.id), messenger.author()
    by = name(author) if message and author else ""
    for player in players:
        payload = sections.TurnPlayed(match=match.id or 0, ply=match.plies, message=message, by=by, resigned=resigned)
        messenger.tell(player, payload, purpose=Purpose.PLAY, match=match, ply=match.plies)


def _closed(messenger: Messenger, match: Match, players: tuple[Player, Player], *, left: bool) -> None:
    if left:
        _left(messenger, match, players)
        return
    author = messenger.author()
    for player in players:
        is_author = author is not None and player.id == author.id
        if is_author or player.confirmed:
            payload = sections.ChallengeClosed(
                match=match.id or 0,
                state=match.state,
                message=() if is_author else messenger.message(match.id),
                by=name(shown(match, author)) if author else "",
            )
            messenger.tell(player, payload, purpose=Purpose.PLAY, match=match)


def _left(messenger: Messenger, match: Match, players: tuple[Player, Player]) -> None:
    """Owe the one who stays the message that the other has left; nobody, where both have."""
    for player in players:
        if player.confirmed is not None and player.deleted is None:
            messenger.tell(player, OpponentLeft(), purpose=Purpose.PLAY, match=match, ply=match.plies)
