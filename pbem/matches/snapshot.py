"""Rows -> Record -> Position: a match is what its game, options and move texts replay to."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlmodel import Session, col, select

from engines import GAMES
from engines.core import Game, Played, Position, Seat
from engines.diagram import Diagram
from notation import NOTATIONS
from notation.record import Record, replay
from notation.steps import cells_of
from pbem.matches.naming import name, shown
from pbem.matches.queries import seat_of
from pbem.storage.models import Match, MatchState, Player, Ply


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What a match is looked at for: turns that nobody has played, and what is chosen of one more."""

    turns: tuple[tuple[Seat, str], ...]
    """Who would play what."""
    before: Position[Any]
    """The position before the last of these turns, or before the next where there is none."""
    chosen: str
    """What is chosen of the next turn, beyond a part that can stand by itself."""
    since: int | None
    """The turn after which they come; None: the last one that was played."""
    playable: bool
    """Whether the reader may play the first of them now."""
    kept: bool
    """Whether the part was kept before, and need not be written again."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A match as it stood after some turn: who plays, what was played, where that led."""

    match: Match
    players: tuple[Player, Player]
    texts: tuple[str, ...]
    base: Position[Any]
    """After the complete turns."""
    position: Position[Any]
    """After the begun turn too, where there is one."""
    part: str | None
    seats: tuple[Seat, ...]
    """Who played each of the complete turns."""
    total: int
    """How many complete turns the match has by now."""
    last: Played[Any, Any] | None = None
    """The turn, or the part of one, that led to the position."""
    supposed: Hypothesis | None = None
    """What is only looked at, where it is not the match as it stands."""

    @property
    def number(self) -> int:
        """The match's number, as the players write it behind #."""
        assert self.match.id is not None  # noqa: S101 - a stored row has one
        return self.match.id

    @property
    def ply(self) -> int:
        """How many complete turns were played."""
        return len(self.texts)

    @property
    def last_seat(self) -> Seat | None:
        """Who played the last complete turn; None before the first."""
        return self.seats[-1] if self.seats else None

    @property
    def game(self) -> Game:
        """The rule book."""
        return GAMES[self.match.game]

    @property
    def ended_here(self) -> bool:
        """Whether the match is over, by the rules or otherwise, and this is where it ended."""
        return self.match.state == MatchState.OVER and self.ply == self.total and self.supposed is None

    @property
    def diagram(self) -> Diagram:
        """The board, with the last turn lit, or what is chosen of the next."""
        diagram = self.position.diagram(self.last)
        chosen = self.supposed.chosen if self.supposed else ""
        return replace(diagram, lit=cells_of(chosen)) if chosen else diagram

    @property
    def record(self) -> Record:
        """The match as a record. Somebody who left the server has not resigned."""
        resigned: Seat | None = None
        left = (self.match.reason or "").endswith(" left")
        if self.ended_here and self.match.winner is not None and self.position.turn is not None and not left:
            resigned = 0 if self.match.winner == 1 else 1
        return replace(record_of(self.match, self.players, self.texts), resigned=resigned)

    def after(self, text: str, position: Position[Any]) -> "Snapshot":
        """The match one complete turn later, as it stands when that turn, which led there, is stored."""
        return replace(
            self,
            texts=(*self.texts, text),
            base=position,
            position=position,
            last=Played(self.base, NOTATIONS[self.match.game].parse(text)),
            part=None,
            seats=(*self.seats, *((self.base.turn,) if self.base.turn is not None else ())),
            total=self.total + 1,
        )

    def begun(self, part: str) -> "Snapshot":
        """Return the match with a part of the next turn played."""
        move = NOTATIONS[self.match.game].parse(part)
        return replace(self, position=self.base.play(move), part=part, last=Played(self.base, move))

    def suppose(
        self,
        turns: Sequence[str],
        part: str | None = None,
        chosen: str = "",
        *,
        past: bool = False,
        playable: bool = False,
        kept: bool = False,
    ) -> "Snapshot":
        """The match as it would stand after further turns, a part of one more, and what is chosen beyond that."""
        notation = NOTATIONS[self.match.game]
        there, before, played = self, self.base, []
        for text in turns:
            before = there.base
            assert before.turn is not None  # noqa: S101 - the turns were read on these positions
            played.append((before.turn, text))
            there = there.after(text, before.play(notation.parse(text)))
        there = there if part is None else there.begun(part)
        since = self.ply if past else None
        supposed = Hypothesis(tuple(played), before, chosen, since, playable=playable, kept=kept)
        return replace(there, total=self.total, supposed=supposed)

    def seat_of(self, player: Player) -> Seat | None:
        """Where the player sits; None for somebody else."""
        return seat_of(self.match, player)


def stand(session: Session, match: Match, ply: int | None = None, part: str | None = None) -> Snapshot:
    """The match after that many complete turns (all, when left out), with that part of a turn on top."""
    turns = session.exec(select(Ply.text).where(Ply.match == match.id).order_by(col(Ply.number))).all()
    if ply is None:
        part = match.part
    first, second = session.get_one(Player, match.seat0), session.get_one(Player, match.seat1)
    players = (shown(match, first), shown(match, second))
    texts = tuple(turns[:ply])
    positions = replay(record_of(match, players, texts))
    last = Played(positions[-2], NOTATIONS[match.game].parse(texts[-1])) if texts else None
    seats = tuple(before.turn for before in positions[:-1] if before.turn is not None)  # a turn was played in each
    whole = Snapshot(match, players, texts, positions[-1], positions[-1], None, seats, len(turns), last)
    return whole if part is None else whole.begun(part)


def record_of(match: Match, players: tuple[Player, Player], texts: tuple[str, ...]) -> Record:
    """The record of those turns of the match."""
    return Record(match.game, match.options, (name(players[0]), name(players[1])), texts)
