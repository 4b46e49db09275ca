"""Matches that were played elsewhere: read from a record, checked turn by turn, and stored as matches that are over.

Beside `lifecycle`, only this writes matches and turns. Nobody is told of it and it counts for no rating.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sqlmodel import Session, select

from engines.core import IllegalMove, Position, Seat
from engines.seats import other
from notation import gamerecord
from notation import record as records
from notation.core import BadNotation
from notation.ending import Ending, Termination
from notation.record import BadRecord, Record
from pbem import tokens
from pbem.matches import queries, replays
from pbem.storage.models import IMPORTED, Match, MatchState, Player

LARGEST = 5_000_000
"""The most bytes of a file with a record."""
LONGEST_NAME = 20
LOST = (Termination.RESIGNATION, Termination.LEFT, Termination.TIMEOUT)
"""What ends a match in favour of the opponent of the player whom it concerns."""
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PlayedElsewhere:
    """A match as a file tells it: the record with canonical turns, who played each, and how it ended."""

    record: Record
    seats: tuple[Seat, ...]
    ending: Ending
    """Where the file tells of no end, the match is abandoned."""
    winner: Seat | None
    reason: str | None = None
    """The result in the words of the rules, where they ended the match."""
    started: datetime | None = None
    ended: datetime | None = None
    moments: tuple[datetime | None, ...] = ()
    """When each turn was played, where the file tells that of all of them."""

    @property
    def key(self) -> str:
        names = [name.casefold() for name in self.record.players]
        told = [self.record.game, sorted(self.record.options.items()), names, self.record.moves]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def read(text: str, game: str | None = None, *, tolerant: bool = False) -> PlayedElsewhere:
    """Return the match that a text or JSON tells of; raise BadRecord at the first turn that isn't legal.

    `tolerant` mends the slips in old records, as long as the turns are legal then. Nothing is looked up or stored.
    """
    winner: Seat | None = None
    started = ended = None
    moments: tuple[datetime | None, ...] = ()
    if text.lstrip("\ufeff").lstrip().startswith("{"):
        record, site, result = gamerecord.loads(text.lstrip("\ufeff"))
        winner, started, ended = result.winner, time_of(site.started), time_of(site.ended)
        moments = tuple(time_of(each.received) for each in site.moments)
    else:
        record = records.loads(text.lstrip("\ufeff"), game)
    if not record.moves:
        raise BadRecord(0, text, "there are no turns")
    if len(record.moves) > tokens.LARGEST_PLY:
        raise BadRecord(0, text, f"a match has at most {tokens.LARGEST_PLY} turns")
    if tolerant:
        record = _mended(record)
    positions = records.replay(record)
    last = positions[-1]
    if last.part is not None:
        number = len(record.moves)
        line, player = record.line_of(number), record.players[last.turn or 0]
        raise BadRecord(number, record.moves[-1], "the turn is not complete", player=player, line=line)
    if difference := records.board_difference(record, last):
        raise BadRecord(0, text, difference)
    notation = record.pack.notation
    texts = tuple(
        notation.format(notation.parse(text), before) for text, before in zip(record.moves, positions, strict=False)
    )
    seats = tuple(before.turn for before in positions[:-1] if before.turn is not None)
    ending, winner, reason = _ended(record, last, winner)
    return PlayedElsewhere(replace(record, moves=texts), seats, ending, winner, reason, started, ended, moments)


def _ended(record: Record, last: Position[Any], winner: Seat | None) -> tuple[Ending, Seat | None, str | None]:
    """Return how the match ended, who won, and what the rules say; what they say is believed before all else."""
    if last.outcome is not None:
        return Ending(Termination.RULES), last.outcome.winner, last.outcome.reason
    ending = record.ending
    if ending is None or ending.termination is Termination.RULES:
        known = Termination.ABANDONED if winner is None else Termination.ADJUDICATED
        return Ending(known), winner, None
    if ending.termination is Termination.PROVEN:
        return ending, ending.seat, ending.line
    if ending.termination in LOST and ending.seat is not None:
        return ending, other(ending.seat), None
    return ending, winner if ending.termination is Termination.ADJUDICATED else None, None


def _mended(record: Record) -> Record:
    """Return the record with the turns that were meant, as an arbiter reads them; raise BadRecord if one isn't legal.

    An arbiter lets some turns stand that the rules forbid. We replay every match, so those are refused.
    """
    notation, (positions, _) = record.pack.notation, records.replay_tolerantly(record)
    turns: list[str] = []
    for number, (text, before, after) in enumerate(zip(record.moves, positions, positions[1:], strict=False), start=1):
        meant = _meant(notation, before, after, text)
        if meant is None:
            cause = "no legal turn leads to the board after it, however slips are mended"
            player = record.players[before.turn or 0]
            raise BadRecord(number, text, cause, player=player, line=record.line_of(number))
        turns.append(meant)
    return replace(record, moves=tuple(turns))


def _meant(notation: Any, before: Position[Any], after: Position[Any], text: str) -> str | None:
    try:
        if before.play(notation.parse(text)) == after:
            return text
    except (BadNotation, IllegalMove):
        pass
    if before.turn is None:
        return None
    found = (notation.format(move, before) for move in before.moves() if before.play(move) == after)
    return next(found, None)


def time_of(text: str) -> datetime | None:
    """Return a time as in RFC 3339; None for what isn't one."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time.astimezone(UTC) if time.tzinfo is not None else None


