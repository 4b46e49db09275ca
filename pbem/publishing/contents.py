"""What the pages show, read from the database: matches with their boards, players, standings, seeks and tournaments.

Names come from `visibility` alone. Nothing that a player wrote is here, except the titles of tournaments, which their
hosts gave them; and neither is an address or a token, because no row that has them is read.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any

from sqlalchemy import func
from sqlalchemy.orm.attributes import set_committed_value
from sqlmodel import Session, col, select

from engines.diagram import Diagram
from notation import record
from notation.board import format_board
from notation.description import describe
from notation.ending import WITHOUT_RESULT
from notation.games import GAMES
from notation.time_control import from_stored
from notation.time_control import in_words as in_words_of_time
from pbem.features.tournaments import crosstable, entries, rounds, rungs
from pbem.features.tournaments.crosstable import Table
from pbem.features.tournaments.field import Format
from pbem.features.tournaments.messages import TournamentLine
from pbem.features.tournaments.shown import line as tournament_line
from pbem.matches.clock.timesheet import TurnTime, turn_times
from pbem.matches.ratings import standings
from pbem.matches.snapshot import Snapshot, to_show, turn_rows, why_over
from pbem.publishing import fingerprints
from pbem.publishing.visibility import NOBODY, Listed, Shown
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
class Board:
    """A board of a match: after how many turns, which turn led there and whose it was."""

    number: int
    by: str
    turn: str
    diagram: Diagram
    text: str
    words: str
    when: TurnTime | None = None


@dataclass(frozen=True, slots=True)
class MatchPage:
    """A match with all its boards."""

    line: PageLine
    game: str
    options: str
    time: str
    rated: bool
    started: datetime
    ended: datetime | None
    tournament: int | None
    boards: tuple[Board, ...]
    sides: tuple[tuple[str, str, str], ...]
    """Name, side and colour of each player."""
    snapshot: Snapshot
    """The match with the names that are shown, and with nothing else of its players."""
    times: tuple[TurnTime, ...]


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


def match(session: Session, listed: Listed, people: Mapping[int, Shown]) -> MatchPage:
    """Return a match with its boards; the part of a turn that a player has kept isn't shown."""
    row = session.get_one(Match, listed.number)
    times = turn_times(session, row)
    shown = line(listed, people)
    snapshot = _snapshot(session, row, shown)
    legend = snapshot.diagram.legend
    return MatchPage(
        line=shown,
        game=row.game,
        options=", ".join(snapshot.game.options_in_words(row.options)),
        time=in_words_of_time(from_stored(row.time), (shown.players[0].name, shown.players[1].name)),
        rated=row.rated,
        started=row.started or row.created,
        ended=row.ended,
        tournament=row.tournament,
        boards=() if snapshot.is_missing else tuple(_boards(snapshot, times)),
        sides=tuple(zip((each.name for each in shown.players), legend.sides, legend.tones, strict=True)),
        snapshot=snapshot,
        times=times,
    )


def board(session: Session, listed: Listed, people: Mapping[int, Shown]) -> Diagram | None:
    """Return the newest board of a match; None if its game isn't there."""
    snapshot = _snapshot(session, session.get_one(Match, listed.number), line(listed, people))
    return None if snapshot.is_missing else snapshot.diagram


def _snapshot(session: Session, row: Match, shown: PageLine) -> Snapshot:
    """Return the match with the names that are shown; from then on, the row is none of the database."""
    turns = turn_rows(session, row)
    session.expunge(row)
    players = (_nameless(row, shown.players[0]), _nameless(row, shown.players[1]))
    told = {"part": None, "seat0": players[0].id, "seat1": players[1].id}
    for column, value in told.items():
        set_committed_value(row, column, value)
    return to_show(row, players, turns)


def result(shown: MatchPage) -> str:
    """Return how a match ended, and why; or whose turn it is."""
    snapshot = shown.snapshot
    names = (shown.line.players[0].name, shown.line.players[1].name)
    if snapshot.match.to_move is not None:
        return f"It's the turn of {names[snapshot.match.to_move]}."
    why = why_over(snapshot.match, names)
    told = shown.line.result[:1].upper() + shown.line.result[1:]
    return f"{told}: {why}." if why else f"{told}."


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


def _nameless(match: Match, shown: Shown) -> Player:
    """Return a row for a player that has nothing but the name that is shown."""
    number = shown.player if shown.has_page else 0
    return Player(id=number, name=shown.name, address="", confirmed=match.created, created=match.created)


def _boards(snapshot: Snapshot, times: Sequence[TurnTime]) -> Iterable[Board]:
    diagrams = record.diagrams(snapshot.record, snapshot.positions)
    names = [player.name or NOBODY for player in snapshot.players]
    turns = zip((names[seat] for seat in snapshot.seats), snapshot.texts, strict=True)
    when = dict(enumerate(times, start=1))
    for number, (diagram, (by, turn)) in enumerate(zip(diagrams, chain([("", "")], turns), strict=True)):
        plain = replace(diagram, lit=frozenset())
        yield Board(
            number, by, turn, diagram, format_board(diagram, lit=True, notes=True), describe(plain), when.get(number)
        )
