"""Names: the operator gives a player another one."""

from datetime import datetime

from sqlmodel import Session

from pbem.config import ServerSettings
from pbem.features.moderation import acts
from pbem.features.moderation.acts import Order
from pbem.features.moderation.messages import Renamed
from pbem.matches.queries import opponent_of, playing
from pbem.storage.models import HOUSE, Match, Player
from pbem.storage.outbox import Mailer
from pbem.tokens import Purpose


def rename(session: Session, server: ServerSettings, player: Player, wanted: str, order: Order, now: datetime) -> None:
    """The old name is kept: it is found when the player's data is deleted, and nobody else gets it."""
    player = session.get_one(Player, player.id, with_for_update=True, populate_existing=True)
    former = player.name or ""
    player.name = wanted
    session.flush()
    acts.keep(session, order, "rename", now, player=player.id, former_name=former)
    mailer = Mailer(session, server, now)
    told = Renamed(who=wanted, by=former, own=True, message=order.reason)
    mailer.to_player(player, told, purpose=Purpose.PERSONAL)
    for opponent in _opponents(session, player):
        mailer.to_player(opponent, Renamed(who=wanted, by=former, own=False), purpose=Purpose.PERSONAL, is_notice=True)


def _opponents(session: Session, player: Player) -> list[Player]:
    numbers = {opponent_of(session.get_one(Match, number), player) for number in playing(session, player)}
    people = (session.get_one(Player, number) for number in sorted(numbers))
    return [each for each in people if each.address != HOUSE and each.stopped is None and each.banned is None]
