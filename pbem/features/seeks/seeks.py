"""Seeks: offers of a match that anybody may take. What a refusal has to put into words is checked by the caller."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import Session, col, func, select

from notation.games import GAMES
from notation.time_control import from_stored
from pbem.errors import Refused
from pbem.matches import lifecycle, reliability
from pbem.matches.events import Events, MatchStarted
from pbem.matches.lifecycle import Terms
from pbem.matches.ratings.glicko2 import Rating
from pbem.matches.reliability import Reliability
from pbem.matches.shown_names import name
from pbem.messages.contents.message_payloads import OpenSeek
from pbem.players import blocks, player_directory, willingness
from pbem.storage.database import exclude_others
from pbem.storage.message_payload_base import Listing, Part, Payload, Section
from pbem.storage.models import Match, Player, PlayerRating, Seek
from pbem.storage.utc import within


class SeekList(Listing, template="seeks"):
    rows: tuple[OpenSeek, ...]
    narrowed: bool = False  # whether only some kind of seeks was asked for


class SeekOpened(Section, template="seek_opened"):
    seek: OpenSeek
    repeat: int
    until: str
    narrowed: bool = False  # whether it is only for players with some ratings
    reliable: bool = False  # whether it is only for reliable players


class SeekClosed(Section, template="seek_closed"):
    seeks: tuple[OpenSeek, ...]


class EndedSeek(Part):
    number: int
    title: str
    again: str


class SeeksEnded(Payload, template="seeks_ended"):
    seeks: tuple[EndedSeek, ...]


# Ranges of ratings: for whom a seek is, and whose seeks are listed.
#
# Who has no rating in a game counts with the one that everybody begins with, so newcomers aren't left out.
FIRST = Rating().rating  # the rating of a player who has none
HIGHEST = 4_000
EXAMPLE = 'For example "rating=1400-1700", or "rating=+-200" for at most 200 above or below your own.'
_ROUNDING = 0.5  # ratings are shown in whole numbers, and taken as they are shown


@dataclass(frozen=True, slots=True)
class RatingRange:
    """The ratings from the lowest to the highest, both included."""

    lowest: int = 0
    highest: int = HIGHEST

    def __str__(self) -> str:
        return f"{self.lowest}-{self.highest}"

    def has(self, rating: float) -> bool:
        """Return whether the rating, as it is shown, is in the range."""
        return self.lowest <= round(rating) <= self.highest


ANY = RatingRange()


def parse(text: str, own: float) -> RatingRange:
    """Return the range that a player with that rating writes. Raises Refused.

    >>> str(parse("1400-1700", 1500)), str(parse("+-200", 1612.4))
    ('1400-1700', '1412-1812')
    """
    around = re.fullmatch(r"(?:\+-|\+/-|±)([0-9]{1,4})", text, re.ASCII)
    if around:
        middle, width = round(own), int(around[1])
        return RatingRange(max(0, middle - width), min(HIGHEST, middle + width))
    between = re.fullmatch(r"([0-9]{1,4})-([0-9]{1,4})", text, re.ASCII)
    if between is None or not int(between[1]) <= int(between[2]) <= HIGHEST:
        raise Refused(f'"rating={text[:20]}" is not a range of ratings.', fits=EXAMPLE)
    return RatingRange(int(between[1]), int(between[2]))


def current(session: Session, player: Player, game: str) -> float | None:
    latest = (PlayerRating.player == player.id, PlayerRating.game == game, col(PlayerRating.superseded).is_(None))
    return session.exec(select(PlayerRating.rating).where(*latest)).first()


def is_of(player: Any, game: Any, lowest: Any, highest: Any) -> ColumnElement[bool]:
    """Return the condition that the rating of a player in a game is in a range; each may be a column."""
    latest = (PlayerRating.player == player, PlayerRating.game == game, col(PlayerRating.superseded).is_(None))
    rating = func.coalesce(select(PlayerRating.rating).where(*latest).scalar_subquery(), FIRST)
    return and_(rating >= lowest - _ROUNDING, rating < highest + _ROUNDING)


MOST_MATCHES = 10  # how many matches can begin with one seek
COLLECTED = timedelta(days=1)
"""Seeks of a player that end within this time end together, so that one message tells of them."""
TERMS = ("game", "options", "time", "begin", "rated", "free_undo", "lowest", "highest", "reliable")


def put_up(session: Session, seek: Seek) -> Seek:
    exclude_others(session.connection(), "the number of a seek")
    seek.id = (session.exec(select(func.max(Seek.id))).one() or 0) + 1
    session.add(seek)
    session.flush()
    return seek


def same(one: Seek, other: Seek) -> bool:
    """Return whether both offer the same match to the same players."""
    return all(getattr(one, name) == getattr(other, name) for name in TERMS)


def ratings_of(seek: Seek) -> RatingRange:
    return RatingRange(seek.lowest, seek.highest)


def of_player(session: Session, player: Player, now: datetime) -> list[Seek]:
    theirs = (Seek.player == player.id, col(Seek.closed).is_(None), col(Seek.expires) > now)
    return list(session.exec(select(Seek).where(*theirs).order_by(col(Seek.id))))


def put_up_since(session: Session, player: Player, span: timedelta, now: datetime) -> int:
    rows = select(func.count()).select_from(Seek).where(Seek.player == player.id, within(Seek.created, span, now))
    return session.exec(rows).one()


def listed(
    session: Session,
    reader: Player,
    now: datetime,
    most: int,
    *,
    page: int = 1,
    game: str | None = None,
    others: bool = False,
    busy: int | None = None,
) -> tuple[list[tuple[Seek, Player]], bool]:
    """Return a page of the open seeks that the reader may see, newest first, and whether there are more.

    With `game`, only those are listed, and with `others`, only those of others than the reader.

    Not shown are those that the reader couldn't take: of players who have stopped their news or can't be reached, where
    one has blocked the other, for other ratings or more reliable players, and of players who play as many matches as
    they want, or `busy`.
    """
    seeks = (
        select(Seek, Player)
        .join(Player, col(Player.id) == col(Seek.player))
        .where(
            col(Seek.closed).is_(None),
            col(Seek.expires) > now,
            col(Seek.game).in_(tuple(GAMES)),
            col(Player.stopped).is_(None),
            col(Player.unreachable).is_(None),
            col(Player.banned).is_(None),
            *blocks.none_between(reader, Seek.player),
            or_(
                col(Seek.player) == reader.id,
                and_(
                    is_of(reader.id, Seek.game, Seek.lowest, Seek.highest),
                    or_(col(Seek.reliable).is_(False), reliability.is_good(reader.id)),
                    willingness.wants_more(busy),
                ),
            ),
        )
    )
    if game is not None:
        seeks = seeks.where(Seek.game == game)
    if others:
        seeks = seeks.where(Seek.player != reader.id)
    newest = seeks.order_by(col(Seek.expires).desc(), col(Seek.id).desc())
    rows = session.exec(newest.offset((page - 1) * most).limit(most + 1)).all()
    return list(rows[:most]), len(rows) > most


def locked(session: Session, number: int, now: datetime) -> tuple[Seek, Player] | None:
    """The player is locked first, as everywhere, so that two who take the same seek wait for each other."""
    seek = session.get(Seek, number)
    if seek is None:
        return None
    seeker = session.get_one(Player, seek.player, with_for_update=True, populate_existing=True)
    seek = session.get_one(Seek, number, with_for_update=True, populate_existing=True)
    is_theirs = seek.player == seeker.id  # unless their account has just become part of another one
    return (seek, seeker) if is_theirs and seek.closed is None and seek.expires > now else None


def is_for(session: Session, seeker: Player, taker: Player) -> bool:
    return player_directory.is_reachable(seeker) and not blocks.is_between(session, seeker, taker)


def begun_with(session: Session, seek: Seek, seeker: Player, taker: Player) -> Match | None:
    """Return the running match of the two that began with the seek, or on its terms since; None if there is none."""
    same = (Match.game == seek.game, col(Match.to_move).is_not(None), col(Match.started) >= seek.created)
    for first, second in ((seeker, taker), (taker, seeker)):
        playing = select(Match).where(Match.seat0 == first.id, Match.seat1 == second.id, *same)
        match = next((match for match in session.exec(playing) if match.options == seek.options), None)
        if match is not None:
            return match
    return None


def take(
    session: Session, seek: Seek, seeker: Player, taker: Player, now: datetime, until: datetime, *, seeker_begins: bool
) -> Events:
    """Begin a match on the terms of the seek. It stays open, until then, if more matches can begin with it."""
    terms = Terms(seek.game, seek.options, from_stored(seek.time).swapped, seek.rated, seek.free_undo)
    offered = lifecycle.offer(session, taker, seeker, terms, now, challenger_begins=not seeker_begins)
    started = lifecycle.accept(session, offered[0].match, seeker, now)
    seek.repeat -= 1
    if seek.repeat:
        seek.expires = until
    else:
        seek.closed = now
    session.flush()
    return tuple(replace(event, seek=seek.id) if isinstance(event, MatchStarted) else event for event in started)


def close(session: Session, seeks: Sequence[Seek], now: datetime) -> None:
    for seek in seeks:
        seek.closed = now
    session.flush()


def expire(session: Session, player: Player, now: datetime) -> list[Seek]:
    soon = (Seek.player == player.id, col(Seek.closed).is_(None), col(Seek.expires) <= now + COLLECTED)
    rows = list(session.exec(select(Seek).where(*soon).order_by(col(Seek.id)).with_for_update()))
    if not any(seek.expires <= now for seek in rows):
        return []
    close(session, rows, now)
    return rows


def forget(session: Session, player: Player, addresses: Collection[str], now: datetime) -> None:
    close(session, of_player(session, player, now), now)


RELIABLE = "reliable"  # the word of a seek that only reliable players can take
SHOWN = 5  # how many are shown in messages that are about something else


def conditions(seek: Seek) -> tuple[str, ...]:
    """Return the words of a seek, beside its game, options and time, that aren't as usual."""
    ratings = ratings_of(seek)
    words = {"rated": seek.rated, "undo=free": seek.free_undo, f"rating={ratings}": ratings != ANY}
    return tuple(word for word, is_so in (words | {RELIABLE: seek.reliable}).items() if is_so)


def shown(seek: Seek, seeker: Player, reader: Player, known: Reliability | None = None) -> OpenSeek:
    return OpenSeek(
        number=seek.id or 0,
        title=GAMES.title(seek.game),
        player=name(seeker),
        options=", ".join((*GAMES.options_in_words(seek.game, seek.options), *conditions(seek))),
        begin=seek.begin,
        time=seek.time or "no limit",
        own=seeker.id == reader.id,
        ended=known.ended if known else 0,
        lost_on_time=known.lost if known else 0,
        running=known.running if known else 0,
    )


def rows(
    seeks: Iterable[tuple[Seek, Player]], reader: Player, known: Mapping[int, Reliability] | None = None
) -> tuple[OpenSeek, ...]:
    return tuple(shown(seek, seeker, reader, (known or {}).get(seek.player)) for seek, seeker in seeks)


def newest(session: Session, reader: Player, now: datetime) -> tuple[OpenSeek, ...]:
    seeks, _ = listed(session, reader, now, SHOWN, others=True)
    return rows(seeks, reader)
