"""What people are told of the events in a match: the one place where events become notices, and notices messages."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlmodel import Session, col, func, select
from sqlmodel.sql.expression import SelectOfScalar

from engines.core import Seat
from engines.seats import SEATS
from notation.ending import Termination
from notation.time_control import spoken
from pbem.config import ServerSettings
from pbem.matches import history, reliability
from pbem.matches.agreements import is_muted_for
from pbem.matches.clock import timekeeping
from pbem.matches.events import (
    Event,
    MatchEnded,
    MatchOffered,
    MatchStarted,
    MatchStopped,
    MatchWentOn,
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
from pbem.matches.naming import GUEST, is_hidden, name
from pbem.matches.queries import players_of, seat_of, version
from pbem.matches.ratings import derivation, standings
from pbem.messages import kinds, preferences
from pbem.messages.said import sections
from pbem.messages.said.absences import Away
from pbem.messages.said.messages import Answer, Challenge, Invitation, Manners, OpponentLeft, Words
from pbem.messages.said.offers import OfferNews
from pbem.messages.said.rounds import RoundBegun
from pbem.players import invitations, schedule
from pbem.storage import facts, outbox
from pbem.storage.clock import within
from pbem.storage.models import HOUSE, UNSENT, Incoming, Match, Outgoing, Player
from pbem.storage.outbox import Mailer
from pbem.storage.payloads import dump, load
from pbem.tokens import Purpose

News = sections.TurnNews | sections.ChallengeClosed | OfferNews | Away | Challenge | Invitation | OpponentLeft | Words


NOTES_APART = timedelta(minutes=5)
"""After a note, further ones about the match wait that long, and go out in one message."""
LONGEST_NOTES = 100_000
"""How many characters of notes are one piece of news; what waits goes out in messages of bounded size."""


@dataclass(frozen=True, slots=True)
class Notice:
    """News for a player about a match, as it was after that many turns."""

    player: Player
    payload: News
    match: Match
    ply: int = 0
    is_collected: bool = False
    """Whether it can always wait for other news of that moment."""
    useful_until: datetime | None = None
    """After what time it would be of no use."""


@dataclass(frozen=True, slots=True)
class _Author:
    """The player whose message caused the events and what they wrote for the opponent; both empty if none did."""

    player: Player | None
    prose: tuple[str, ...]

    @property
    def named(self) -> str:
        """The name beside the prose; none where nothing was written."""
        return name(self.player) if self.player is not None and self.prose else ""


@dataclass(frozen=True, slots=True)
class _AtOnce:
    """The turns that were played at once, of which one message tells, and what players had prepared in vain."""

    turns: tuple[TurnPlayed, ...]
    void: tuple[PreparedVoid, ...]
    resigned: Seat | None = None
    """Who had prepared to resign after the last of them, and so has."""

    @classmethod
    def of(cls, events: Iterable[Event]) -> "_AtOnce":
        """Return what these events have of it."""
        happened = tuple(events)
        turns = tuple(event for event in happened if isinstance(event, TurnPlayed))
        ended = (event.ending for event in happened if turns and isinstance(event, MatchEnded))
        return cls(
            turns,
            tuple(event for event in happened if isinstance(event, PreparedVoid)),
            next((ending.seat for ending in ended if ending.termination is Termination.RESIGNATION), None),
        )

    @property
    def since(self) -> int | None:
        """The number of the first turn, where there are several."""
        return self.turns[0].number if len(self.turns) > 1 else None

    def by_itself(self, seat: Seat) -> tuple[sections.PlayedByItself, ...]:
        """Return what was played for the player in that seat. Nobody else is told why."""
        mine = (turn for turn in self.turns if turn.seat == seat)
        told = tuple(
            sections.PlayedByItself(text=turn.text, why=turn.by_itself.value) for turn in mine if turn.by_itself
        )
        return (*told, sections.PlayedByItself(text="", why="resigned")) if seat == self.resigned else told

    def why_void(self, seat: Seat) -> str | None:
        """Return why that player's prepared turns are void, if they are. Nobody else is told."""
        return next((event.why.value for event in self.void if event.seat == seat), None)


def notices(
    session: Session, events: Iterable[Event], author: Player | None = None, prose: tuple[str, ...] = ()
) -> tuple[Notice, ...]:
    """Return the news about these events for everyone concerned, in order; the author's prose goes with the first.

    The house needs no news, and gets none; nor does a player whose account is closed.
    """
    told: tuple[Notice, ...] = ()
    happened = tuple(events)
    at_once = _AtOnce.of(happened)
    for event in happened:
        match = event.match
        if isinstance(event, TurnPlayed) and event is not at_once.turns[0]:
            continue  # the news about the first tells of all of them
        players = players_of(session, match)
        silent = carry_prose(told) or (author is not None and is_muted_for(match, author))
        told += tuple(_of(session, event, players, _Author(author, () if silent else prose), at_once))
    return tuple(notice for notice in told if notice.player.address != HOUSE and notice.player.banned is None)


