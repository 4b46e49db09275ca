"""What can happen to a match, from the offer to the end: each function checks, writes rows and returns the events.

Nothing here knows of mail or commands, or asks what time it is: `now` is passed in. State, turns and results of
matches are written only here, and in `tournament_and_branched_matches`, which begins matches without an offer;
offers are written in `agreements`, times in `timekeeping`. A match that is passed in is locked by the caller
(`queries.locked`). Where something can't be done, NotPossible says why, and nothing changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import insert
from sqlmodel import Session, col, func, select

from engines.core import Seat
from engines.seats import other, seat_of, with_entry
from notation.ending import WITHOUT_RESULT, Ending, Termination
from notation.games import GAMES
from notation.time_control import TimeControl, to_stored
from pbem import tokens
from pbem.matches import prepared_and_forced_turns, queries, stored_offers
from pbem.matches.clock import calendars, clock, timekeeping
from pbem.matches.clock.clock import Ended
from pbem.matches.condition_parsing import Conditions
from pbem.matches.events import (
    Cause,
    Events,
    MatchEnded,
    MatchOffered,
    MatchStarted,
    OfferDeclined,
    OfferWithdrawn,
    PartKept,
    PartTakenBack,
    PreparedVoid,
    TurnPlayed,
    TurnsTakenBack,
    Void,
)
from pbem.matches.obstacles import NotPossible, Obstacle
from pbem.matches.replayed_match import Snapshot, snapshot_of
from pbem.matches.turn_parsing import ReadTurn
from pbem.storage.models import Incoming, Match, MatchState, Player, Ply, TakenBack

MOST_OPEN = 20  # challenges of one player that wait for an answer
OFFER_OPEN = timedelta(days=14)  # how long an offer can be answered
MOST_AT_ONCE = 20  # how many prepared or forced turns one turn can set off
MOST_RATED, RATED_WITHIN = 5, timedelta(days=30)
"""How many rated matches two players can begin with each other in one game, and in what time; further ones don't count.

Else one person with two accounts could lift one of them as far as they like.
"""
FEWEST_RATED = 2  # the turns that a rated match needs to count
NO_LIMIT = TimeControl()
_PLAYED = insert(Ply)  # a plain insert, since nobody needs the row in the session


@dataclass(frozen=True, slots=True)
class Terms:
    """What is played, and how: what a challenge or a seek offers."""

    game: str
    options: Mapping[str, str]
    time: TimeControl = NO_LIMIT  # if it gives the players different times, the first is the challenger's
    rated: bool = False
    free_undo: bool = False  # whether a turn can be taken back without asking until it is answered


def offer(
    session: Session,
    challenger: Player,
    opponent: Player,
    terms: Terms,
    now: datetime,
    *,
    challenger_begins: bool = True,
    by_address: bool = False,
    rematch_of: Match | None = None,
    level: int | None = None,
) -> Events:
    """Offer a match, against the house if it has a level; `by_address` hides who the opponent is until they accept.

    Raises NotPossible and BadOption.
    """
    if opponent.id == challenger.id:
        raise NotPossible(Obstacle.YOURSELF)
    _check_offers(session, challenger, opponent, by_address=by_address)
    pack = GAMES[terms.game]
    chosen = pack.game.chosen(terms.options)
    starter, second = (challenger, opponent) if challenger_begins else (opponent, challenger)
    pair = (starter, second) if pack.game.position(chosen).turn == 0 else (second, starter)
    match = Match(
        id=queries.next_number(session),
        game=terms.game,
        rules=pack.version,
        options=chosen,
        seat0=pair[0].id or 0,
        seat1=pair[1].id or 0,
        challenger=challenger.id or 0,
        time=to_stored(terms.time if pair[0] is challenger else terms.time.swapped),
        rated=terms.rated,
        free_undo=terms.free_undo,
        level=level,
        by_address=by_address,
        created=now,
    )
    session.add(match)
    session.flush()
    if rematch_of is not None:
        rematch_of.rematch = match.id
        session.flush()
    return (MatchOffered(match),)


def _check_offers(session: Session, challenger: Player, opponent: Player, *, by_address: bool) -> None:
    challenges = session.exec(
        select(Match)
        .where(Match.challenger == challenger.id, Match.state == MatchState.OFFERED)
        .order_by(col(Match.id))
    ).all()
    if len(challenges) >= MOST_OPEN:
        raise NotPossible(Obstacle.TOO_MANY_OFFERS)
    if by_address and any(
        waiting.by_address and queries.seat_of(waiting, opponent) is not None for waiting in challenges
    ):
        raise NotPossible(Obstacle.INVITED_ALREADY)


def accept(session: Session, match: Match, player: Player, now: datetime) -> Events:
    _check_answer(match, player)
    if not session.get_one(Player, match.challenger).can_play:
        raise NotPossible(Obstacle.NOT_ON_OFFER, match)
    match.state, match.started = MatchState.RUNNING, now
    match.to_move = snapshot_of(session, match).base.turn
    return (start(session, match, now),)


def start(session: Session, match: Match, now: datetime) -> MatchStarted:
    """Start the clocks of a match that runs from now on; it isn't rated if its players have begun enough rated ones."""
    timekeeping.start(session, match)
    calendars.begin(session, match, now)
    session.flush()
    was_rated, match.rated = match.rated, match.rated and _rated_lately(session, match, now) < MOST_RATED
    return MatchStarted(match, is_unrated=was_rated and not match.rated)


