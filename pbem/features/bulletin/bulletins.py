"""The weekly bulletin, for players who want it: what was played, who seeks a match, and who leads.

A row says when a player's next one is due. It moves in the transaction that queues the message, so each player gets one
a week, however many daemons there are and whatever crashes.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from sqlalchemy import exists
from sqlmodel import Session, col, delete, select

from notation.ending import WITHOUT_RESULT, Termination
from notation.games import GAMES
from pbem.config import ServerSettings
from pbem.features.ratings.commands import PlaceListed, places_listed
from pbem.features.seeks import seeks
from pbem.matches.clock.timekeeping import ZONE
from pbem.matches.queries import name, people_of
from pbem.matches.ratings import standings
from pbem.messages import preferences
from pbem.messages.preferences import HOUR
from pbem.messages.said.messages import LISTED, OpenSeek
from pbem.players import schedule
from pbem.players.directory import is_reachable
from pbem.storage.due import NOW, Due, each_row
from pbem.storage.models import Bulletin, Match, Player
from pbem.storage.outbox import Mailer
from pbem.storage.payloads import Part, Payload
from pbem.storage.preferences import OFF, ON, Preference
from pbem.storage.retention import change
from pbem.tokens import Purpose


class BulletinMatch(Part):
    number: int
    title: str
    player: str
    opponent: str
    who: str = ""
    """The winner; empty if nobody has won."""
    result: str = ""
    """How it ended, unless the rules say who has won."""


class Leaders(Part):
    title: str
    rows: tuple[PlaceListed, ...]


class WeeklyBulletin(Payload, template="bulletin"):
    matches: tuple[BulletinMatch, ...] = ()
    more: bool = False
    """Whether more matches have ended."""
    seeks: tuple[OpenSeek, ...] = ()
    leaders: tuple[Leaders, ...] = ()
    is_long: ClassVar = True
    heading: ClassVar = "The last week"


WEEK = timedelta(days=7)
MOST_MATCHES = 20
"""How many finished matches a bulletin lists, the newest."""
FIRST = 3
"""How many players of each game."""
MONDAY = 0


def _choose(session: Session, player: Player, now: datetime) -> None:
    row = session.get(Bulletin, player.id)
    if BULLETIN.of(player.settings) == OFF:
        if row is not None:
            session.delete(row)
            session.flush()
        return
    due = _next_monday(player, now)
    row = row or Bulletin(player=player.id, due=due, told=due - WEEK)
    row.due = due
    session.add(row)
    session.flush()


BULLETIN = Preference(
    "bulletin",
    (OFF, ON),
    "whether you get a message each Monday on finished matches, open seeks and standings",
    on_choice=_choose,
    depends_on=(HOUR, ZONE),
)


def due(session: Session, now: datetime, most: int) -> Sequence[int]:
    rows = select(Bulletin.player).where(col(Bulletin.due) <= now).order_by(col(Bulletin.due)).limit(most)
    return [number or 0 for number in session.exec(rows)]


def next_for(session: Session, row: Bulletin, now: datetime) -> tuple[Player, WeeklyBulletin] | None:
    """Return what the player of that row, which is locked, is told now; None if it's nothing.

    The next bulletin is due a week later in any case, and tells what happens from now on.
    """
    player = session.get_one(Player, row.player)
    if row.due > now:  # another daemon was first
        return None
    since, row.told, row.due = row.told, now, _next_monday(player, now)
    if player.confirmed is None or not is_reachable(player):
        return None
    told = between(session, player, since, now)
    return (player, told) if told.matches or told.seeks else None


def between(session: Session, reader: Player, since: datetime, now: datetime) -> WeeklyBulletin:
    found = session.exec(
        select(Match)
        .where(
            col(Match.termination).is_not(None),
            col(Match.level).is_(None),
            col(Match.imported).is_(None),
            col(Match.ended) >= since,
            col(Match.ended) < now,
        )
        .order_by(col(Match.ended).desc(), col(Match.id).desc())
        .limit(MOST_MATCHES + 1)
    ).all()
    people, games = people_of(session, found), GAMES if len(GAMES) <= LISTED else {each.game: each for each in found}
    return WeeklyBulletin(
        matches=tuple(_played(match, people[match.seat0], people[match.seat1]) for match in found[:MOST_MATCHES]),
        more=len(found) > MOST_MATCHES,
        seeks=seeks.newest(session, reader, now),
        leaders=tuple(
            leaders for game in islice(games, LISTED) if (leaders := _leaders(session, game, reader, now)).rows
        ),
    )


def _played(match: Match, first: Player, second: Player) -> BulletinMatch:
    winner = None if match.winner is None else (first, second)[match.winner]
    how = "" if match.termination == Termination.RULES else str(match.termination)
    is_drawn = winner is None and match.termination not in WITHOUT_RESULT
    return BulletinMatch(
        number=match.id or 0,
        title=GAMES.title(match.game),
        player=name(first),
        opponent=name(second),
        who=name(winner) if winner is not None else "",
        result=", ".join(filter(None, ("drawn" if is_drawn else "", how))),
    )


def _leaders(session: Session, game: str, reader: Player, now: datetime) -> Leaders:
    places = standings.of_game(session, game, now, 0, FIRST)
    return Leaders(title=GAMES.title(game), rows=places_listed(places, reader))


def _next_monday(player: Player, after: datetime) -> datetime:
    choices = preferences.with_defaults(player.settings)
    hour, zone = int(choices["hour"]), ZoneInfo(choices["zone"])
    at = schedule.next_hour(after, hour, zone)
    while at.astimezone(zone).weekday() != MONDAY:
        at = schedule.next_hour(at, hour, zone)
    return at


def forget(session: Session, player: Player, addresses: Collection[str], now: datetime) -> None:
    change(session, delete(Bulletin).where(col(Bulletin.player) == player.id))


def export(session: Session, player: Player) -> dict[str, Any]:
    row = session.get(Bulletin, player.id)
    return {"next_bulletin": None if row is None else row.due}


def _send(session: Session, row: Bulletin, server: ServerSettings, now: datetime) -> bool:
    found = next_for(session, row, now)
    if found is None:
        return False
    player, told = found
    Mailer(session, server, now).to_player(player, told, purpose=Purpose.PERSONAL, is_notice=True)
    return True


send = each_row(Bulletin, due, _send, doing="bulletins")
"""Queues the bulletins that are due, some of them, and returns how many had something to tell."""
ARE_DUE = exists().where(col(Bulletin.due) <= NOW)
DUE = (Due(name="bulletins.send", when=ARE_DUE, act=send),)
