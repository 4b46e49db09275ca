"""What the pages show, read from the database: matches in lists, standings, seeks and tournaments.

Names come from `visibility` alone. Nothing that a player wrote is here, except the titles of tournaments, which their
hosts gave them; and neither is an address or a token, because no row that has them is read.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlmodel import Session, col, select

from notation.ending import WITHOUT_RESULT
from notation.games import GAMES
from notation.time_control import from_stored
from notation.time_control import in_words as in_words_of_time
from pbem.features.tournaments import entries, ladders, openings, rounds
from pbem.features.tournaments.matchups import Format
from pbem.features.tournaments.standings import Table, crosstable
from pbem.features.tournaments.tournament_views import TournamentLine
from pbem.features.tournaments.tournament_views import line as tournament_line
from pbem.matches.ratings import standings
from pbem.matches.ratings.standings import RatingPlace
from pbem.publishing import visibility
from pbem.publishing.visibility import PublicMatch, PublicPlayer
from pbem.storage.models import Match, MatchState, Pairing, Seek, Tournament

STANDINGS, SEEKS = 100, 100  # the most places and seeks of a page


@dataclass(frozen=True, slots=True)
class PageLine:
    number: int
    title: str
    players: tuple[PublicPlayer, PublicPlayer]
    result: str
    score: str  # 1-0 or 0-1; = for a draw, - for no result, * while it is running
    is_over: bool
    plies: int
    day: datetime


@dataclass(frozen=True, slots=True)
class PagePlace:
    number: int
    player: PublicPlayer
    standing: RatingPlace


@dataclass(frozen=True, slots=True)
class SeekShown:
    number: int
    title: str
    player: PublicPlayer
    terms: str


@dataclass(frozen=True, slots=True)
class TournamentPage:
    line: TournamentLine
    game: str
    time: str
    closes: date | None  # until when players can enter; None if that isn't known, or past
    entrants: Mapping[int, PublicPlayer]
    table: Table | None  # none before it has begun, and of a ladder
    rungs: tuple[PublicPlayer, ...]  # the players of a ladder, from the top
    matches: Sequence[PageLine]
    cells: Mapping[tuple[int, int], int]
    """The numbers of the matches by the player and the column of the crosstable, counted from 0."""


def line(listed: PublicMatch, people: Mapping[int, PublicPlayer]) -> PageLine:
    first, second = (people.get(seat, PublicPlayer(0)) for seat in listed.seats)
    players = (first, second)
    if not listed.is_over:
        result, score = f"running, turn {listed.plies + 1}", "*"
    elif listed.termination in WITHOUT_RESULT:
        result, score = "no result", "-"
    elif listed.winner is None:
        result, score = "draw", "="
    else:
        result, score = f"{players[listed.winner].name} won", ("1-0", "0-1")[listed.winner]
    title = GAMES.title(listed.game)
    return PageLine(listed.number, title, players, result, score, listed.is_over, listed.plies, listed.day)


def lines(session: Session, matches: Sequence[PublicMatch]) -> list[PageLine]:
    people = visibility.people(session, {seat for each in matches for seat in each.seats})
    return [line(each, people) for each in matches]


def place_list(session: Session, game: str, now: datetime, most: int = STANDINGS) -> list[PagePlace]:
    """Return the best players of a game; those who don't want to be shown keep their place, without a name."""
    places = standings.of_game(session, game, now, 0, most)
    people = visibility.people(session, {place.player for place in places})
    return [
        PagePlace(number, people.get(place.player, PublicPlayer(0)), place)
        for number, place in enumerate(places, start=1)
    ]


def seeks(session: Session, now: datetime) -> list[SeekShown]:
    is_open = (col(Seek.closed).is_(None), col(Seek.expires) > now)
    rows = session.exec(select(Seek).where(*is_open).order_by(col(Seek.expires), col(Seek.id)).limit(SEEKS)).all()
    people = visibility.people(session, {row.player for row in rows})
    return [
        SeekShown(row.id or 0, GAMES.title(row.game), people.get(row.player, PublicPlayer(0)), _terms(row))
        for row in rows
    ]


def _terms(seek: Seek) -> str:
    time = in_words_of_time(from_stored(seek.time)) if seek.time else ""
    words = (*GAMES.options_in_words(seek.game, seek.options), time, "rated" if seek.rated else "")
    return ", ".join(filter(None, words))