def _rated_lately(session: Session, match: Match, now: datetime) -> int:
    """Return how many other rated matches its players have begun with each other in its game."""
    lately = (col(Match.rated), Match.game == match.game, col(Match.started) > now - RATED_WITHIN, Match.id != match.id)
    begun = 0
    for pair in ((match.seat0, match.seat1), (match.seat1, match.seat0)):
        for of_index in (col(Match.to_move).is_not(None), col(Match.termination).is_not(None)):
            theirs = (Match.seat0 == pair[0], Match.seat1 == pair[1], of_index)
            begun += session.exec(select(func.count()).select_from(Match).where(*theirs, *lately)).one()
    return begun


def decline(session: Session, match: Match, player: Player, now: datetime) -> Events:
    _check_answer(match, player)
    return _close(session, match, now, by_leaving=False)


def withdraw(session: Session, match: Match, player: Player, now: datetime) -> Events:
    _check_on_offer(match, player)
    if player.id != match.challenger:
        raise NotPossible(Obstacle.OFFERED_TO_YOU, match)
    return _close(session, match, now, withdrawn=True, by_leaving=False)


def _close(session: Session, match: Match, now: datetime, *, withdrawn: bool = False, by_leaving: bool) -> Events:
    match.state = MatchState.WITHDRAWN if withdrawn else MatchState.DECLINED
    match.ended = now
    session.flush()
    return (OfferWithdrawn(match, left=by_leaving) if withdrawn else OfferDeclined(match, left=by_leaving),)


def _check_on_offer(match: Match, player: Player) -> None:
    if queries.seat_of(match, player) is None:
        raise NotPossible(Obstacle.NOT_A_PLAYER, match)
    if match.state != MatchState.OFFERED:
        raise NotPossible(Obstacle.NOT_ON_OFFER, match)


def _check_answer(match: Match, player: Player) -> None:
    _check_on_offer(match, player)
    if player.id == match.challenger:
        raise NotPossible(Obstacle.OWN_OFFER, match)


def check_running(match: Match) -> None:
    match match.state:
        case MatchState.OFFERED:
            raise NotPossible(Obstacle.NOT_STARTED, match)
        case MatchState.OVER:
            raise NotPossible(Obstacle.OVER, match)
        case MatchState.DECLINED | MatchState.WITHDRAWN:
            raise NotPossible(Obstacle.NEVER_STARTED, match)


