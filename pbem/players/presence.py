"""The directory: who plays here, for those who agreed to be listed, and when they last wrote."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from enum import IntEnum

from sqlalchemy import String, cast
from sqlmodel import Session, col, delete, func, select

from pbem.errors import Refused
from pbem.matches.queries import number_between, people_of, seat_of
from pbem.players import blocks
from pbem.players.answer_budgets import HOUR, ONCE
from pbem.storage.models import HOUSE, Match, MatchState, Outgoing, OutgoingContent, Player, Presence
from pbem.storage.outages import within
from pbem.storage.preference import OFF, ON, Preference

TO_THE = timedelta(days=1)  # the precision of what is stored, so that most messages change nothing
ACTIVE = timedelta(days=30)


def note(session: Session, player: Player, now: datetime) -> None:
    """Store that the player has written, unless that is known of this day."""
    row = session.get(Presence, player.id)
    if row is None:
        session.add(Presence(player=player.id, seen=now))
    elif not row.seen <= now < row.seen + TO_THE:
        row.seen = now
        session.add(row)


def _show(session: Session, player: Player, now: datetime) -> None:
    row = session.get(Presence, player.id) or Presence(player=player.id, seen=now)
    row.listed = (row.listed or now) if LISTED.of(player.settings) == ON else None
    session.add(row)
    session.flush()


LISTED = Preference("listed", (OFF, ON), 'whether "who" shows your name to other players', on_choice=_show)


def listed(session: Session, now: datetime, most: int, page: int = 1) -> tuple[list[tuple[str, datetime]], bool]:
    """Return names and when they last wrote, and whether there are more. Players who get no news aren't listed."""
    present = (col(Presence.listed).is_not(None), col(Presence.seen) > now - ACTIVE)
    newest = select(Presence.player, Presence.seen).where(*present)
    newest = newest.order_by(col(Presence.seen).desc(), col(Presence.player))
    rows = session.exec(newest.offset((page - 1) * most).limit(most + 1)).all()
    numbers = [player for player, _ in rows[:most]]
    people = session.exec(select(Player).where(col(Player.id).in_(numbers))) if numbers else ()
    names = {player.id: player.name or "" for player in people if is_reachable(player)}
    return [(names[player], seen) for player, seen in rows[:most] if player in names], len(rows) > most


def is_reachable(player: Player) -> bool:
    return all(since is None for since in (player.stopped, player.unreachable, player.banned, player.deleted))


def last_seen(session: Session, player: Player) -> datetime | None:
    row = session.get(Presence, player.id)
    return None if row is None else row.seen


def forget(session: Session, player: Player) -> None:
    session.exec(delete(Presence).where(col(Presence.player) == player.id))


NOTES_PER_HOUR, LETTERS_PER_HOUR = 40, 100_000
"""The number and the length of messages with notes and offers that one player can cause to another in an hour."""


def check(session: Session, match: Match, other: Player, note: Sequence[str], now: datetime) -> None:
    """Raise Refused if the other player of the match has had more notes and offers within an hour than anyone reads."""
    both = (match.seat0, match.seat1)
    theirs = select(Match.id).where(col(Match.seat0).in_(both), col(Match.seat1).in_(both))
    length = func.coalesce(func.sum(func.length(cast(OutgoingContent.payload, String))), 0)
    notes = (
        select(func.count(), length)
        .select_from(Outgoing)
        .join(OutgoingContent, col(OutgoingContent.outgoing) == col(Outgoing.id), isouter=True)
        .where(
            Outgoing.player == other.id,
            within(Outgoing.created, HOUR, now),
            col(Outgoing.template).in_(("message", "offer")),
            col(Outgoing.match).in_(theirs),
        )
    )
    number, letters = session.exec(notes).one()
    if number >= NOTES_PER_HOUR or int(letters) + sum(map(len, note)) > LETTERS_PER_HOUR:
        raise Refused(
            f"Your notes and offers to {other.name} within an hour are as many, or as long, as we pass on.",
            fits="Your turns still count; everything else has to wait for an hour.",
            gist=f"{ONCE}{match.seat0} {match.seat1}",
        )


IN_TOURNAMENTS, ALL, LATE, NOBODY = "tournaments", "on", "delayed", "off"
# A match that is over is open to all players. While it goes on, others see it only if both of its players allow that:
# each player's choice is a limit, so the narrower of the two counts.
WATCHERS = Preference(
    "watchers",
    (IN_TOURNAMENTS, ALL, LATE, NOBODY),
    "who may watch your matches: in tournaments anybody, in all, in all but a turn late, nobody",
)


class Visibility(IntEnum):
    NOTHING = 0
    LATE = 1  # all but the last turn
    ALL = 2


def of(match: Match, players: Iterable[Player]) -> Visibility:
    in_tournament = Visibility.NOTHING if match.tournament is None else Visibility.ALL
    limits = {IN_TOURNAMENTS: in_tournament, ALL: Visibility.ALL, LATE: Visibility.LATE, NOBODY: Visibility.NOTHING}
    people = [player for player in players if player.address != HOUSE]
    return min((limits[WATCHERS.of(player.settings)] for player in people), default=Visibility.ALL)


def of_reader(session: Session, match: Match, reader: Player | None) -> Visibility:
    """Return what a reader may see; a block between them and one of the players hides the match."""
    return of_matches(session, (match,), reader)[match.id or 0]


def of_matches(session: Session, matches: Sequence[Match], reader: Player | None) -> dict[int, Visibility]:
    sights = {match.id or 0: Visibility.ALL for match in matches}
    running = [match for match in matches if match.state == MatchState.RUNNING]
    others = [match for match in running if reader is None or seat_of(match, reader) is None]
    if not others:
        return sights
    if reader is None or reader.confirmed is None:
        return sights | {match.id or 0: Visibility.NOTHING for match in others}
    people, blocked = people_of(session, others), blocks.around(session, (reader.id or 0,)) - {reader.id}
    for match in others:
        seats = (match.seat0, match.seat1)
        is_seen = blocked.isdisjoint(seats)
        sights[match.id or 0] = of(match, (people[seat] for seat in seats)) if is_seen else Visibility.NOTHING
    return sights


def of_absence(session: Session, player: Player, reader: Player) -> bool:
    """Return whether that reader sees on what days a player is away: their opponents do."""
    return reader.id == player.id or number_between(session, player, reader) > 0


def last_ply(match: Match, sight: Visibility) -> int:
    is_late = sight is Visibility.LATE and match.state == MatchState.RUNNING
    return max(match.plies - 1, match.begun_after) if is_late else match.plies