def carry_prose(told: Iterable[Notice]) -> bool:
    """Return whether the author's prose goes with one of the notices."""
    return any(notice.payload.message for notice in told)


def announce(session: Session, server: ServerSettings, now: datetime, events: Iterable[Event]) -> None:
    """Queue the news about events that no message of a player made happen."""
    for notice in notices(session, events):
        notify(session, server, now, notice)


def notify(
    session: Session, server: ServerSettings, now: datetime, notice: Notice, incoming: Incoming | None = None
) -> None:
    """Queue the news: to be sent at once, or together with others where the player wants that."""
    player, match = notice.player, notice.match
    if isinstance(notice.payload, Words) and _joins(session, notice, notice.payload):
        return
    is_notice = player.confirmed is not None
    if player.stopped is not None:  # unless another daemon is just handling their "start"
        session.flush()
        session.refresh(player, with_for_update={"read": True})
    is_batched = is_notice and _is_batched(now, notice)
    is_wished = player.stopped is not None or (is_batched and player.unreachable is None)
    Mailer(session, server, now).to_player(
        player,
        notice.payload,
        purpose=Purpose.PLAY,
        match=match,
        ply=notice.ply,
        incoming=incoming,
        is_notice=is_notice,
        is_batched=is_batched,
        waits_until=_note_waits(session, notice, now) if isinstance(notice.payload, Words) else None,
    )
    is_timed = match.clock is not None and match.to_move is not None
    if is_wished and is_timed and seat_of(match, player) == match.to_move:
        timekeeping.hand_over(session, match.id or 0, version(match), now)  # it is their wish that nothing is sent yet


def _joins(session: Session, notice: Notice, note: Words) -> bool:
    """Let a note to the same player about the match that isn't on its way yet tell this one, too, if there is any."""
    player, match = notice.player, notice.match
    unsent = _news_of(notice, note.template).where(col(Outgoing.state).in_(UNSENT), Outgoing.attempts == 0)
    newest = unsent.order_by(col(Outgoing.id).desc()).limit(1)
    row = session.exec(newest.with_for_update(of=Outgoing)).first()
    if row is None or row.content is None:
        return False
    before = load(Words, row.payload)
    if sum(map(len, (*before.message, *note.message))) > LONGEST_NOTES:
        return False
    content = outbox.kept_content(row)
    content.payload = dump(replace(before, message=(*before.message, "", *note.message)))
    content.facts = facts.gather(session, player, [match.id or 0])
    row.ply, row.shift = match.plies, match.shift
    session.flush()
    return True


def _news_of(notice: Notice, template: str) -> SelectOfScalar[Outgoing]:
    """Return the query for what the player of the notice is told about its match with that template."""
    of_match = (Outgoing.match == notice.match.id, Outgoing.player == notice.player.id)
    return select(Outgoing).where(*of_match, Outgoing.template == template).options(outbox.WITH_CONTENT)


def _note_waits(session: Session, notice: Notice, now: datetime) -> datetime | None:
    """Return until when a note waits for more; None if the last one about the match went out long ago."""
    earlier = (Outgoing.match == notice.match.id, Outgoing.player == notice.player.id, Outgoing.template == "message")
    recent = within(Outgoing.created, 2 * NOTES_APART, now)
    told = session.exec(select(func.max(Outgoing.due)).where(*earlier, recent)).one()
    return min(told, now) + NOTES_APART if told is not None and told + NOTES_APART > now else None


def _is_batched(now: datetime, notice: Notice) -> bool:
    """Return whether the news waits for more, which goes into the same message."""
    player, choices = notice.player, preferences.with_defaults(notice.player.settings)
    way = kinds.way(player.settings, notice.payload.template, notice.match.id)
    if not notice.is_collected and not schedule.defers(way, player.stopped):
        return False
    told = schedule.due_at(way, choices, player.stopped, now)
    return told is None or notice.useful_until is None or told < notice.useful_until


