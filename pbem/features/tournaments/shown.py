"""Tournaments as messages show them to a reader: names in place of numbers, and no more rows than there is room for."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlmodel import Session, col, select

from notation.games import GAMES
from pbem.features.tournaments import entries, ladders, standings
from pbem.features.tournaments.entries import TournamentState
from pbem.features.tournaments.field import POINTS, Field, Format, Matchup
from pbem.features.tournaments.messages import Meeting, RoundShown, Rung, TournamentLine
from pbem.features.tournaments.standings import CrosstableEntry, Table
from pbem.matches.queries import name
from pbem.messages.said.sections import Crosstable, CrosstableRow
from pbem.storage.models import Player, Tournament

MOST_ROWS = 10
"""How many rows of a crosstable a message about a round has; the final report has all of them."""


def line(
    tournament: Tournament, entrants: int, now: datetime, *, round_: int = 0, entered: bool = False
) -> TournamentLine:
    extra = ["rated"] if tournament.rated else []
    options = (*GAMES.options_in_words(tournament.game, tournament.options), *extra)
    return TournamentLine(
        number=tournament.id or 0,
        title=tournament.title,
        kind=tournament.kind,
        game=GAMES.title(tournament.game),
        options=", ".join(options),
        time=tournament.time,
        state=entries.state_of(tournament).value,
        entrants=entrants,
        places=tournament.places,
        closes=day(tournament.closes, now) if entries.state_of(tournament) is TournamentState.OPEN else "",
        round=round_,
        rounds=tournament.rounds or 0,
        entered=entered,
        can_enter=not entered and _takes_more(tournament, entrants),
        reach=tournament.reach or 0,
        season=tournament.season if tournament.every else 0,
        every=tournament.every or "",
        reopens="" if tournament.reopens is None else day(tournament.reopens, now),
    )


def _takes_more(tournament: Tournament, entrants: int) -> bool:
    """Return whether somebody can enter; a ladder never closes."""
    state = entries.state_of(tournament)
    return state is TournamentState.OPEN or (
        state is TournamentState.RUNNING and tournament.kind == Format.LADDER and entrants < tournament.places
    )


def day(time: datetime, now: datetime) -> str:
    return f"{time.day} {time:%b}" if time.year == now.year else f"{time.day} {time:%b %Y}"


def names_of(people: Iterable[Player]) -> dict[int, str]:
    return {player.id or 0: name(player) for player in people}


def shown(table: Table, names: Mapping[int, str], reader: int | None, most: int | None = None) -> Crosstable:
    """Return the crosstable with names; with `most`, only the first rows and that of the reader."""
    rows = [row for row in table.rows if most is None or row.number <= most or row.entrant.player == reader]
    return Crosstable(
        heads=table.heads,
        breaks=table.breaks,
        rows=tuple(_row(row, names, reader) for row in rows),
        by_round=table.by_round,
        width=max(len(cell) for cells in (table.heads, *(row.cells for row in rows)) for cell in (*cells, "")),
        missing=len(table.rows) - len(rows),
    )


def _row(row: CrosstableEntry, names: Mapping[int, str], reader: int | None) -> CrosstableRow:
    entrant = row.entrant
    return CrosstableRow(
        number=row.number,
        place=row.place,
        player=names[entrant.player],
        cells=row.cells,
        points=row.points,
        breaks=row.breaks,
        own=entrant.player == reader,
        out=not entrant.is_playing,
    )


def rungs_for(
    session: Session, tournament: Tournament, reader: int | None, now: datetime, size: int, page: int = 1
) -> tuple[int, tuple[Rung, ...], bool]:
    ladder = ladders.ladder_of(session, tournament, now)
    first = (page - 1) * size
    listed = ladder.rungs[first : first + size]
    people = session.exec(select(Player).where(col(Player.id).in_(listed))) if listed else ()
    names = names_of(people)
    is_on = reader is not None and ladder.rung_of(reader) > 0 and tournament.ended is None
    rows = (
        Rung(
            rung=number,
            player=names[player],
            matches=ladder.running(player),
            own=player == reader,
            can_challenge=is_on and ladder.obstacle(reader or 0, player, now) is None,
        )
        for number, player in enumerate(listed, start=first + 1)
    )
    return ladder.rung_of(reader or 0), tuple(rows), len(ladder.rungs) > first + size


def last_round(field: Field, names: Mapping[int, str]) -> RoundShown | None:
    number = field.last_round
    if not number or field.at_once > 1:
        return None
    pairs = sorted(field.of_round(number), key=lambda pair: (pair.board, pair.game))
    return RoundShown(round=number, meetings=tuple(_meeting(pair, names) for pair in pairs))


def _meeting(pair: Matchup, names: Mapping[int, str]) -> Meeting:
    if pair.second is None:
        return Meeting(player=names[pair.first], result=standings.BYE)
    result = ""
    if pair.result is not None:
        first, second = (standings.written(points) for points in POINTS[pair.result])
        result = f"{first}-{second}" + ("" if pair.is_played else " by forfeit")
    return Meeting(player=names[pair.first], opponent=names[pair.second], result=result)


def winners(table: Table, names: Mapping[int, str]) -> tuple[Meeting, ...]:
    return tuple(Meeting(player=names[row.entrant.player]) for row in table.rows if row.place == 1)


def place_of(table: Table, player: int) -> int:
    return next((row.place for row in table.rows if row.entrant.player == player), 0)
