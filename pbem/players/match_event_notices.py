"""The one place where events of a match become notices to people."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from engines.core import Seat
from engines.seats import SEATS, other
from notation.ending import Ending, Termination
from notation.time_control import spoken
from pbem.config import ServerSettings
from pbem.matches import reliability, track_record
from pbem.matches.agreements import is_muted_for
from pbem.matches.events import (
    Event,
    MatchEnded,
    MatchOffered,
    MatchStarted,
    OfferChanged,
    OfferDeclined,
    OfferWithdrawn,
    OnLadder,
    PartKept,
    PartTakenBack,
    PlayerAway,
    PreparedVoid,
    ReminderDue,
    TimeGivenTo,
    TimeRanOut,
    TurnPlayed,
    TurnsTakenBack,
)
from pbem.matches.queries import players_of
from pbem.matches.ratings import standings, weekly_rating
from pbem.matches.shown_names import GUEST, is_hidden, name
from pbem.messages.contents import answer_sections
from pbem.messages.contents.message_payloads import Answer, Challenge, Invitation, Manners, OpponentLeft
from pbem.players import invitations
from pbem.players.queue_match_news import Notice, notify
from pbem.storage import mailer
from pbem.storage.message_payload_base import load
from pbem.storage.models import HOUSE, Match, Outgoing, Player


def notices(
    session: Session, events: Iterable[Event], author: Player | None = None, prose: tuple[str, ...] = ()
) -> tuple[Notice, ...]:
    """Return the news about these events for everyone concerned, in order; the author's prose goes with the first.

    The house needs no news, and gets none; nor does a player whose account is closed.
    """
    news = _News(session, tuple(events), author, prose).notices()
    return tuple(notice for notice in news if notice.player.address != HOUSE and notice.player.banned is None)


def carry_prose(news: Iterable[Notice]) -> bool:
    return any(notice.payload.message for notice in news)


def announce(session: Session, server: ServerSettings, now: datetime, events: Iterable[Event]) -> None:
    """Queue the news about events that no player's message caused."""
    for notice in notices(session, events):
        notify(session, server, now, notice)