def tournament(session: Session, row: Tournament, now: datetime) -> TournamentPage:
    of_this = visibility.matches(session, col(Match.tournament) == row.id, order=(col(Match.id),))
    entrants = entries.players_of(session, row)
    is_ladder = row.kind == Format.LADDER
    rungs = ladders.on(session, row) if is_ladder else ()
    people = visibility.people(session, {*rungs, *(player.id or 0 for _, player in entrants)})
    table = crosstable(rounds.field_of(session, row)) if row.started is not None and not is_ladder else None
    return TournamentPage(
        line=tournament_line(row, len(entrants), now),
        game=row.game,
        time=in_words_of_time(from_stored(row.time)),
        closes=row.closes.date() if row.started is None and row.ended is None else None,
        entrants={player.id or 0: people.get(player.id or 0, PublicPlayer(0)) for _, player in entrants},
        table=table,
        rungs=tuple(people.get(player, PublicPlayer(0)) for player in rungs),
        matches=lines(session, of_this),
        cells={} if table is None else _cells(session, row, table, [match.number for match in of_this]),
    )


def _cells(session: Session, row: Tournament, table: Table, numbers: Collection[int]) -> Mapping[tuple[int, int], int]:
    columns: dict[int | None, int] = {entry.entrant.player: number for number, entry in enumerate(table.rows)}
    of_these = (Pairing.tournament == row.id, col(Pairing.match).in_(numbers))
    cells: dict[tuple[int, int], int] = {}
    for pairing in session.exec(select(Pairing).where(*of_these).order_by(col(Pairing.id))):
        for player, opponent in ((pairing.first, pairing.second), (pairing.second, pairing.first)):
            column = pairing.round - 1 if table.by_round else columns.get(opponent, -1)
            cells[player or 0, column] = pairing.match or 0
    return cells


def tournament_lines(session: Session, most: int, now: datetime) -> list[TournamentLine]:
    rows = session.exec(select(Tournament).order_by(col(Tournament.id).desc()).limit(most)).all()
    entrants = openings.numbers_of(session, rows)
    return [tournament_line(row, entrants[row.id or 0], now) for row in rows]


# Lists of matches, each by an index of the database, and no longer than it is shown.
THOUSAND = 1000  # the numbers of matches for which a folder stands
_NEWEST = (col(Match.id).desc(),)
_IS_OVER, _LAST_ENDED = col(Match.termination).is_not(None), (col(Match.ended).desc(), col(Match.id).desc())
_IS_RUNNING = col(Match.state) == MatchState.RUNNING


def running(session: Session, most: int) -> list[PageLine]:
    return lines(session, visibility.matches(session, _IS_RUNNING, order=_NEWEST, most=most))


def over(session: Session, most: int) -> list[PageLine]:
    return lines(session, visibility.matches(session, _IS_OVER, order=_LAST_ENDED, most=most))


def of_game(session: Session, game: str, most: int) -> list[PageLine]:
    """Return those that ended or began last."""
    of_this = col(Match.game) == game
    still = visibility.matches(session, _IS_RUNNING, of_this, order=_NEWEST, most=most)
    over = visibility.matches(session, of_this, _IS_OVER, order=_LAST_ENDED, most=most)
    return lines(session, _newest((*still, *over), most))


def of_player(session: Session, player: int, most: int) -> list[PageLine]:
    matches: set[PublicMatch] = set()
    for seat in (col(Match.seat0), col(Match.seat1)):
        still = (seat == player, col(Match.to_move).is_not(None), _IS_RUNNING)
        matches.update(visibility.matches(session, *still, order=_NEWEST, most=most))
        matches.update(visibility.matches(session, seat == player, _IS_OVER, order=_LAST_ENDED, most=most))
    return lines(session, _newest(matches, most))


def in_folder(session: Session, folder: int) -> list[PageLine]:
    numbers = (col(Match.id) >= folder * THOUSAND, col(Match.id) < (folder + 1) * THOUSAND)
    return lines(session, visibility.matches(session, *numbers, order=(col(Match.id),)))


def beside(session: Session, folder: int) -> list[int]:
    """Return the folders before and after one, of those that have matches."""
    number = col(Match.id)
    before = visibility.matches(session, number < folder * THOUSAND, order=_NEWEST, most=1)
    after = visibility.matches(session, number >= (folder + 1) * THOUSAND, order=(number,), most=1)
    return [each.number // THOUSAND for each in (*before, *after)]


def _newest(matches: Iterable[PublicMatch], most: int) -> list[PublicMatch]:
    return sorted(matches, key=lambda each: (each.day, each.number), reverse=True)[:most]
