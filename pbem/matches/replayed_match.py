"""Snapshots of matches: rows become a record, and the record is replayed, once, to every position it went through."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import bindparam, literal, union_all
from sqlalchemy import select as columns
from sqlmodel import Session, SQLModel, select

from engines.core import Game, Played, Position, Seat
from engines.diagram import Diagram
from engines.seats import seat_of as seat_from
from engines.step import vacated
from notation.core import Notation
from notation.ending import Ending, Termination, in_words, told
from notation.games import GameMissing, GamePack
from notation.record import Record, replay, written
from notation.steps import cells_of, steps_of
from pbem.matches import missing_games
from pbem.matches.queries import pack_of, players_of, seat_of
from pbem.matches.shown_names import name, shown
from pbem.matches.turn_parsing import ReadTurn
from pbem.storage.models import Match, MatchState, Player


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Turns that nobody has played, and the steps chosen of one more, for a preview."""

    turns: tuple[tuple[Seat, str], ...]
    before: Position[Any]  # the position before the last of these turns, or before the next where there is none
    chosen: str  # the steps chosen of the next turn, beyond a part that can stand by itself
    since: int | None  # the number of the turn they follow; None for the last one that was played
    playable: bool  # whether the reader may play the first of them now
    kept: bool


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A match after one of its turns: the players, the turns so far, and the position after each."""

    match: Match
    players: tuple[Player, Player]
    texts: tuple[str, ...]
    positions: tuple[Position[Any], ...]  # the position before the first turn, and that after each complete turn
    position: Position[Any]  # the present position: after the unfinished turn too, where there is one
    part: str | None
    total: int  # the number of complete turns that the match has now
    pack: GamePack
    last: Played[Any, Any] | None = None
    hypothesis: Hypothesis | None = None
    is_missing: bool = False
    """Whether its game isn't there, and another stands in for it that knows no board and no turn."""

    @property
    def number(self) -> int:
        assert self.match.id is not None  # noqa: S101 - a stored row has one
        return self.match.id

    @property
    def ply(self) -> int:
        return len(self.texts)

    @property
    def base(self) -> Position[Any]:
        return self.positions[-1]

    @property
    def seats(self) -> tuple[Seat, ...]:
        return tuple(before.turn for before in self.positions[:-1] if before.turn is not None)

    @property
    def last_seat(self) -> Seat | None:
        return self.positions[-2].turn if self.texts else None

    @property
    def game(self) -> Game:
        return self.pack.game

    @property
    def notation(self) -> Notation[Any]:
        return self.pack.notation

    @property
    def ended_here(self) -> bool:
        """Whether the match is over, by the rules or otherwise, and this is where it ended."""
        return self.match.state == MatchState.OVER and self.ply == self.total and self.hypothesis is None

    @property
    def diagram(self) -> Diagram:
        """The board, with the last turn lit, or with what is chosen of the next done and lit."""
        chosen = self.hypothesis.chosen if self.hypothesis else ""
        if not chosen:
            return self.position.diagram(self.last)
        diagram = self.notation.midway(chosen, self.position).diagram()
        lit, left = cells_of(chosen), vacated(steps_of(chosen))
        return replace(diagram, lit=lit, left=left, told=f"Chosen so far: {chosen}.")

    @property
    def ending(self) -> Ending | None:
        return ending_of(self.match) if self.ended_here else None

    @property
    def record(self) -> Record:
        record, ending = record_of(self.match, self.players, self.texts), self.ending
        return record if ending is None or ending.termination is Termination.RULES else replace(record, ending=ending)

    @property
    def began(self) -> str:
        """Where the match began, if not at the beginning: "after turn 7 of match #42"."""
        return _began(self.match)

    @property
    def written(self) -> str:
        """The record as text; nothing if its game isn't there."""
        return "" if self.is_missing else written(self.record)

    def at(self, ply: int) -> "Snapshot":
        return self if ply >= self.ply and self.part is None else self._truncated(min(ply, self.ply))

    def _truncated(self, ply: int) -> "Snapshot":
        texts, positions = self.texts[:ply], self.positions[: ply + 1]
        last = Played(positions[-2], self.notation.parse(texts[-1])) if texts else None
        return replace(self, texts=texts, positions=positions, position=positions[-1], part=None, last=last)

    def after(self, turn: ReadTurn) -> "Snapshot":
        return replace(
            self,
            texts=(*self.texts, turn.text),
            positions=(*self.positions, turn.position),
            position=turn.position,
            last=Played(self.base, turn.move),
            part=None,
            total=self.total + 1,
        )

    def with_part(self, part: str) -> "Snapshot":
        move = self.notation.parse(part)
        return replace(self, position=self.base.play(move), part=part, last=Played(self.base, move))

    def with_hypothesis(
        self,
        turns: Sequence[str],
        part: str | None = None,
        chosen: str = "",
        *,
        past: bool = False,
        playable: bool = False,
        kept: bool = False,
    ) -> "Snapshot":
        """Return the match after turns that are only supposed, a part of one more, and the steps beyond that."""
        notation = self.notation
        there, before, played = self, self.base, []
        for text in turns:
            before = there.base
            assert before.turn is not None  # noqa: S101 - the turns were read on these positions
            played.append((before.turn, text))
            move = notation.parse(text)
            there = there.after(ReadTurn(text, move, before.play(move)))
        there = there if part is None else there.with_part(part)
        since = self.ply if past else None
        hypothesis = Hypothesis(tuple(played), before, chosen, since, playable=playable, kept=kept)
        return replace(there, total=self.total, hypothesis=hypothesis)

    def seat_of(self, player: Player) -> Seat | None:
        return seat_of(self.match, player)


