"""What the pages show, read from the database: matches in lists, players, standings, seeks and tournaments.

Names come from `visibility` alone. Nothing that a player wrote is here, except the titles of tournaments, which their
hosts gave them; and neither is an address or a token, because no row that has them is read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import NamedTuple

from sqlmodel import Session, col, select

from notation.ending import WITHOUT_RESULT
from notation.games import GAMES
from notation.time_control import from_stored
from notation.time_control import in_words as in_words_of_time
from pbem.features.tournaments import entries, ladders, rounds
from pbem.features.tournaments.field import CrosstableEntry, Format, Table, crosstable
from pbem.features.tournaments.messages import TournamentLine
from pbem.features.tournaments.messages import line as tournament_line
from pbem.matches.ratings import standings
from pbem.publishing import visibility
from pbem.publishing.visibility import Listed, Shown
from pbem.storage.models import Match, MatchState, Pairing, Seek, Tournament

STANDINGS, SEEKS = 100, 100
"""How many places and seeks a page has."""


@dataclass(frozen=True, slots=True)
class PageLine:
    number: int
    title: str
    players: tuple[Shown, Shown]
    result: str
    score: str
    """1-0 or 0-1; = for a draw, - for no result, * while it is running."""
    is_over: bool
    plies: int
    day: datetime


@dataclass(frozen=True, slots=True)
class PagePlace:
    number: int
    player: Shown
    rating: str
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class SeekShown:
    number: int
    title: str
    player: Shown
    terms: str


@dataclass(frozen=True, slots=True)
class TournamentPage:
    line: TournamentLine
    game: str
    """The key of the game."""
    time: str
    closes: date | None
    """Until when players can enter; None if that isn't known, or past."""
    entrants: tuple[Shown, ...]
    """The players who have entered."""
    table: Table | None
    """None before it has begun, and of a ladder."""
    names: Mapping[int, Shown]
    rungs: tuple[Shown, ...] = ()
    """The players of a ladder, from the top."""
    matches: tuple[PageLine, ...] = ()
    """Those that are shown."""
    by_round: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """Their numbers by player and round."""
    by_opponent: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """Their numbers by player and opponent."""

    def match_in(self, table: Table, row: CrosstableEntry, column: int) -> int | None:
        """Return the number of the match that a cell of a crosstable is about, if it is shown; columns count from 0."""
        player = row.entrant.player
        if table.by_round:
            return self.by_round.get((player, column + 1))
        return self.by_opponent.get((player, table.rows[column].entrant.player))


def line(listed: Listed, people: Mapping[int, Shown]) -> PageLine:
    first, second = (people.get(seat, Shown(0)) for seat in listed.seats)
    players = (first, second)
    is_over = listed.is_over
    if not is_over:
        result, score = f"running, turn {listed.plies + 1}", "*"
    elif listed.termination in WITHOUT_RESULT:
        result, score = "no result", "-"
    elif listed.winner is None:
        result, score = "draw", "="
    else:
        result, score = f"{players[listed.winner].name} won", ("1-0", "0-1")[listed.winner]
    title = GAMES.title(listed.game)
    return PageLine(listed.number, title, players, result, score, is_over, listed.plies, listed.day)


def lines(session: Session, matches: Sequence[Listed]) -> list[PageLine]:
    people = visibility.people(session, {seat for each in matches for seat in each.seats})
    return [line(each, people) for each in matches]


def place_list(session: Session, game: str, now: datetime, most: int = STANDINGS) -> list[PagePlace]:
    """Return the best players of a game; those who don't want to be shown keep their place, without a name."""
    found = standings.of_game(session, game, now, 0, most)
    people = visibility.people(session, {each.player for each in found})
    return [
        PagePlace(number, people.get(each.player, Shown(0)), each.shown, each.wins, each.draws, each.losses)
        for number, each in enumerate(found, start=1)
    ]


def seeks(session: Session, now: datetime) -> list[SeekShown]:
    is_open = (col(Seek.closed).is_(None), col(Seek.expires) > now)
    rows = session.exec(select(Seek).where(*is_open).order_by(col(Seek.expires), col(Seek.id)).limit(SEEKS)).all()
    people = visibility.people(session, {row.player for row in rows})
    return [
        SeekShown(
            row.id or 0,
            GAMES.title(row.game),
            people.get(row.player, Shown(0)),
            ", ".join(
                (
                    *GAMES.options_in_words(row.game, row.options),
                    *((in_words_of_time(from_stored(row.time)),) if row.time else ()),
                    *(("rated",) if row.rated else ()),
                )
            ),
        )
        for row in rows
    ]