def check_turn(match: Match, seat: Seat) -> None:
    check_running(match)
    if match.to_move != seat:
        raise NotPossible(Obstacle.NOT_YOUR_TURN, match)
    if queries.version(match) >= tokens.LARGEST_PLY:
        raise NotPossible(Obstacle.TOO_LONG, match)


def play(
    session: Session,
    snapshot: Snapshot,
    seat: Seat,
    turn: ReadTurn,
    now: datetime,
    *,
    incoming: Incoming | None = None,
    then: Conditions = prepared_and_forced_turns.NOTHING,
    offers_follow: bool = False,
) -> Events:
    """Store a complete turn, read on the snapshot of the match as it is now; end the match where the rules do.

    Then play what was prepared for it, and for the turns after it, and turns that are forced; they take no time.
    `incoming` is the message that brought the turn; the player's time ends with its receipt. `then` is what they have
    prepared in it, and `offers_follow` says that it makes an offer too, which has to be answered first.
    """
    match = snapshot.match
    _check_fresh(snapshot, seat)
    if not turn.complete:
        raise NotPossible(Obstacle.UNFINISHED, match)
    void_because = Void.PAUSE if match.paused is not None else Void.OFFER if offers_follow else None
    received, brought_by = (now, None) if incoming is None else (incoming.received, incoming.id)
    events = _store_turn(session, match, seat, turn, now, received, brought_by)
    if match.state != MatchState.RUNNING:
        return events
    rows = prepared_and_forced_turns.of_match(session, match)
    events += prepared_and_forced_turns.advance(session, match, rows, seat, turn.text)
    if then.lines:
        rows[seat] = prepared_and_forced_turns.keep(session, match, seat, then, brought_by)
    if void_because is None and match.offers:  # after a turn, only open ones are left
        void_because = Void.OFFER
    return (*events, *_play_by_itself(session, snapshot.after(turn), rows, void_because, now, received))


def _play_by_itself(
    session: Session,
    snapshot: Snapshot,
    rows: prepared_and_forced_turns.Plans,
    void_because: Void | None,
    now: datetime,
    received: datetime,
) -> Events:
    match = snapshot.match
    events: Events = ()
    for _ in range(MOST_AT_ONCE):
        answer = prepared_and_forced_turns.answer(session, snapshot, rows, void_because)
        if answer is None:
            break
        if isinstance(answer, PreparedVoid):
            events += (answer,)
            continue
        if isinstance(answer, prepared_and_forced_turns.Resignation):
            return events + resign(session, match, answer.seat, now)
        seat, turn = answer.seat, answer.turn
        events += _store_turn(session, match, seat, turn, now, received, answer.incoming, answer.why)
        if match.state != MatchState.RUNNING:
            break
        events += prepared_and_forced_turns.advance(session, match, rows, seat, turn.text)
        snapshot = snapshot.after(turn)
    return events


def _store_turn(
    session: Session,
    match: Match,
    seat: Seat,
    turn: ReadTurn,
    now: datetime,
    received: datetime,
    brought_by: int | None,
    by_itself: Cause | None = None,
) -> Events:
    number, position = match.plies + 1, turn.position
    row = {"match": match.id, "number": number, "seat": seat, "text": turn.text, "incoming": brought_by, "played": now}
    session.connection().execute(_PLAYED, row)
    match.part, match.plies, match.to_move = None, number, position.turn
    match.offers, match.paused, match.resumes = stored_offers.after_turn(match, seat), None, None
    timekeeping.play(session, match, seat, received, by_message=brought_by is not None and by_itself is None)
    played = TurnPlayed(match, seat, number, turn.text, by_itself)
    if position.outcome is None:
        return (played,)
    ending = Ending(Termination.RULES)
    return (played, *end(session, match, ending, position.outcome.winner, now, reason=position.outcome.reason))