_NEVER = 2**31 - 1
_PLIES, _TAKEN_BACK = (SQLModel.metadata.tables[name].columns for name in ("ply", "takenback"))
_TEXTS = select(_PLIES.text).where(_PLIES.match == bindparam("match")).order_by(_PLIES.number)
_TURNS = union_all(
    columns(_PLIES.number, _PLIES.text, literal(_NEVER).label("until")).where(_PLIES.match == bindparam("match")),
    columns(_TAKEN_BACK.number, _TAKEN_BACK.text, _TAKEN_BACK.shift).where(
        _TAKEN_BACK.match == bindparam("match"), _TAKEN_BACK.shift >= bindparam("shift")
    ),
).order_by("number", "until")
"""The turns of a match with that `shift`, each number with the turn that it had first since then."""


def snapshot_of(session: Session, match: Match) -> Snapshot:
    """Return the match as it is now, with the unfinished turn; replay its turns. Raise GameMissing."""
    return replayed(match, players_of(session, match), turn_texts(session, match))


def turn_texts(session: Session, match: Match) -> tuple[str, ...]:
    session.flush()
    return tuple(session.connection().execute(_TEXTS, {"match": match.id}).scalars())


def texts_then(session: Session, match: Match) -> tuple[str, ...]:
    """Return the complete turns of a match as it was when it had that `shift`.

    A match as it was before turns were taken back has those, and not the turns that replaced them.
    """
    session.flush()
    rows = session.connection().execute(_TURNS, {"match": match.id, "shift": match.shift})
    turns: dict[int, str] = {}
    for number, text, _ in rows:
        turns.setdefault(number, text)
    return tuple(turns.values())


def replayed(match: Match, by_seat: tuple[Player, Player], texts: tuple[str, ...]) -> Snapshot:
    first, second = by_seat
    players = (shown(match, first), shown(match, second))
    pack = pack_of(match)
    positions = replay(record_of(match, players, texts))
    last = Played(positions[-2], pack.notation.parse(texts[-1])) if texts else None
    whole = Snapshot(match, players, texts, positions, positions[-1], None, len(texts), pack, last)
    return whole if match.part is None else whole.with_part(match.part)


def to_show(match: Match, by_seat: tuple[Player, Player], texts: tuple[str, ...]) -> Snapshot:
    """Return the match with those players after those turns, to be shown; if its game isn't there, without turns.

    Raise GameMissing for such a match that is being played.
    """
    try:
        return replayed(match, by_seat, texts)
    except GameMissing:
        if match.state == MatchState.RUNNING:
            raise
        first, second = by_seat
        players, start = (shown(match, first), shown(match, second)), missing_games.Unknown()
        return Snapshot(match, players, (), (start,), start, None, 0, missing_games.stand_in(match), is_missing=True)


def ending_of(match: Match) -> Ending | None:
    if match.termination is None:
        return None
    seat = match.termination_seat
    line = match.reason or "" if match.termination == Termination.PROVEN else ""
    return Ending(Termination(match.termination), None if seat is None else seat_from(seat), line)


def why_over(match: Match, names: tuple[str, str]) -> str:
    ending = ending_of(match)
    if ending is None:
        return ""
    return told(ending, names) if ending.line else match.reason or in_words(ending, names)


def record_of(match: Match, players: tuple[Player, Player], texts: tuple[str, ...]) -> Record:
    names = (name(players[0]), name(players[1]))
    return Record(match.game, match.options, names, texts, version=match.rules, began=_began(match))


def _began(match: Match) -> str:
    return f"after turn {match.begun_after} of match #{match.begun_from}" if match.begun_after else ""
