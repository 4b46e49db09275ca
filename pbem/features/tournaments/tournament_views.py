"""Tournaments as messages show them to a reader: in answers, at the start of a round, and at the end.

Names stand in place of numbers, and no more rows than there is room for.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import ClassVar

from sqlmodel import Session, col, select

from notation.games import GAMES
from pbem.features.tournaments import ladders, openings
from pbem.features.tournaments.matchups import POINTS, Field, Format, Matchup, ties
from pbem.features.tournaments.openings import TournamentState
from pbem.features.tournaments.standings import BYE, CrosstableEntry, Table
from pbem.matches.shown_names import name
from pbem.messages.contents.answer_sections import Crosstable, CrosstableRow
from pbem.storage.message_payload_base import Listing, Part, Payload, Section
from pbem.storage.models import Player, Tournament


class TournamentLine(Part):
    number: int
    title: str  # one line of letters, digits and a few marks, which its host has chosen
    kind: str
    game: str
    options: str = ""
    time: str = ""
    state: str  # the value of a TournamentState
    entrants: int
    places: int
    closes: str = ""
    round: int = 0
    rounds: int = 0
    entered: bool = False
    can_enter: bool = False  # whether the reader can
    reach: int = 0
    season: int = 0  # 0 for a tournament that doesn't come again
    every: str = ""
    reopens: str = ""


class Meeting(Part):
    player: str
    opponent: str = ""  # empty for a bye
    result: str = ""  # as "1-0"; empty while they play
    ended: int = 0
    lost_on_time: int = 0
    """Of the player's last matches, while entrants are listed: how many have ended, and were lost on time or left."""


class Rung(Part):
    rung: int
    player: str
    matches: int = 0
    own: bool = False
    can_challenge: bool = False


class RoundShown(Part):
    round: int
    meetings: tuple[Meeting, ...]


class TournamentList(Listing, template="tournaments"):
    rows: tuple[TournamentLine, ...]


class TournamentShown(Listing, template="tournament"):
    """A tournament: who has entered or, once it has begun, its crosstable and the pairings of the last round.

    Of a ladder it has a page of the rungs.
    """

    line: TournamentLine
    players: tuple[Meeting, ...] = ()  # who has entered, while it is open; each has only a name
    table: Crosstable | None = None
    last_round: RoundShown | None = None
    rungs: tuple[Rung, ...] = ()
    own_rung: int = 0  # the reader's; 0 for somebody who isn't on the ladder


class TournamentEntered(Section, template="entered"):
    line: TournamentLine
    rung: int = 0


class TournamentWithdrawn(Section, template="withdrawn"):
    number: int
    title: str
    running: tuple[int, ...] = ()
    begun: bool = False
    is_ladder: bool = False


class TournamentOpened(Section, template="hosted"):
    line: TournamentLine


class TournamentLast(Section, template="hosted_last"):
    number: int
    title: str


class RungChanged(Payload, template="rung"):
    number: int
    title: str
    opponent: str
    rung: int = 0  # where they stand now; 0 for somebody who is off the ladder
    won: bool = False


class RoundWithoutMatch(Payload, template="round"):
    number: int
    title: str
    round: int
    rounds: int
    why: str  # bye, or forfeit if the opponent has withdrawn
    opponent: str = ""
    table: Crosstable | None = None


class TournamentEnded(Payload, template="tournament_over"):
    line: TournamentLine
    place: int = 0  # the reader's; 0 if they have none
    winners: tuple[Meeting, ...] = ()  # who has the first place; each has only a name
    table: Crosstable | None = None
    rungs: tuple[Rung, ...] = ()  # the top of a ladder, and the reader's rung
    is_long: ClassVar = True


MOST_ROWS = 10  # in a message about a round; the final report has all of them


def line(
    tournament: Tournament, entrants: int, now: datetime, *, round_: int = 0, entered: bool = False
) -> TournamentLine:
    options = (*GAMES.options_in_words(tournament.game, tournament.options), *(("rated",) if tournament.rated else ()))
    state, is_ladder = openings.state_of(tournament), tournament.kind == Format.LADDER
    is_open = state is TournamentState.OPEN
    takes_more = is_ladder and state is TournamentState.RUNNING and entrants < tournament.places
    return TournamentLine(
        number=tournament.id or 0,
        title=tournament.title,
        kind=tournament.kind,
        game=GAMES.title(tournament.game),
        options=", ".join(options),
        time=tournament.time,
        state=state.value,
        entrants=entrants,
        places=tournament.places,
        closes=day(tournament.closes, now) if is_open else "",
        round=round_,
        rounds=tournament.rounds or 0,
        entered=entered,
        can_enter=not entered and (is_open or takes_more),
        reach=tournament.reach or 0,
        season=tournament.season if tournament.every else 0,
        every=tournament.every or "",
        reopens="" if tournament.reopens is None else day(tournament.reopens, now),
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
    of_page = ladder.rungs[first : first + size]
    names = names_of(session.exec(select(Player).where(col(Player.id).in_(of_page))) if of_page else ())
    is_on = reader is not None and ladder.rung_of(reader) > 0 and tournament.ended is None
    rows = (
        Rung(
            rung=number,
            player=names[player],
            matches=ladder.running(player),
            own=player == reader,
            can_challenge=is_on and ladder.obstacle(reader or 0, player, now) is None,
        )
        for number, player in enumerate(of_page, start=first + 1)
    )
    return ladder.rung_of(reader or 0), tuple(rows), len(ladder.rungs) > first + size


def last_round(field: Field, names: Mapping[int, str]) -> RoundShown | None:
    number = field.last_round
    if not number or field.at_once > 1:
        return None
    pairs = (pair for tie in ties(field.of_round(number)) for pair in tie)
    return RoundShown(round=number, meetings=tuple(_meeting(pair, names) for pair in pairs))


def _meeting(pair: Matchup, names: Mapping[int, str]) -> Meeting:
    if pair.second is None:
        return Meeting(player=names[pair.first], result=BYE)
    result = ""
    if pair.result is not None:
        first, second = POINTS[pair.result]
        result = f"{first:g}-{second:g}" + ("" if pair.is_played else " by forfeit")
    return Meeting(player=names[pair.first], opponent=names[pair.second], result=result)


def winners(table: Table, names: Mapping[int, str]) -> tuple[Meeting, ...]:
    return tuple(Meeting(player=names[row.entrant.player]) for row in table.rows if row.place == 1)