def store(
    session: Session, played: PlayedElsewhere, players: Mapping[str, Player], now: datetime
) -> tuple[Match, bool]:
    """Store the match; return it, and whether it is new: a match is stored once, however often it is imported.

    `players` has who of ours a name in the record is, by the name in small letters. Others get a row that nobody can
    write from or to. Raises BadRecord where both sides are the same player.
    """
    number = queries.next_number(session)  # from here on nobody else imports a match
    known = session.exec(select(Match).where(Match.imported == played.key)).first()
    if known is not None:
        return known, False
    one, two = played.record.players
    first = players.get(one.casefold()) or _placeholder(session, one, None, now)
    second = players.get(two.casefold()) or _placeholder(session, two, first, now)
    if first.id == second.id:
        raise BadRecord(0, "", f"both sides are {first.name}")
    ended = min(played.ended or now, now)
    started = min(played.started or ended, ended)
    match = Match(
        id=number,
        game=played.record.game,
        rules=played.record.version,
        options=dict(played.record.options),
        seat0=first.id or 0,
        seat1=second.id or 0,
        challenger=first.id or 0,
        imported=played.key,
        state=MatchState.OVER,
        plies=len(played.record.moves),
        winner=played.winner,
        termination=played.ending.termination.value,
        termination_seat=played.ending.seat,
        reason=played.reason,
        created=started,
        started=started,
        ended=ended,
    )
    session.add(match)
    session.flush()
    moments = played.moments if len(played.moments) == len(played.seats) else (None,) * len(played.seats)
    turns = zip(played.seats, played.record.moves, moments, strict=True)
    replays.store_turns(session, number, ((seat, text, min(when or ended, ended)) for seat, text, when in turns))
    return match, True


def _placeholder(session: Session, name: str, opponent: Player | None, now: datetime) -> Player:
    """It is like that of a player who has left: without an address, and nobody can challenge it."""
    stem = wanted = f"{IMPORTED}{_word(name) or UNKNOWN}"
    for suffix in range(2, 1000):
        found = session.exec(select(Player).where(Player.name == wanted)).first()
        if found is None:
            found = Player(name=wanted, address=wanted, deleted=now, created=now)
            session.add(found)
            session.flush()
        if found.address == wanted and (opponent is None or found.id != opponent.id):
            return found
        wanted = f"{stem}-{suffix}"  # the opponent's becomes the same, or somebody chose it before it was reserved
    raise AssertionError("a thousand players can't have chosen such names")


def _word(name: str) -> str:
    """Return a name as one word of small letters and digits; of an address, what is before the @.

    >>> _word("Jan van Es"), _word("Žofie_2"), _word("jo@mail.example"), _word("...")
    ('jan-van-es', 'zofie-2', 'jo', '')
    """
    plain = unicodedata.normalize("NFKD", name.partition("@")[0]).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall("[a-z0-9]+", plain))[:LONGEST_NAME].strip("-")