def retell(session: Session, notice: Notice, incoming: Incoming) -> bool:
    """Let the news about a turn that this incoming message brought show the match as it is now.

    Return whether there is such news for the same player; where there is, it tells the notice too.
    """
    player, match = notice.player, notice.match
    turn = session.exec(_news_of(notice, "turn").where(Outgoing.incoming == incoming.id)).first()
    if turn is None:
        return False
    outbox.kept_content(turn).facts = facts.gather(session, player, [match.id or 0])
    return True


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
            yield Notice(players[seat], reminder, match, match.plies, is_collected=True, useful_until=match.due)
        case MatchStopped(match) | MatchWentOn(match):
            stopped = isinstance(event, MatchStopped)
            told = sections.TurnNews(match=match.id or 0, ply=match.plies, stopped=stopped, went_on=not stopped)
            yield from (Notice(player, told, match, match.plies, is_collected=True) for player in players)
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
        return Notice(other, Invitation(message=prose, by=name(challenger)), match, match.plies)
    rating = standings.shown_in(session, challenger, match.game, match.created) if match.rated else ""
    met = history.between(session, other, challenger)
    told = Challenge(
        message=prose,
        by=name(challenger),
        rating=rating,
        won=met.won,
        lost=met.lost,
        drawn=met.drawn,
        known=_manners(session, challenger),
    )
    return Notice(other, told, match, match.plies)


def _manners(session: Session, player: Player) -> Manners | None:
    """Return how the player plays with others; None for who has finished no match yet."""
    known = reliability.of(session, player)
    if not known.ended:
        return None
    pace = history.pace_in_words(session, player)
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
        theirs = replace(shows, by_itself=at_once.by_itself(seat), void=at_once.why_void(seat))
        is_own = player.id == match.challenger
        theirs = theirs if is_own else replace(theirs, seek=seek)
        if on_ladder is not None:
            theirs = replace(theirs, tournament=_challenge_on_ladder(match, on_ladder, is_own=is_own))
        yield Notice(player, theirs, match, match.plies)


def _challenge_on_ladder(match: Match, ladder: OnLadder, *, is_own: bool) -> RoundBegun:
    return RoundBegun(
        number=match.tournament or 0, title=ladder.title, rung=ladder.rung, wanted=ladder.wanted, is_own=is_own
    )


def _offer_news(event: OfferChanged, players: tuple[Player, Player], author: _Author) -> Iterator[Notice]:
    by = players[event.seat]
    for player in players:
        message = author.prose if player.id != by.id else ()
        told = OfferNews(
            match=event.match.id or 0,
            ply=event.match.plies,
            kind=event.kind.value,
            change=event.change.value,
            by=name(by),
            message=message,
        )
        yield Notice(player, told, event.match, event.match.plies)


def _away(event: PlayerAway, players: tuple[Player, Player]) -> Iterator[Notice]:
    """Yield the news for the opponent, and for the player whose vacation began without them."""
    match, who = event.match, players[event.seat]
    for player in players:
        is_own = player.id == who.id
        if not is_own or event.by_itself:
            told = Away(match=match.id or 0, ply=match.plies, by=name(who), until=event.until, is_own=is_own)
            yield Notice(player, told, match, match.plies)


def _closed(session: Session, match: Match, players: tuple[Player, Player], author: _Author) -> Iterator[Notice]:
    by = _as_known(session, match, author.player) if author.player else ""
    for player in players:
        is_author = author.player is not None and player.id == author.player.id
        if is_author or player.confirmed:
            message = () if is_author else author.prose
            closed = sections.ChallengeClosed(match=match.id or 0, state=match.state, message=message, by=by)
            yield Notice(player, closed, match)


def _unanswered(session: Session, match: Match, players: tuple[Player, Player]) -> Notice:
    """Return the news for the challenger; who didn't answer isn't bothered again."""
    challenger, other = players if players[0].id == match.challenger else (players[1], players[0])
    by = _as_known(session, match, other)
    return Notice(challenger, sections.ChallengeClosed(match=match.id or 0, state="unanswered", by=by), match)


def _as_known(session: Session, match: Match, player: Player) -> str:
    """Return who closed a challenge, as the other player knows them: who is hidden, by the address that was invited."""
    if not is_hidden(match, player):
        return name(player)
    told = select(Outgoing).where(
        Outgoing.match == match.id, Outgoing.player == match.challenger, Outgoing.template == "answer"
    )
    row = session.exec(told.order_by(col(Outgoing.id)).limit(1).options(outbox.WITH_CONTENT)).first()
    answered = load(Answer, row.payload).sections if row is not None and row.content is not None else ()
    invited = (section for section in answered if isinstance(section, sections.ChallengeSent))
    return next((section.opponent for section in invited if section.match == match.id), GUEST)


def _left(match: Match, players: tuple[Player, Player]) -> Iterator[Notice]:
    """Yield the news for the one who stays that the other has left; none where both have."""
    for player in players:
        if player.confirmed is not None and player.deleted is None:
            yield Notice(player, OpponentLeft(), match, match.plies)
