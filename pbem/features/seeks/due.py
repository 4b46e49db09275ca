"""Seeks that nobody takes end after some weeks. Their players are told, in one message for all that end these days.

Each player has a transaction of their own that locks their row, so only one of several daemons tells them.
"""

from datetime import datetime

import structlog
from sqlalchemy import exists
from sqlmodel import Session, col

from notation.games import GAMES
from pbem.config import ServerSettings
from pbem.features.seeks import seeks
from pbem.features.seeks.messages import EndedSeek, SeeksEnded
from pbem.features.seeks.open_seeks import RELIABLE
from pbem.features.seeks.rating_ranges import ANY, RatingRange
from pbem.storage.due import NOW, Due, each_row
from pbem.storage.models import Player, Seek
from pbem.storage.outbox import Mailer
from pbem.tokens import Purpose

log = structlog.get_logger()


def _expire(session: Session, player: Player, server: ServerSettings, now: datetime) -> bool:
    """End the seeks of a player, and tell them unless they want no news. Return whether any ended."""
    ended = seeks.expire(session, player, now)
    if ended and player.stopped is None and player.deleted is None:
        told = SeeksEnded(seeks=tuple(_again(seek) for seek in ended))
        Mailer(session, server, now).to_player(player, told, purpose=Purpose.PERSONAL, is_notice=True)
    if ended:
        log.info("seeks ended", player=player.id, number=len(ended))
    return bool(ended)


def _again(seek: Seek) -> EndedSeek:
    options = GAMES.options_in_words(seek.game, seek.options)
    begin = f"begin={seek.begin}" if seek.begin != "me" else ""
    repeat = f"repeat={seek.repeat}" if seek.repeat > 1 else ""
    ratings = RatingRange(seek.lowest, seek.highest)
    rated = (
        "rated" if seek.rated else "",
        "undo=free" if seek.free_undo else "",
        f"rating={ratings}" if ratings != ANY else "",
    )
    reliable = RELIABLE if seek.reliable else ""
    words = ("seek", seek.game, *options, begin, f"time={seek.time or 'none'}", *rated, reliable, repeat)
    return EndedSeek(number=seek.id or 0, title=GAMES.title(seek.game), again=" ".join(word for word in words if word))


expire = each_row(Player, seeks.expiring, _expire, doing="seeks that end")
"""Ends the seeks whose time is over, and returns the number of players who had some."""
ARE_OVER = exists().where(col(Seek.closed).is_(None), col(Seek.expires) <= NOW)
DUE = (Due(name="expiry.expire", when=ARE_OVER, act=expire),)
