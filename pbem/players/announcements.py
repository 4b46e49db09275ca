"""What people are told of the events in a match: the one place where events become notices."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from sqlmodel import Session, col, select

from engines.core import Seat
from engines.seats import SEATS, other
from notation.ending import Termination
from notation.time_control import spoken
from pbem.config import ServerSettings
from pbem.matches import history, reliability
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
from pbem.matches.queries import GUEST, is_hidden, name, players_of
from pbem.matches.ratings import derivation, standings
from pbem.messages.said import sections
from pbem.messages.said.messages import Answer, Challenge, Invitation, Manners, OpponentLeft
from pbem.messages.said.sections import Away, OfferNews, RoundBegun
from pbem.players import invitations
from pbem.players.notices import Notice, notify
from pbem.storage import outbox
from pbem.storage.models import HOUSE, Match, Outgoing, Player
from pbem.storage.payloads import load


@dataclass(frozen=True, slots=True)
class _Author:
    player: Player | None
    prose: tuple[str, ...]

    @property
    def named(self) -> str:
        return name(self.player) if self.player is not None and self.prose else ""


@dataclass(frozen=True, slots=True)
class _AtOnce:
    """The turns that were played at once, which one message tells, and what players had prepared in vain."""

    turns: tuple[TurnPlayed, ...]
    void: tuple[PreparedVoid, ...]
    resigned: Seat | None = None
    """Who had prepared to resign after the last of them."""

    @classmethod
    def of(cls, events: Iterable[Event]) -> "_AtOnce":
        events = tuple(events)
        turns = tuple(event for event in events if isinstance(event, TurnPlayed))
        void = tuple(event for event in events if isinstance(event, PreparedVoid))
        endings = (event.ending for event in events if turns and isinstance(event, MatchEnded))
        resigned = (ending.seat for ending in endings if ending.termination is Termination.RESIGNATION)
        return cls(turns, void, next(resigned, None))

    @property
    def since(self) -> int | None:
        return self.turns[0].number if len(self.turns) > 1 else None

    def by_itself(self, seat: Seat) -> tuple[sections.PlayedByItself, ...]:
        """Return what was played for the player in that seat. Only they learn why."""
        turns = tuple(
            sections.PlayedByItself(text=turn.text, why=turn.by_itself.value)
            for turn in self.turns
            if turn.seat == seat and turn.by_itself
        )
        return (*turns, sections.PlayedByItself(text="", why="resigned")) if seat == self.resigned else turns


def notices(
    session: Session, events: Iterable[Event], author: Player | None = None, prose: tuple[str, ...] = ()
) -> tuple[Notice, ...]:
    """Return the news about these events for everyone concerned, in order; the author's prose goes with the first.

    The house needs no news, and gets none; nor does a player whose account is closed.
    """
    news: list[Notice] = []
    events = tuple(events)
    at_once = _AtOnce.of(events)
    for event in events:
        match = event.match
        if isinstance(event, TurnPlayed) and event is not at_once.turns[0]:
            continue  # the news about the first tells of all of them
        players = players_of(session, match)
        silent = carry_prose(news) or (author is not None and is_muted_for(match, author))
        news += _of(session, event, players, _Author(author, () if silent else prose), at_once)
    return tuple(notice for notice in news if notice.player.address != HOUSE and notice.player.banned is None)


def carry_prose(news: Iterable[Notice]) -> bool:
    return any(notice.payload.message for notice in news)


def announce(session: Session, server: ServerSettings, now: datetime, events: Iterable[Event]) -> None:
    """Queue the news about events that no player's message caused."""
    for notice in notices(session, events):
        notify(session, server, now, notice)


def _of(
    session: Session, event: Event, players: tuple[Player, Player], author: _Author, at_once: _AtOnce
) -> Iterator[Notice]:
    match event:
        case MatchOffered(match):
            yield _offer(session, match, players, author)
        case MatchStarted(match, seek, on_ladder, is_unrated):
            for notice in _show(session, match, players, author, at_once, seek=seek, on_ladder=on_ladder):
                assert isinstance(notice.payload, sections.TurnNews)  # noqa: S101 - it shows a match
                yield replace(notice, payload=replace(notice.payload, unrated=is_unrated))
        case TurnPlayed(match):
            yield from _show(session, match, players, author, at_once)
        case TurnsTakenBack(match, _, texts):
            yield from _show(session, match, players, author, at_once, taken_back=texts)
        case TimeRanOut(match):
            yield from _show(session, match, players, author, at_once, ran_out=True)
        case TimeGivenTo(match, seat, time):
            for notice in _show(session, match, players, author, at_once):
                assert isinstance(notice.payload, sections.TurnNews)  # noqa: S101 - it shows a match
                yield replace(notice, payload=replace(notice.payload, given=spoken(time), given_to=seat))
        case PlayerAway():
            yield from _away(event, players)
        case ReminderDue(match, seat):
            reminder = sections.TurnNews(match=match.id or 0, ply=match.plies, reminder=True)
            yield Notice(players[seat], reminder, match, is_collected=True, useful_until=match.due)
        case OfferChanged():
            yield from _offer_news(event, players, author)
        case OfferDeclined(match, left=True) | OfferWithdrawn(match, left=True):
            yield from _left(match, players)
        case OfferWithdrawn(match, unanswered=True):
            yield _unanswered(session, match, players)
        case OfferDeclined(match) | OfferWithdrawn(match):
            yield from _closed(session, match, players, author)
        case MatchEnded(match, ending) if ending.termination is Termination.LEFT:
            yield from _left(match, players)
        case MatchEnded(match, ending) if ending.termination is not Termination.RULES and not at_once.turns:
            yield from _show(session, match, players, author, at_once, ending.termination)
        case MatchEnded() | PartKept() | PartTakenBack() | PreparedVoid():
            pass  # the message about the last turn tells how it ended the match; a begun turn is its player's own


