"""Two accounts of the same person become one: everything of the first goes to the other, and its addresses are dead.

The row of the first stays, without being a player's: whoever writes from its address, or to a reply address of its, is
told where it went, its name is nobody else's, and the matches between the two have two sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, update

from pbem.config import ServerSettings
from pbem.conversation.feature import Features
from pbem.errors import Refused
from pbem.features.moderation import acts, names, verdicts
from pbem.features.moderation.acts import Order
from pbem.features.moderation.messages import Merged, Renamed
from pbem.matches import lifecycle, succession
from pbem.matches.clock import calendars
from pbem.matches.naming import name
from pbem.matches.ratings import derivation
from pbem.matches.ratings.weeks import week_of
from pbem.players import addresses, announcements, directory
from pbem.players.notices import notify
from pbem.storage.models import HOUSE, MatchState, Player
from pbem.storage.outbox import Mailer
from pbem.storage.retention import change
from pbem.tokens import Purpose


@dataclass(frozen=True, slots=True)
class Merger:
    """What became of matches where two accounts have become one."""

    running: tuple[int, ...]
    """Those that go on for the account that stays."""
    ended: tuple[int, ...]
    """Those between the two that were running, and have ended without a result."""
    between: int
    """How many matches between the two there are, which don't count for ratings any more."""


def merge(
    session: Session,
    server: ServerSettings,
    features: Features,
    player: Player,
    heir: Player,
    order: Order,
    now: datetime,
) -> Merger:
    """Let the player's account become part of the heir's, and tell everyone concerned. Raises Refused."""
    derivation.lock(session)
    for feature in features:
        if feature.may_merge is not None:
            feature.may_merge(session, player, heir)
    for number in sorted((player.id or 0, heir.id or 0)):
        session.get_one(Player, number, with_for_update=True, populate_existing=True)
    _check(player, heir)
    opponents = [each for each in names.opponents(session, player) if each.id != heir.id]
    counted = succession.counted_since(session, player)
    ended = _end_between(session, server, player, heir, now)
    between = succession.uncount(session, player, heir)
    running = succession.pass_on(session, player, heir)
    directory.pass_on(session, player, heir)
    for feature in features:
        if feature.on_merge is not None:
            feature.on_merge(session, player, heir, now)
    _close(session, player, heir)
    calendars.carry_over(session, heir, now)
    addresses.pass_on_unsent(session, player, heir, now)
    for game, since in sorted(counted.items()):
        derivation.rewind(session, game, week_of(since))
    acts.keep(session, order, "merge", now, player=heir.id, former_name=player.name)
    merger = Merger(tuple(match.id or 0 for match in running), ended, between)
    _tell(session, server, player, heir, opponents, merger, order, now)
    return merger


def _check(player: Player, heir: Player) -> None:
    """Raise Refused for accounts that can't become one."""
    if player.id == heir.id:
        raise Refused(f"That's one account already: {name(player)}.", fits="Name two.")
    for each in (player, heir):
        if each.banned is not None:
            raise Refused(f"The account of {name(each)} is closed.", fits=f'"unban {name(each)}" opens it.')
        if each.confirmed is None or each.deleted is not None or each.address == HOUSE:
            raise Refused(f"{name(each)} isn't a player's account.")


def _end_between(
    session: Session, server: ServerSettings, player: Player, heir: Player, now: datetime
) -> tuple[int, ...]:
    """End the matches between the two that are open, and tell the heir; return those that were running."""
    ended = []
    for match in succession.open_between(session, player, heir):
        if match.state == MatchState.OFFERED:
            challenger = session.get_one(Player, match.challenger)
            lifecycle.withdraw(session, match, challenger, now)
            continue
        for notice in announcements.notices(session, verdicts.cancel(session, match, now)):
            if notice.player.id == heir.id:
                notify(session, server, now, notice)
        ended.append(match.id or 0)
    return tuple(ended)


def _close(session: Session, player: Player, heir: Player) -> None:
    """Make the row that of no player, whose reply addresses are worth nothing."""
    heir.confirmed = min(filter(None, (heir.confirmed, player.confirmed)))
    heir.created = min(heir.created, player.created)
    heir.trusted = heir.trusted or player.trusted
    player.trusted = None
    player.confirmed, player.settings, player.stopped = None, {}, None
    player.unreachable, player.bounces, player.bounced, player.complained = None, 0, None, None
    player.merged_into = heir.id
    player.epoch += 1
    session.flush()
    earlier = col(Player.merged_into) == player.id
    change(session, update(Player).where(earlier).values(merged_into=heir.id))


def _tell(
    session: Session,
    server: ServerSettings,
    player: Player,
    heir: Player,
    opponents: Sequence[Player],
    merger: Merger,
    order: Order,
    now: datetime,
) -> None:
    """Tell both addresses, neither of which learns the other, and the opponents in running matches."""
    mailer = Mailer(session, server, now)
    gone, stays = name(player), name(heir)
    told = Merged(
        by=gone,
        who=stays,
        own=True,
        running=merger.running,
        ended=merger.ended,
        contact=server.admin or "",
        message=order.reason,
    )
    mailer.to_player(heir, told, purpose=Purpose.PERSONAL)
    left = Merged(by=gone, who=stays, own=False, contact=server.admin or "", message=order.reason)
    mailer.to_address(player.address, left)
    for opponent in opponents:
        mailer.to_player(opponent, Renamed(who=stays, by=gone, own=False), purpose=Purpose.PERSONAL, is_notice=True)
