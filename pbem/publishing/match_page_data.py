"""What the page of a match shows, read from the database: its boards, its players with their times, and an analysis.

Names come from `visibility` alone. What the house thinks of a match is shown once it is over, if a player has asked for
that: until then nobody can.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain

from sqlalchemy.orm.attributes import set_committed_value
from sqlmodel import Session

from engines.core import Seat
from engines.diagram import Diagram, Tone
from notation import record
from notation.board import format_board
from notation.description import describe
from notation.time_control import from_stored, spoken
from notation.time_control import in_words as in_words_of_time
from pbem.features.house import analyses
from pbem.matches.clock.timekeeping import TurnTime, turn_times
from pbem.matches.ratings import standings
from pbem.matches.replayed_match import Snapshot, texts_then, to_show, why_over
from pbem.messages import analysis, match_files
from pbem.messages.analysis import Analysed, TurnAnalysed
from pbem.messages.boards import board_image
from pbem.publishing.page_data import PageLine, lines
from pbem.publishing.visibility import NOBODY, PublicMatch, PublicPlayer
from pbem.storage.models import Match, Player


@dataclass(frozen=True, slots=True)
class Board:
    number: int
    by: str
    turn: str
    diagram: Diagram
    text: str
    words: str
    seat: Seat = 0
    when: TurnTime | None = None
    thought: TurnAnalysed | None = None
    """What the house thinks of the turn, once the match is over and a player has asked for an analysis."""

    @property
    def left(self) -> str:
        """How much time its player had for the next turns; "" where that isn't limited."""
        return "" if self.when is None or self.when.left is None else spoken(self.when.left)


@dataclass(frozen=True, slots=True)
class Side:
    player: PublicPlayer
    name: str
    tone: Tone
    rating: str
    left: str  # how much time they had left after their last turn; "" where that isn't limited


@dataclass(frozen=True, slots=True)
class MatchPage:
    line: PageLine
    game: str
    options: str
    time: str
    rated: bool
    started: datetime
    ended: datetime | None
    tournament: int | None
    boards: tuple[Board, ...]
    sides: tuple[Side, ...]
    snapshot: Snapshot  # the match with the names that are shown, and with nothing else of its players
    times: tuple[TurnTime, ...]
    analysed: Analysed | None = None


def match(session: Session, listed: PublicMatch) -> MatchPage:
    """Return a match with its boards; the part of a turn that a player has kept isn't shown."""
    row = session.get_one(Match, listed.number)
    times = turn_times(session, row)
    (line,) = lines(session, [listed])
    snapshot = _snapshot(session, row, line)
    made = None if snapshot.is_missing or not line.is_over else analyses.made(session, row)
    analysed = None if made is None else analysis.analysed(made.estimates, made.since, snapshot)
    boards = () if snapshot.is_missing else tuple(_boards(snapshot, times, analysed))
    return MatchPage(
        line=line,
        game=row.game,
        options=", ".join(snapshot.game.options_in_words(row.options)),
        time=in_words_of_time(from_stored(row.time), (line.players[0].name, line.players[1].name)),
        rated=row.rated,
        started=row.started or row.created,
        ended=row.ended,
        tournament=row.tournament,
        boards=boards,
        sides=tuple(_sides(session, row, snapshot, line, boards)),
        snapshot=snapshot,
        times=times,
        analysed=analysed,
    )


def _sides(session: Session, row: Match, snapshot: Snapshot, line: PageLine, boards: Sequence[Board]) -> Iterable[Side]:
    legend, began = snapshot.diagram.legend, row.started or row.created
    for seat, player in enumerate(line.players):
        rating = standings.shown_then(session, player.player, row.game, began) if player.has_page else ""
        left = next((each.left for each in reversed(boards) if each.number and each.seat == seat), "")
        yield Side(player, legend.sides[seat], legend.tones[seat], rating, left)


def board(session: Session, line: PageLine) -> Diagram:
    """Return the newest board of a match that is being played."""
    return _snapshot(session, session.get_one(Match, line.number), line).diagram


def _snapshot(session: Session, row: Match, line: PageLine) -> Snapshot:
    """Return the match with the names that are shown; from then on, the row is none of the database."""
    turns, when = texts_then(session, row), row.created
    session.expunge(row)
    first, second = (
        Player(id=each.player if each.has_page else 0, name=each.name, address="", confirmed=when, created=when)
        for each in line.players
    )
    for column, value in {"part": None, "seat0": first.id, "seat1": second.id}.items():
        set_committed_value(row, column, value)
    return to_show(row, (first, second), turns)


def endings(page: MatchPage) -> list[str]:
    """Return the endings of the files that lie beside the page of a match; none if its game isn't there."""
    if not page.boards:
        return []
    has_moved = page.line.is_over and page.snapshot.texts
    return ["txt", "json", *(["gif"] if has_moved else ()), "png"]


def file(page: MatchPage, ending: str, origin: str) -> bytes:
    if ending == "png":
        return board_image.png(page.boards[-1].diagram, scale=1.0)
    if ending == "gif":
        (moving,) = match_files.animations(page.snapshot, [each.diagram for each in page.boards])
        return moving.content
    generated = page.ended or page.started
    records = match_files.records(page.snapshot, origin=origin, generated=generated, times=lambda: page.times)
    return next(record.content for record in records if record.name.endswith(f".{ending}"))


def result(page: MatchPage) -> str:
    snapshot = page.snapshot
    names = (page.line.players[0].name, page.line.players[1].name)
    if snapshot.match.to_move is not None:
        return f"It's the turn of {names[snapshot.match.to_move]}."
    why = why_over(snapshot.match, names)
    result = page.line.result[:1].upper() + page.line.result[1:]
    return f"{result}: {why}." if why else f"{result}."


def _boards(snapshot: Snapshot, times: Sequence[TurnTime], analysed: Analysed | None) -> Iterable[Board]:
    diagrams = record.diagrams(snapshot.record, snapshot.positions)
    names = [player.name or NOBODY for player in snapshot.players]
    beginning: tuple[Seat, str] = (0, "")
    turns = chain((beginning,), zip(snapshot.seats, snapshot.texts, strict=True))
    when = dict(enumerate(times, start=1))
    thoughts = {} if analysed is None else {turn.number: turn for turn in analysed.turns}
    for number, (diagram, (seat, turn)) in enumerate(zip(diagrams, turns, strict=True)):
        yield Board(
            number,
            names[seat] if number else "",
            turn,
            diagram,
            format_board(diagram, lit=True, notes=True),
            describe(replace(diagram, lit=frozenset())),
            seat,
            when.get(number),
            thoughts.get(number),
        )