def _offer(session: Session, match: Match, players: tuple[Player, Player], author: _Author) -> Notice:
    first, second = players
    challenger, other = (first, second) if first.id == match.challenger else (second, first)
    # Whoever was invited by address may be a stranger; the challenger must not learn from it who they are.
    prose = author.prose if not match.by_address or invitations.fits(author.prose) else ()
    if not other.confirmed:
        return Notice(other, Invitation(message=prose, by=name(challenger)), match)
    rating = standings.shown_in(session, challenger, match.game, match.created) if match.rated else ""
    past = asdict(history.between(session, other, challenger))
    known = _manners(session, challenger)
    return Notice(other, Challenge(message=prose, by=name(challenger), rating=rating, known=known, **past), match)


def _manners(session: Session, player: Player) -> Manners | None:
    known = reliability.of(session, player)
    if not known.ended:
        return None
    pace = history.pace(session, player)
    return Manners(ended=known.ended, lost_on_time=known.lost, running=known.running, pace=pace)


def _show(
    session: Session,
    match: Match,
    players: tuple[Player, Player],
    author: _Author,
    at_once: _AtOnce,
    termination: Termination | None = None,
    taken_back: tuple[str, ...] = (),
    *,
    ran_out: bool = False,
    seek: int | None = None,
    on_ladder: OnLadder | None = None,
) -> Iterator[Notice]:
    """Yield the news for both players that shows the match as it is now, and what led to it if no turn did."""
    shows = sections.TurnNews(
        match=match.id or 0,
        ply=match.plies,
        message=author.prose,
        by=author.named,
        termination=termination,
        ran_out=ran_out,
        taken_back=taken_back,
        since=at_once.since,
        outlook=() if match.counted is None else tuple(map(round, derivation.outlook(session, match))),
    )
    for seat, player in zip(SEATS, players, strict=True):
        void = next((event.why.value for event in at_once.void if event.seat == seat), None)
        news = replace(shows, by_itself=at_once.by_itself(seat), void=void)
        is_own = player.id == match.challenger
        news = news if is_own else replace(news, seek=seek)
        if on_ladder is not None:
            ladder = RoundBegun(number=match.tournament or 0, is_own=is_own, **asdict(on_ladder))
            news = replace(news, tournament=ladder)
        yield Notice(player, news, match)


def _offer_news(event: OfferChanged, players: tuple[Player, Player], author: _Author) -> Iterator[Notice]:
    by = players[event.seat]
    for player in players:
        news = OfferNews(
            match=event.match.id or 0,
            ply=event.match.plies,
            kind=event.kind.value,
            change=event.change.value,
            by=name(by),
            message=author.prose if player.id != by.id else (),
        )
        yield Notice(player, news, event.match)


def _away(event: PlayerAway, players: tuple[Player, Player]) -> Iterator[Notice]:
    match = event.match
    news = Away(match=match.id or 0, ply=match.plies, by=name(players[event.seat]), until=event.until)
    yield Notice(players[other(event.seat)], news, match)


def _closed(session: Session, match: Match, players: tuple[Player, Player], author: _Author) -> Iterator[Notice]:
    by = _as_known(session, match, author.player) if author.player else ""
    for player in players:
        is_author = author.player is not None and player.id == author.player.id
        if is_author or player.confirmed:
            message = () if is_author else author.prose
            closed = sections.ChallengeClosed(match=match.id or 0, state=match.state, message=message, by=by)
            yield Notice(player, closed, match)


def _unanswered(session: Session, match: Match, players: tuple[Player, Player]) -> Notice:
    challenger, other = players if players[0].id == match.challenger else (players[1], players[0])
    by = _as_known(session, match, other)
    return Notice(challenger, sections.ChallengeClosed(match=match.id or 0, state="unanswered", by=by), match)


def _as_known(session: Session, match: Match, player: Player) -> str:
    """Return who closed a challenge, as the other player knows them: a hidden player by the address invited."""
    if not is_hidden(match, player):
        return name(player)
    answers = select(Outgoing).where(
        Outgoing.match == match.id, Outgoing.player == match.challenger, Outgoing.template == "answer"
    )
    row = session.exec(answers.order_by(col(Outgoing.id)).limit(1).options(outbox.WITH_CONTENT)).first()
    said = load(Answer, row.payload).sections if row is not None and row.content is not None else ()
    challenges = (section for section in said if isinstance(section, sections.ChallengeSent))
    return next((section.opponent for section in challenges if section.match == match.id), GUEST)


def _left(match: Match, players: tuple[Player, Player]) -> Iterator[Notice]:
    for player in players:
        if player.confirmed is not None and player.deleted is None:
            yield Notice(player, OpponentLeft(), match)
