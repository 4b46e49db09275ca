"""Facts that a message needs beside its payload, as they stood when it was queued.

Names, choices and the state of a match change; a message that is sent again must not. Turns are left out: they never
change.
"""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from pydantic_core import to_jsonable_python
from sqlalchemy import Integer, bindparam, inspect
from sqlmodel import Session, SQLModel, col, or_, select

from pbem.storage.message_payload_base import fields
from pbem.storage.models import Match, MatchState, OwnText, Player, PlayerRating
from pbem.storage.utc import Utc

LEFT_OUT = frozenset({"part", "muted0", "muted1", "rematch", "due", "remind", "unreached", "reported", "shown"})
"""Fields of a match that no message shows later: a begun turn belongs to the player who began it."""
TIMES = frozenset(
    column.name for table in (Match, Player) for column in inspect(table).columns if type(column.type) is Utc
)
FIRST_TURNS = 6  # the number of turns, of both sides, in which a match has just begun
PLAYED = col(Match.state).in_((MatchState.RUNNING, MatchState.OVER))
_READER = bindparam("reader", type_=Integer)
_IS_READER_S = or_(col(Match.seat0) == _READER, col(Match.seat1) == _READER)
_IS_EARLIER = (Match.game == bindparam("game"), col(Match.id) < bindparam("match", type_=Integer), PLAYED)
_EARLIER = select(Match.id).where(_IS_READER_S, *_IS_EARLIER).limit(1)
_Row = TypeVar("_Row", Match, Player)
SHOWN_OF_READER = ("id", "name", "settings", "confirmed", "created")
SHOWN_OF_PLAYER = ("id", "name", "stopped", "confirmed", "created")
RATING = "rating"
SHOWN_OF_MATCH = tuple(field for field in Match.model_fields if field not in LEFT_OUT)


@dataclass(frozen=True, slots=True, eq=False)
class MatchFacts:
    """A match and its players by seat as they were at one time. No row of a session."""

    stored: Mapping[str, Any]
    match: Match
    players: tuple[Player, Player]
    ratings: tuple[tuple[float, float] | None, ...] = (None, None)
    """By seat, in a rated match: the rating and its deviation; None for who has none yet."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The reader of a message, where it is a player's, and its matches by number."""

    reader: Player | None
    matches: Mapping[int, MatchFacts]
    first: frozenset[int] = frozenset()  # matches that are the reader's first of their game, and have just begun
    own: Mapping[int, Mapping[str, str]] = field(default_factory=dict)  # the reader's own texts about them, by kind


def gather(session: Session, reader: Player | None, matches: Iterable[int]) -> dict[str, Any]:
    """Return the present facts, as JSON can store them."""
    rows = [session.get_one(Match, number) for number in sorted({*matches})]
    facts: dict[str, Any] = {"reader": None, "matches": [_of_match(session, match) for match in rows]}
    if reader is not None:
        facts["reader"] = _fields(reader, SHOWN_OF_READER)
        if first := [match.id for match in rows if _is_first(session, reader, match)]:
            facts["first"] = first
        if own := own_texts(session, reader, rows):
            facts["own"] = {str(number): texts for number, texts in own.items()}
    return facts


def of_message(session: Session, reader: Player | None, payload: Any, match: Match | None) -> dict[str, Any]:
    """Return the present facts about all matches that a message is about or names."""
    return gather(session, reader, [*_numbers(payload), *([match.id] if match and match.id else [])])


def own_texts(session: Session, player: Player, matches: Iterable[Match]) -> dict[int, dict[str, str]]:
    """Return what the player keeps about each of these matches for themselves, by its kind."""
    sides = {match.id: (match.seat0, match.seat1) for match in matches}
    found: dict[int, dict[str, str]] = {}
    for table in OwnText.__subclasses__() if sides else ():
        rows = select(table.match, table.seat, table.text).where(col(table.match).in_(sides))
        for number, seat, text in session.exec(rows):
            if sides[number][seat] == player.id:
                found.setdefault(number, {})[str(table.__tablename__)] = text
    return found


def restore(stored: Mapping[str, Any], known: MutableMapping[int, MatchFacts]) -> Facts:
    """Return the facts that were stored; matches that are `known` as they were then are the same objects."""
    matches = {}
    for of_match in stored["matches"]:
        number = of_match["match"]["id"]
        if number not in known or known[number].stored != of_match:
            first, second = (_player(player) for player in of_match["players"])
            ratings = tuple(tuple(rating) if (rating := player.get(RATING)) else None for player in of_match["players"])
            known[number] = MatchFacts(of_match, _row(Match, of_match["match"]), (first, second), ratings)
        matches[number] = known[number]
    reader = _player(stored["reader"]) if stored["reader"] else None
    own = {int(number): texts for number, texts in stored.get("own", {}).items()}
    return Facts(reader, matches, frozenset(stored.get("first", ())), own)


def players(stored: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    return (player for of_match in (stored or {}).get("matches", ()) for player in of_match["players"])


def turns_of_reader(stored: Mapping[str, Any] | None) -> Iterator[tuple[int, int]]:
    if not stored or not stored["reader"]:
        return
    for match in (of_match["match"] for of_match in stored["matches"]):
        to_move = match.get("to_move")
        if "clock" in match and to_move is not None and match[f"seat{to_move}"] == stored["reader"]["id"]:
            yield match["id"], match["plies"] + match["shift"]


def without(stored: Mapping[str, Any] | None, player: int, instead: str) -> dict[str, Any] | None:
    """Return the stored facts with another name for that player, and nothing else about them."""
    if stored is None:
        return None
    matches = [{**of_match, "players": [*of_match["players"]]} for of_match in stored["matches"]]
    for of_match in matches:
        for seat, person in enumerate(of_match["players"]):
            if person["id"] == player:
                of_match["players"][seat] = {"id": player, "name": instead, "created": person["created"]}
    return {**stored, "matches": matches}


def _numbers(words: Any) -> Iterator[int]:
    return (value for key, value in fields(words) if key == "match" and isinstance(value, int))


def _is_first(session: Session, reader: Player, match: Match) -> bool:
    if reader.id not in (match.seat0, match.seat1) or match.plies >= FIRST_TURNS:
        return False
    which = {"reader": reader.id, "game": match.game, "match": match.id}
    return session.connection().execute(_EARLIER, which).first() is None


def _of_match(session: Session, match: Match) -> dict[str, Any]:
    players = (session.get_one(Player, match.seat0), session.get_one(Player, match.seat1))
    by_seat = [_fields(player, SHOWN_OF_PLAYER) for player in players]
    if match.rated:
        of_both = (col(PlayerRating.player).in_((match.seat0, match.seat1)), PlayerRating.game == match.game)
        for row in session.exec(select(PlayerRating).where(*of_both, col(PlayerRating.superseded).is_(None))):
            by_seat[int(row.player == match.seat1)][RATING] = [row.rating, row.deviation]
    return {"match": _fields(match, SHOWN_OF_MATCH), "players": by_seat}


def _fields(row: SQLModel, names: Iterable[str]) -> dict[str, Any]:
    return {name: to_jsonable_python(value) for name in names if (value := getattr(row, name)) is not None}


def _player(stored: Mapping[str, Any]) -> Player:
    return _row(Player, {"address": "", **{field: value for field, value in stored.items() if field != RATING}})


def _row(table: type[_Row], stored: Mapping[str, Any]) -> _Row:
    """Return a row of no session, from fields as JSON stores them; only to be read."""
    times = {name: datetime.fromisoformat(stored[name]) for name in TIMES & stored.keys()}
    return table(**{**stored, **times})
