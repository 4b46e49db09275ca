"""What the pages show, read from the database: matches in lists, players, standings, seeks and tournaments.

Names come from `visibility` alone. Nothing that a player wrote is here, except the titles of tournaments, which their
hosts gave them; and neither is an address or a token, because no row that has them is read.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from notation.ending import WITHOUT_RESULT
from notation.games import GAMES
from notation.time_control import from_stored
from notation.time_control import in_words as in_words_of_time
from pbem.features.tournaments import crosstable, entries, rounds, rungs
from pbem.features.tournaments.crosstable import Table
from pbem.features.tournaments.field import Format
from pbem.features.tournaments.messages import TournamentLine
from pbem.features.tournaments.shown import line as tournament_line
from pbem.matches.ratings import standings
from pbem.publishing import fingerprints
from pbem.publishing.visibility import Listed, Shown
from pbem.storage.models import Entry, Match, Pairing, Player, Seek, Tournament

STANDINGS, SEEKS = 100, 100
"""How many places and seeks a page has."""


@dataclass(frozen=True, slots=True)
class PageLine:
    """A match in a list."""

    number: int
    title: str
    players: tuple[Shown, Shown]
    result: str
    is_over: bool
    plies: int
    day: datetime


@dataclass(frozen=True, slots=True)
class PagePlace:
    """A place in the standings of a game."""

    number: int
    player: Shown
    rating: str
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class SeekShown:
    """An open seek."""

    number: int
    title: str
    player: Shown
    terms: str


@dataclass(frozen=True, slots=True)
class TournamentPage:
    """A tournament and, once it has begun, its crosstables."""

    number: int
    title: str
    kind: str
    game: str
    state: str
    entrants: int
    tables: tuple[Table, ...]
    """One for each group of a league, and for each team of a team match."""
    names: Mapping[int, Shown]
    rungs: tuple[Shown, ...] = ()
    """The players of a ladder, from the top."""
    matches: tuple[PageLine, ...] = ()


def line(listed: Listed, people: Mapping[int, Shown]) -> PageLine:
    """Return a match as lists show it."""
    first, second = (people.get(seat, Shown(0)) for seat in listed.seats)
    players = (first, second)
    is_over = listed.is_over
    if not is_over:
        result = f"running, turn {listed.plies + 1}"
    elif listed.termination in WITHOUT_RESULT:
        result = "no result"
    else:
        result = "draw" if listed.winner is None else f"{players[listed.winner].name} won"
    title = GAMES.title(listed.game)
    return PageLine(listed.number, title, players, result, is_over, listed.plies, listed.day)


def place_list(session: Session, game: str, people: Mapping[int, Shown], now: datetime) -> list[PagePlace]:
    """Return the best players of a game; those who don't want to be shown keep their place, without a name."""
    found = standings.of_game(session, game, now, 0, STANDINGS)
    return [
        PagePlace(number, people.get(each.player, Shown(0)), each.shown, each.wins, each.draws, each.losses)
        for number, each in enumerate(found, start=1)
    ]


def ratings(session: Session, player: int, now: datetime) -> list[tuple[str, str, int, int, int]]:
    """Return game, rating, and the numbers of rated matches won, drawn and lost, of a player."""
    found = standings.of_player(session, session.get_one(Player, player), now)
    return [(GAMES.title(each.game), each.shown, each.wins, each.draws, each.losses) for each in found]


def seeks(session: Session, people: Mapping[int, Shown], now: datetime) -> list[SeekShown]:
    """Return the open seeks, those that end first at the beginning."""
    is_open = (col(Seek.closed).is_(None), col(Seek.expires) > now)
    rows = session.exec(select(Seek).where(*is_open).order_by(col(Seek.expires), col(Seek.id)).limit(SEEKS))
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


def tournament(
    session: Session, row: Tournament, people: Mapping[int, Shown], matches: Iterable[PageLine] = ()
) -> TournamentPage:
    """Return a tournament with the names that are shown."""
    entrants = entries.players_of(session, row)
    is_ladder = row.kind == Format.LADDER
    names = {player.id or 0: people.get(player.id or 0, Shown(0)) for _, player in entrants}
    return TournamentPage(
        row.id or 0,
        row.title,
        row.kind,
        GAMES.title(row.game),
        entries.state_of(row).value,
        len(entrants),
        crosstable.tables(rounds.field_of(session, row)) if row.started is not None and not is_ladder else (),
        names,
        tuple(people.get(each, Shown(0)) for each in rungs.on(session, row)) if is_ladder else (),
        tuple(matches),
    )


def tournaments(session: Session) -> dict[int, str]:
    """Return all tournaments, each with a text that changes whenever what it shows of itself does."""
    columns: Any = (Tournament.id, Tournament.title, Tournament.started, Tournament.ended, Tournament.closes)
    told: Any = {number: str(rest) for number, *rest in session.execute(select(*columns))}
    is_on = col(Tournament.ended).is_(None)
    seats = (func.coalesce(col(Entry.rung), 0), func.coalesce(col(Entry.seed), 0))
    left = map(fingerprints.is_set, (Entry.withdrawn, Player.banned, Player.deleted))
    entered = select(Entry.tournament, fingerprints.of(col(Entry.player), *seats, *left))
    entered = entered.join(Tournament).join(Player, col(Player.id) == Entry.player).group_by(col(Entry.tournament))
    lengths = (func.length(col(Pairing.result)), col(Match.id), func.length(col(Match.termination)))
    result = (*lengths, func.length(col(Match.state)), col(Match.winner) + 1)
    met = select(Pairing.tournament, fingerprints.of(col(Pairing.id), *(func.coalesce(each, 0) for each in result)))
    met = met.join(Tournament).outerjoin(Match, col(Match.id) == Pairing.match).group_by(col(Pairing.tournament))
    for query in (entered, met):
        for number, changing in session.execute(query.where(is_on)):
            told[number] += f",{changing}"
    return dict(told)


def tournament_lines(session: Session, most: int, now: datetime) -> list[TournamentLine]:
    """Return the newest tournaments as a list shows them."""
    rows = session.exec(select(Tournament).order_by(col(Tournament.id).desc()).limit(most)).all()
    entrants = entries.numbers_of(session, rows)
    return [tournament_line(row, entrants[row.id or 0], now) for row in rows]