def tournament(session: Session, row: Tournament, now: datetime, matches: Iterable[PageLine]) -> TournamentPage:
    entrants = entries.players_of(session, row)
    is_ladder = row.kind == Format.LADDER
    rungs = ladders.on(session, row) if is_ladder else ()
    people = visibility.people(session, {*rungs, *(player.id or 0 for _, player in entrants)})
    names = {player.id or 0: people.get(player.id or 0, Shown(0)) for _, player in entrants}
    shown_matches = tuple(matches)
    met = _met(session, row, shown_matches)
    return TournamentPage(
        tournament_line(row, len(entrants), now),
        row.game,
        in_words_of_time(from_stored(row.time)),
        row.closes.date() if row.started is None and row.ended is None else None,
        tuple(names.values()),
        crosstable(rounds.field_of(session, row)) if row.started is not None and not is_ladder else None,
        names,
        tuple(people.get(each, Shown(0)) for each in rungs),
        shown_matches,
        {(player, each.round): each.match or 0 for each, player, _ in met},
        {(player, opponent): each.match or 0 for each, player, opponent in met},
    )


def _met(session: Session, row: Tournament, matches: Sequence[PageLine]) -> list[tuple[Pairing, int, int]]:
    numbers = [each.number for each in matches]
    of_these = (Pairing.tournament == row.id, col(Pairing.match).in_(numbers))
    found = session.exec(select(Pairing).where(*of_these).order_by(col(Pairing.id))).all()
    both = ((each, each.first, each.second or 0) for each in found)
    return [pair for each, first, second in both for pair in ((each, first, second), (each, second, first))]


def tournament_lines(session: Session, most: int, now: datetime) -> list[TournamentLine]:
    rows = session.exec(select(Tournament).order_by(col(Tournament.id).desc()).limit(most)).all()
    entrants = entries.numbers_of(session, rows)
    return [tournament_line(row, entrants[row.id or 0], now) for row in rows]


# Lists of matches, each by an index of the database, and no longer than it is shown.
THOUSAND = 1000
"""How many numbers of matches a folder stands for."""
_NEWEST = (col(Match.id).desc(),)
_IS_OVER, _LAST_ENDED = col(Match.termination).is_not(None), (col(Match.ended).desc(), col(Match.id).desc())
_IS_RUNNING = col(Match.state) == MatchState.RUNNING


class Span(NamedTuple):
    folder: int
    matches: int
    first: str
    last: str


def running(session: Session, most: int) -> list[Listed]:
    return visibility.matches(session, _IS_RUNNING, order=_NEWEST, most=most)


def over(session: Session, most: int) -> list[Listed]:
    return visibility.matches(session, _IS_OVER, order=_LAST_ENDED, most=most)


def of_game(session: Session, game: str, most: int) -> list[Listed]:
    """Return those that ended or began last."""
    of_this = col(Match.game) == game
    still = visibility.matches(session, _IS_RUNNING, of_this, order=_NEWEST, most=most)
    over = visibility.matches(session, of_this, _IS_OVER, order=_LAST_ENDED, most=most)
    return _newest((*still, *over), most)


def of_player(session: Session, player: int, most: int) -> list[Listed]:
    found: set[Listed] = set()
    for seat in (col(Match.seat0), col(Match.seat1)):
        still = (seat == player, col(Match.to_move).is_not(None), _IS_RUNNING)
        found.update(visibility.matches(session, *still, order=_NEWEST, most=most))
        found.update(visibility.matches(session, seat == player, _IS_OVER, order=_LAST_ENDED, most=most))
    return _newest(found, most)


def of_tournament(session: Session, tournament: int) -> list[Listed]:
    return visibility.matches(session, col(Match.tournament) == tournament, order=(col(Match.id),))


def in_folder(session: Session, folder: int) -> list[Listed]:
    first = col(Match.id) >= folder * THOUSAND
    return visibility.matches(session, first, col(Match.id) < (folder + 1) * THOUSAND, order=(col(Match.id),))


def spans(session: Session) -> Iterator[Span]:
    """Yield what each folder has. This looks at all matches."""
    for folder, count, first, last in visibility.spans(session, THOUSAND):
        yield Span(folder, count, f"{first:%Y-%m-%d}", f"{last:%Y-%m-%d}")


def beside(session: Session, folder: int) -> list[int]:
    """Return the folders before and after one, of those that have matches."""
    number = col(Match.id)
    before = visibility.matches(session, number < folder * THOUSAND, order=_NEWEST, most=1)
    after = visibility.matches(session, number >= (folder + 1) * THOUSAND, order=(number,), most=1)
    return [each.number // THOUSAND for each in (*before, *after)]


def _newest(matches: Iterable[Listed], most: int) -> list[Listed]:
    return sorted(matches, key=lambda each: (each.day, each.number), reverse=True)[:most]