class _News:
    """The news about events that happened at once. One notice tells all turns, and what was prepared in vain."""

    def __init__(
        self, session: Session, events: Sequence[Event], author: Player | None, prose: tuple[str, ...]
    ) -> None:
        self.session, self.events, self.author, self.all_prose = session, events, author, prose
        self.prose: tuple[str, ...] = ()
        """What the author says with the event at hand."""
        self.turns = [event for event in events if isinstance(event, TurnPlayed)]
        self.void = [event for event in events if isinstance(event, PreparedVoid)]
        endings = (event.ending for event in events if self.turns and isinstance(event, MatchEnded))
        resigned = (ending.seat for ending in endings if ending.termination is Termination.RESIGNATION)
        self.resigned = next(resigned, None)
        """Who had prepared to resign after the last of the turns."""

    def notices(self) -> list[Notice]:
        news: list[Notice] = []
        for event in self.events:
            match = event.match
            if isinstance(event, TurnPlayed) and event is not self.turns[0]:
                continue  # the news about the first tells of all of them
            silent = carry_prose(news) or (self.author is not None and is_muted_for(match, self.author))
            self.prose = () if silent else self.all_prose
            news += self._of(event, players_of(self.session, match))
        return news

    def _of(self, event: Event, players: tuple[Player, Player]) -> Iterator[Notice]:
        match event:
            case MatchOffered(match):
                yield self._offer(match, players)
            case MatchStarted(match, seek, ladder, is_unrated):
                yield from self._show(match, players, seek, ladder, unrated=is_unrated)
            case TurnPlayed(match):
                yield from self._show(match, players)
            case TurnsTakenBack(match, _, texts):
                yield from self._show(match, players, taken_back=texts)
            case TimeRanOut(match):
                yield from self._show(match, players, ran_out=True)
            case TimeGivenTo(match, seat, time):
                yield from self._show(match, players, given=spoken(time), given_to=seat)
            case PlayerAway(match, seat, until):
                away = answer_sections.Away(match=match.id or 0, ply=match.plies, by=name(players[seat]), until=until)
                yield Notice(players[other(seat)], away, match)
            case ReminderDue(match, seat):
                reminder = answer_sections.TurnNews(match=match.id or 0, ply=match.plies, reminder=True)
                yield Notice(players[seat], reminder, match, is_collected=True, useful_until=match.due)
            case OfferChanged(match, kind, change, seat):
                by = players[seat]
                offer = answer_sections.OfferNews(
                    match=match.id or 0, ply=match.plies, kind=kind, change=change, by=name(by)
                )
                for player in players:
                    yield Notice(player, offer if player is by else replace(offer, message=self.prose), match)
            case (
                OfferDeclined(match, left=True)
                | OfferWithdrawn(match, left=True)
                | MatchEnded(match, Ending(Termination.LEFT))
            ):
                for player in players:
                    if player.confirmed is not None and player.deleted is None:
                        yield Notice(player, OpponentLeft(), match)
            case OfferWithdrawn(match, unanswered=True):
                challenger, invited = players if players[0].id == match.challenger else players[::-1]
                who = _as_known(self.session, match, invited)
                closed = answer_sections.ChallengeClosed(match=match.id or 0, state="unanswered", by=who)
                yield Notice(challenger, closed, match)
            case OfferDeclined(match) | OfferWithdrawn(match):
                yield from self._closed(match, players)
            case MatchEnded(match, ending) if ending.termination is not Termination.RULES and not self.turns:
                yield from self._show(match, players, termination=ending.termination)
            case MatchEnded() | PartKept() | PartTakenBack() | PreparedVoid():
                pass  # the message about the last turn tells how it ended the match; a begun turn is its player's own

    def _offer(self, match: Match, players: tuple[Player, Player]) -> Notice:
        challenger, invited = players if players[0].id == match.challenger else players[::-1]
        # Whoever was invited by address may be a stranger; the challenger must not learn from it who they are.
        prose = self.prose if not match.by_address or invitations.fits(self.prose) else ()
        if not invited.confirmed:
            return Notice(invited, Invitation(message=prose, by=name(challenger)), match)
        rating = standings.shown_in(self.session, challenger, match.game, match.created) if match.rated else ""
        past = asdict(track_record.between(self.session, invited, challenger))
        known, of_late = None, reliability.of(self.session, challenger)
        if of_late.ended:
            pace = track_record.pace(self.session, challenger)
            known = Manners(ended=of_late.ended, lost_on_time=of_late.lost, running=of_late.running, pace=pace)
        challenge = Challenge(message=prose, by=name(challenger), rating=rating, known=known, **past)
        return Notice(invited, challenge, match)

    def _show(
        self,
        match: Match,
        players: tuple[Player, Player],
        seek: int | None = None,
        ladder: OnLadder | None = None,
        **changes: Any,
    ) -> Iterator[Notice]:
        """Yield the news for both players that shows the match as it is now, and what led to it if no turn did."""
        news = answer_sections.TurnNews(
            match=match.id or 0,
            ply=match.plies,
            message=self.prose,
            by=name(self.author) if self.author is not None and self.prose else "",
            since=self.turns[0].number if len(self.turns) > 1 else None,
            outlook=() if match.counted is None else tuple(map(round, weekly_rating.outlook(self.session, match))),
            **changes,
        )
        for seat, player in zip(SEATS, players, strict=True):
            void = next((event.why.value for event in self.void if event.seat == seat), None)
            own = replace(news, by_itself=self._by_itself(seat), void=void)
            is_own = player.id == match.challenger
            own = own if is_own else replace(own, seek=seek)
            if ladder is not None:
                begun = answer_sections.RoundBegun(number=match.tournament or 0, is_own=is_own, **asdict(ladder))
                own = replace(own, tournament=begun)
            yield Notice(player, own, match)

    def _by_itself(self, seat: Seat) -> tuple[answer_sections.PlayedByItself, ...]:
        """Return what was played for the player in that seat. Only they learn why."""
        turns = tuple(
            answer_sections.PlayedByItself(text=turn.text, why=turn.by_itself.value)
            for turn in self.turns
            if turn.seat == seat and turn.by_itself
        )
        return (*turns, answer_sections.PlayedByItself(text="", why="resigned")) if seat == self.resigned else turns

    def _closed(self, match: Match, players: tuple[Player, Player]) -> Iterator[Notice]:
        by = _as_known(self.session, match, self.author) if self.author else ""
        closed = answer_sections.ChallengeClosed(match=match.id or 0, state=match.state, by=by)
        for player in players:
            if self.author is not None and player.id == self.author.id:
                yield Notice(player, closed, match)
            elif player.confirmed:
                yield Notice(player, replace(closed, message=self.prose), match)


def _as_known(session: Session, match: Match, player: Player) -> str:
    """Return who closed a challenge, as the other player knows them: a hidden player by the address invited."""
    if not is_hidden(match, player):
        return name(player)
    answers = select(Outgoing).where(
        Outgoing.match == match.id, Outgoing.player == match.challenger, Outgoing.template == "answer"
    )
    row = session.exec(answers.order_by(col(Outgoing.id)).limit(1).options(mailer.WITH_CONTENT)).first()
    written = load(Answer, row.payload).sections if row is not None and row.content is not None else ()
    challenges = (section for section in written if isinstance(section, answer_sections.ChallengeSent))
    return next((section.opponent for section in challenges if section.match == match.id), GUEST)
