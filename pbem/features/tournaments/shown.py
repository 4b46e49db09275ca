"""Tournaments as messages show them to a reader: names in place of numbers, and no more rows than there is room for.

The final report is there as files, too: text, a page for a browser, and JSON. No address is in them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import groupby

from sqlmodel import Session, col, select

from notation.games import GAMES
from pbem.config import ServerSettings
from pbem.features.tournaments import entries, ladders, standings
from pbem.features.tournaments.entries import TournamentState
from pbem.features.tournaments.field import POINTS, Field, Format, Matchup
from pbem.features.tournaments.messages import Meeting, RoundShown, Rung, TournamentEnded, TournamentLine
from pbem.features.tournaments.standings import CrosstableEntry, Table
from pbem.matches.queries import name
from pbem.messages.kinds import Extra, Rendering
from pbem.messages.mime import Attachment
from pbem.messages.said.rounds import Crosstable, CrosstableRow
from pbem.messages.templating import HTML, templates, text_of
from pbem.storage.models import Player, Tournament

MOST_ROWS = 10
"""How many rows of a crosstable a message about a round has; the final report has all of them."""
MOST_BREAKS = 2
"""How many tie-breaks it has: there are 72 columns."""


def line(
    tournament: Tournament, entrants: int, now: datetime, *, round_: int = 0, entered: bool = False, groups: int = 0
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
        season=tournament.season if tournament.kind == Format.LEAGUE or tournament.every else 0,
        every=tournament.every or "",
        reopens="" if tournament.reopens is None else day(tournament.reopens, now),
        groups=groups,
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
    rows = [row for row in table.rows if most is None or row.number <= most or row.place.entrant.player == reader]
    return Crosstable(
        heads=table.heads,
        breaks=table.breaks[:MOST_BREAKS],
        rows=tuple(_row(row, names, reader) for row in rows),
        by_round=table.by_round,
        width=max(len(cell) for cells in (table.heads, *(row.cells for row in rows)) for cell in (*cells, "")),
        missing=len(table.rows) - len(rows),
        group=table.group,
    )


def table_of(tables: Sequence[Table], player: int | None) -> Table:
    return next((each for each in tables if player is not None and each.has(player)), tables[0])


def _row(row: CrosstableEntry, names: Mapping[int, str], reader: int | None) -> CrosstableRow:
    entrant = row.place.entrant
    return CrosstableRow(
        number=row.number,
        place=row.place.place,
        player=names[entrant.player],
        cells=row.cells,
        points=row.points,
        breaks=row.breaks[:MOST_BREAKS],
        own=entrant.player == reader,
        out=not entrant.is_playing,
    )


def rungs_for(
    session: Session, tournament: Tournament, reader: int | None, now: datetime, size: int, page: int = 1
) -> tuple[int, tuple[Rung, ...], bool]:
    whole = ladders.on(session, tournament)
    first = (page - 1) * size
    listed = whole[first : first + size]
    ladder = ladders.around(session, tournament, reader, listed, now)
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
    return ladder.rung_of(reader or 0), tuple(rows), len(whole) > first + size


def all_rounds(field: Field, names: Mapping[int, str]) -> tuple[RoundShown, ...]:
    in_order = sorted(field.pairs, key=lambda pair: (pair.round, pair.board, pair.game))
    return tuple(
        RoundShown(round=number, meetings=tuple(_meeting(pair, names) for pair in pairs))
        for number, pairs in groupby(in_order, key=lambda pair: pair.round)
    )


def last_round(field: Field, names: Mapping[int, str]) -> RoundShown | None:
    if not field.last_round or field.at_once > 1:
        return None
    return all_rounds(field, names)[-1]


def _meeting(pair: Matchup, names: Mapping[int, str]) -> Meeting:
    if pair.second is None:
        return Meeting(player=names[pair.first], result=standings.BYE)
    result = ""
    if pair.result is not None:
        first, second = (standings.written(points) for points in POINTS[pair.result])
        result = f"{first}-{second}" + ("" if pair.is_played else " by forfeit")
    return Meeting(player=names[pair.first], opponent=names[pair.second], result=result)


def winners(table: Table, names: Mapping[int, str]) -> tuple[Meeting, ...]:
    return tuple(Meeting(player=names[row.place.entrant.player]) for row in table.rows if row.place.place == 1)


def place_of(table: Table, player: int) -> int:
    return next((row.place.place for row in table.rows if row.place.entrant.player == player), 0)


def enclosed(rendering: Rendering) -> Extra | None:
    payload = rendering.payload
    return Extra(files=tuple(files(payload, rendering.server))) if isinstance(payload, TournamentEnded) else None


def files(ended: TournamentEnded, server: ServerSettings) -> Iterator[Attachment]:
    if ended.table is None:
        return
    name = f"pbem-tournament-{ended.line.number}"
    tables = ended.groups or (ended.table,)
    variables = {"line": ended.line, "tables": tables, "results": ended.results, "server": server}
    text = text_of("parts/tournament_report.j2", variables)
    page = templates(HTML).get_template("parts/tournament_report.html.j2").render(variables)
    yield Attachment(f"{name}.txt", "text", "plain", text.encode())
    yield Attachment(f"{name}.html", "text", "html", page.encode())
    yield Attachment(f"{name}.json", "application", "json", as_json(ended, server.name).encode())


def as_json(ended: TournamentEnded, site: str) -> str:
    line = ended.line
    assert ended.table is not None  # noqa: S101 - a tournament that was called off has no report
    rows = (
        ({"group": table.group} if table.group else {})
        | {
            "number": row.number,
            "place": row.place,
            "player": row.player,
            "points": float(row.points),
            "tie_breaks": {name: float(value) for name, value in zip(table.breaks, row.breaks, strict=True)},
            "withdrawn": row.out,
        }
        for table in ended.groups or (ended.table,)
        for row in table.rows
    )
    told = {
        "site": site,
        "tournament": {
            "number": line.number,
            "title": line.title,
            "kind": line.kind,
            "game": line.game,
            "options": line.options,
            "time": line.time,
            "rounds": line.rounds,
        }
        | ({"season": line.season} if line.season else {}),
        "standings": [*rows],
        "rounds": [asdict(each) for each in ended.results],
    }
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"
