"""Who plays here: those who agreed to be listed, when a player last wrote, and whom a name or number means."""

from datetime import datetime, timedelta

from sqlmodel import Session, col, delete, select

from pbem.errors import Refused
from pbem.storage.models import HOUSE, Player, Presence
from pbem.storage.preference_definition import OFF, ON, Preference

TO_THE = timedelta(days=1)  # the precision of what is stored, so that most messages change nothing
ACTIVE = timedelta(days=30)


def note(session: Session, player: Player, now: datetime) -> None:
    """Store that the player has written, unless that is known of this day."""
    row = session.get(Presence, player.id)
    if row is None:
        session.add(Presence(player=player.id, seen=now))
    elif not row.seen <= now < row.seen + TO_THE:
        row.seen = now
        session.add(row)


def _show(session: Session, player: Player, now: datetime) -> None:
    row = session.get(Presence, player.id) or Presence(player=player.id, seen=now)
    row.listed = (row.listed or now) if LISTED.of(player.settings) == ON else None
    session.add(row)
    session.flush()


LISTED = Preference("listed", (OFF, ON), 'whether "who" shows your name to other players', on_choice=_show)


def listed(session: Session, now: datetime, most: int, page: int = 1) -> tuple[list[tuple[str, datetime]], bool]:
    """Return names and when they last wrote, and whether there are more. Players who get no news aren't listed."""
    present = (col(Presence.listed).is_not(None), col(Presence.seen) > now - ACTIVE)
    newest = select(Presence.player, Presence.seen).where(*present)
    newest = newest.order_by(col(Presence.seen).desc(), col(Presence.player))
    rows = session.exec(newest.offset((page - 1) * most).limit(most + 1)).all()
    numbers = [player for player, _ in rows[:most]]
    people = session.exec(select(Player).where(col(Player.id).in_(numbers))) if numbers else ()
    names = {player.id: player.name or "" for player in people if is_reachable(player)}
    return [(names[player], seen) for player, seen in rows[:most] if player in names], len(rows) > most


def is_reachable(player: Player) -> bool:
    return all(since is None for since in (player.stopped, player.unreachable, player.banned, player.deleted))


def last_seen(session: Session, player: Player) -> datetime | None:
    row = session.get(Presence, player.id)
    return None if row is None else row.seen


def forget(session: Session, player: Player) -> None:
    session.exec(delete(Presence).where(col(Presence.player) == player.id))


LONGEST_NUMBER = 10


def called(session: Session, reference: str, *, guests: bool = False) -> Player:
    """Return the player, or with `guests` anybody, of that name, address or number; raise Refused."""
    is_number = reference.isdecimal() and len(reference) < LONGEST_NUMBER
    place = Player.address if "@" in reference else Player.name
    is_it = Player.id == int(reference) if is_number else place == reference.lower()
    player = session.exec(select(Player).where(is_it)).first()
    is_known = player is not None and player.address != HOUSE and player.deleted is None
    if player is None or not is_known or (player.confirmed is None and not guests):
        raise Refused(f"No player is called {reference[:40]}.", fits='"players" lists all of them.')
    return player
