"""What players see of each other: matches that go on, and when somebody is away. What is over is open to all players.

Who sees a match that goes on without playing in it: nobody, unless both of its players allow that. Each player's choice
is a limit, so the narrower of the two counts. Who sees when somebody is away: those who play with them.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum

from sqlmodel import Session

from pbem.matches.queries import are_playing, people_of, seat_of
from pbem.players import blocks
from pbem.storage.models import HOUSE, Match, MatchState, Player
from pbem.storage.preferences import Preference

IN_TOURNAMENTS, ALL, LATE, NOBODY = "tournaments", "on", "delayed", "off"
WATCHERS = Preference(
    "watchers",
    (IN_TOURNAMENTS, ALL, LATE, NOBODY),
    "who may watch your matches: in tournaments anybody, in all, in all but a turn late, nobody",
)


class Sight(IntEnum):
    NOTHING = 0
    LATE = 1
    """All but the last turn."""
    ALL = 2


def of(match: Match, players: Iterable[Player]) -> Sight:
    return min(_allowed(match, player) for player in players)


def _allowed(match: Match, player: Player) -> Sight:
    if player.address == HOUSE:
        return Sight.ALL
    choice = WATCHERS.of(player.settings)
    if choice == LATE:
        return Sight.LATE
    is_open = choice == ALL or (choice == IN_TOURNAMENTS and match.tournament is not None)
    return Sight.ALL if is_open else Sight.NOTHING


def of_reader(session: Session, match: Match, reader: Player | None) -> Sight:
    """Where one of its players and the reader have blocked each other, it is as if that player didn't allow it.

    Who is no player yet sees nothing of a match that goes on.
    """
    return of_matches(session, (match,), reader)[match.id or 0]


def of_matches(session: Session, matches: Sequence[Match], reader: Player | None) -> dict[int, Sight]:
    found = {match.id or 0: Sight.ALL for match in matches}
    others = [match for match in matches if match.state == MatchState.RUNNING and not _plays(match, reader)]
    if not others:
        return found
    if reader is None or reader.confirmed is None:
        return found | {match.id or 0: Sight.NOTHING for match in others}
    people, apart = people_of(session, others), blocks.around(session, (reader.id or 0,)) - {reader.id}
    for match in others:
        seats = (match.seat0, match.seat1)
        is_apart = not apart.isdisjoint(seats)
        found[match.id or 0] = Sight.NOTHING if is_apart else of(match, (people[seat] for seat in seats))
    return found


def of_absence(session: Session, player: Player, reader: Player) -> bool:
    """Return whether that reader sees on what days a player is away: an opponent in a match that goes on does."""
    return reader.id == player.id or are_playing(session, player, reader)


def _plays(match: Match, reader: Player | None) -> bool:
    return reader is not None and seat_of(match, reader) is not None


def last_ply(match: Match, sight: Sight) -> int:
    is_late = sight is Sight.LATE and match.state == MatchState.RUNNING
    return max(match.plies - 1, match.begun_after) if is_late else match.plies


def allows_any(player: Player) -> bool:
    return player.address != HOUSE and WATCHERS.of(player.settings) != NOBODY