def keep_part(session: Session, snapshot: Snapshot, seat: Seat, turn: ReadTurn) -> Events:
    """Keep the first part of a turn, which a later message completes."""
    match = snapshot.match
    _check_fresh(snapshot, seat)
    if turn.complete:
        raise NotPossible(Obstacle.COMPLETE, match)
    match.part = turn.text
    session.flush()
    return (PartKept(match, seat, turn.text),)


def _check_fresh(snapshot: Snapshot, seat: Seat) -> None:
    check_turn(snapshot.match, seat)
    if (snapshot.ply, snapshot.part) != (snapshot.match.plies, snapshot.match.part):
        raise NotPossible(Obstacle.MOVED_ON, snapshot.match)


def take_back_part(session: Session, match: Match, seat: Seat) -> Events:
    check_running(match)
    if match.part is None or match.to_move != seat:
        raise NotPossible(Obstacle.NO_PART, match)
    part, match.part = match.part, None
    session.flush()
    return (PartTakenBack(match, seat, part),)


def take_back(
    session: Session, match: Match, seat: Seat, back_to: int, now: datetime, *, freely: bool = False
) -> Events:
    """Move the turns after that many to the log of what was taken back; `seat`, who played the first, is to move.

    If nobody was asked (`freely`), the undone turn gave its player no time, and costs the opponent none.
    """
    check_running(match)
    rows = session.exec(select(Ply).where(Ply.match == match.id, Ply.number > back_to).order_by(col(Ply.number))).all()
    for row in rows:
        session.add(TakenBack(**row.model_dump(exclude={"id"}), shift=match.shift, taken_back=now))
        session.delete(row)
    match.plies, match.to_move, match.part = back_to, seat, None
    match.shift += len(rows) + 1
    match.offers, match.paused, match.resumes = {}, None, None
    timekeeping.note(session, match, clock.TurnsTakenBack(now, seat if freely else None))
    session.flush()
    void = (PreparedVoid(match, owner, Void.TAKEN_BACK) for owner in prepared_and_forced_turns.drop(session, match))
    return (TurnsTakenBack(match, seat, tuple(row.text for row in rows)), *void)


def resign(session: Session, match: Match, seat: Seat, now: datetime) -> Events:
    return end(session, match, Ending(Termination.RESIGNATION, seat), other(seat), now)


def leave(session: Session, match: Match, player: Player, now: datetime) -> Events:
    seat = queries.seat_of(match, player)
    if seat is None:
        raise NotPossible(Obstacle.NOT_A_PLAYER, match)
    match match.state:
        case MatchState.RUNNING:
            return end(session, match, Ending(Termination.LEFT, seat), other(seat), now)
        case MatchState.OFFERED:
            return _close(session, match, now, withdrawn=match.challenger == player.id, by_leaving=True)
    return ()


def end(
    session: Session, match: Match, ending: Ending, winner: int | None, now: datetime, *, reason: str | None = None
) -> Events:
    """End the match; `reason` is the result in the words of the rules."""
    check_running(match)
    match.state, match.ended, match.part, match.to_move = MatchState.OVER, now, None, None
    match.winner, match.reason = winner, reason
    match.termination, match.termination_seat = ending.termination.value, ending.seat
    match.offers, match.paused, match.resumes = {}, None, None
    if match.rated and match.plies >= FEWEST_RATED and ending.termination not in WITHOUT_RESULT:
        match.counted = now
    timekeeping.note(session, match, Ended(now))
    session.flush()
    prepared_and_forced_turns.drop(session, match)
    return (MatchEnded(match, ending, None if winner is None else seat_of(winner)),)


def transfer(session: Session, match: Match, guest: Player, player: Player) -> None:
    """Let the player take the guest's place in an offer: it came to an address that is the player's now."""
    seat = queries.seat_of(match, guest)
    if match.state != MatchState.OFFERED or seat is None:
        raise NotPossible(Obstacle.NOT_ON_OFFER, match)
    match.seat0, match.seat1 = with_entry((match.seat0, match.seat1), seat, player.id or 0)
    session.flush()
