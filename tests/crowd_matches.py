"""What a crowd has played, and the messages about it: the rows of a database of which there are most."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pbem.storage.models import (
    Incoming,
    IncomingState,
    Match,
    MatchState,
    Outgoing,
    OutgoingContent,
    OutgoingState,
    Ply,
    RawMessage,
)
from tests.bulk_insert import Alike

DOMAINS = ("mail.example", "mail.test", "post.example")
FIRST = ("2 c1a1 g9g7", "a7a5 i3g3 3 a5a8 g3d3", "a1d1 g7g4 2 d1b1 g4e4", "a8c8 d3f3 5 c8h8 f3a3")
LATER = ("b1g1 e4e9 2 e9e7 g1e1", "a3c3 h8f8 1 c3c2 f8f7", "e1e2 e7e6 4 e2i2 e6a6", "c2g2 f7b7 6 b7h7 g2g8")
LAST = ("a6g6 i2i8 1 g6g5 i8i9", "h7h6 ---- 1 h6h5 ----")
TURNS = (*FIRST, *LATER, *LAST)
"""The beginning of a match."""
OF_A_TOURNAMENT = 5
"""The number of matches for each tournament."""
PERIOD, KEPT = timedelta(days=730), timedelta(days=90)
"""How long the crowd has been playing, and for how long the server keeps what messages say."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Players who only play with each other."""

    matches: int
    over: int
    """The number of matches that are over: the earlier ones."""
    players: int
    now: datetime
    turns: int
    """The number of turns in each match."""
    before: dict[str, int]
    """The highest id in each table before they came."""

    def seats(self, match: int) -> tuple[int, int]:
        """Return the ids of the two players of the crowd's nth match."""
        first = match % self.players
        second = (first + 1 + (match // self.players) % (self.players - 1)) % self.players
        return self.before["player"] + first + 1, self.before["player"] + second + 1

    def when(self, match: int) -> datetime:
        """Return the time of the crowd's nth match; they are spread evenly over two years."""
        return self.now - PERIOD / self.matches * (self.matches - match)

    def written(self, match: int) -> str:
        """Return the same as databases read it."""
        return self.when(match).replace(tzinfo=None).isoformat(" ", "microseconds")

    def tournament(self, match: int) -> int:
        """Return the tournament of the crowd's nth match."""
        return self.before["tournament"] + match // OF_A_TOURNAMENT

    def numbers(self) -> range:
        """Return the ids of the players."""
        return range(self.before["player"] + 1, self.before["player"] + self.players + 1)


def address_of(player: int) -> str:
    """Return the address of a player."""
    return f"player{player}@{DOMAINS[player % len(DOMAINS)]}"


def played(crowd: Crowd) -> Iterator[Alike]:
    """Yield the matches, their turns, a message for each and two about it; old ones without what they say."""
    yield from _matches(crowd)
    old = int(crowd.matches * (1 - KEPT / PERIOD))
    recent = range(old + 1, crowd.matches + 1)
    yield _incoming(crowd, range(1, old + 1), removed=crowd.now)
    yield _incoming(crowd, recent, removed=None)
    yield _raw_messages(crowd, recent)
    yield _plies(crowd)
    yield _outgoing(crowd, range(1, old + 1), removed=crowd.now)
    yield _outgoing(crowd, recent, removed=None)
    yield _contents(crowd, recent)


def _matches(crowd: Crowd) -> Iterator[Alike]:
    same = {
        "game": "quadraphages", "options": {"first": "o"}, "by_address": False, "plies": crowd.turns, "time": "14d/move"
    }  # fmt: skip
    names = ("id", "seat0", "seat1", "challenger", "created", "started", "ended")
    over = same | {"state": MatchState.OVER.value, "to_move": None, "winner": 1, "termination": "rules"}
    yield Alike(Match, over, names, _contests(crowd, range(1, crowd.over + 1)))
    running = same | {"state": MatchState.RUNNING.value, "to_move": 1 - crowd.turns % 2}
    clock = {"due": crowd.now + timedelta(days=10_000), "remind": crowd.now + timedelta(days=10_000)}
    begun = (row[:-1] for row in _contests(crowd, range(crowd.over + 1, crowd.matches + 1)))
    yield Alike(Match, running | clock, names[:-1], begun)


def _contests(crowd: Crowd, matches: range) -> Iterator[tuple[Any, ...]]:
    for each in matches:
        first, second = crowd.seats(each)
        at = crowd.written(each)
        yield crowd.before["match"] + each, first, second, first, at, at, at


def _incoming(crowd: Crowd, matches: range, removed: datetime | None) -> Alike:
    same = {
        "size": 1000, "source": "imap", "recipients": [] if removed else ["games@pbem.example"],
        "state": IncomingState.DONE.value, "attempts": 1, "verdict": "done: move", "removed": removed,
    }  # fmt: skip

    def rows() -> Iterator[tuple[Any, ...]]:
        for match in matches:
            at, seats = crowd.written(match), crowd.seats(match)
            for turn, number in enumerate(_messages(crowd, match)):
                mover = seats[1 - turn % 2]
                yield number, f"{number:064}", mover, at, at, address_of(mover)

    names = ("id", "key", "player", "received", "handled", "sender")
    if removed:
        return Alike(Incoming, same, names[:-1], (row[:-1] for row in rows()))
    return Alike(Incoming, same, names, rows())


def _raw_messages(crowd: Crowd, matches: range) -> Alike:
    rows = ((number,) for match in matches for number in _messages(crowd, match))
    return Alike(RawMessage, {"raw": b"From: somebody\n\na turn\n"}, ("incoming",), rows)


def _plies(crowd: Crowd) -> Alike:
    def rows() -> Iterator[tuple[Any, ...]]:
        for each in range(1, crowd.matches + 1):
            match, at, first = crowd.before["match"] + each, crowd.written(each), crowd.turns * (each - 1)
            numbers = zip(TURNS, _messages(crowd, each), strict=False)
            for turn, (text, message) in enumerate(numbers, start=1):
                yield crowd.before["ply"] + first + turn, match, turn, turn % 2, text, message, at

    return Alike(Ply, {}, ("id", "match", "number", "seat", "text", "incoming", "played"), rows())


def _outgoing(crowd: Crowd, matches: range, removed: datetime | None) -> Alike:
    same = {
        "template": "turn", "epoch": 0, "purpose": "PLAY", "references": [], "is_notice": True,
        "state": OutgoingState.SENT.value, "attempts": 1, "removed": removed,
    }  # fmt: skip

    def rows() -> Iterator[tuple[Any, ...]]:
        for each in matches:
            match, at = crowd.before["match"] + each, crowd.written(each)
            readers = [(player, address_of(player)) for player in crowd.seats(each)]
            for turn, incoming in enumerate(_messages(crowd, each), start=1):
                for (player, address), number in zip(readers, _answers(crowd, incoming), strict=True):
                    message_id = f"<{number:032}@pbem.example>"
                    yield number, message_id, match, turn, player, match, address, incoming, at, at, at

    names = (
        *("id", "message_id", "match", "ply", "player", "token_subject", "address", "incoming"),
        *("due", "created", "sent"),
    )
    return Alike(Outgoing, same, names, rows())


def _contents(crowd: Crowd, matches: range) -> Alike:
    def rows() -> Iterator[tuple[Any, ...]]:
        for each in matches:
            match = crowd.before["match"] + each
            for turn, incoming in enumerate(_messages(crowd, each), start=1):
                payload = f'{{"match": {match}, "ply": {turn}, "message": [], "by": ""}}'
                for number in _answers(crowd, incoming):
                    yield number, payload

    return Alike(OutgoingContent, {}, ("outgoing", "payload"), rows())


def _messages(crowd: Crowd, match: int) -> range:
    """Return the ids of the received messages with the turns of the nth match."""
    first = crowd.before["incoming"] + crowd.turns * (match - 1) + 1
    return range(first, first + crowd.turns)


def _answers(crowd: Crowd, incoming: int) -> range:
    """Return the ids of the two messages that a received one has caused."""
    first = crowd.before["outgoing"] + 2 * (incoming - crowd.before["incoming"]) - 1
    return range(first, first + 2)
