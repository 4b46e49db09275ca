"""Who may watch a match, and how late: what both players allow, and what a reader sees of it."""

from collections.abc import Iterable, Sequence
from enum import IntEnum

from sqlmodel import Session

from pbem.matches.queries import number_between, people_of, seat_of
from pbem.players import blocks
from pbem.storage.models import HOUSE, Match, MatchState, Player
from pbem.storage.preference_definition import Preference

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
