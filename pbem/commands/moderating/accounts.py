"""Accounts and names: ban, unban, rename, merge."""

from pbem.commands.account import check_other_name
from pbem.commands.core import Command, Decision, Line, Request
from pbem.commands.moderating import orders
from pbem.errors import Refused
from pbem.matches.naming import name
from pbem.moderation import bans, merges, names
from pbem.moderation.bans import Ended
from pbem.payloads.moderation import Act


def ban(request: Request, line: Line) -> Decision:
    """Close a player's account."""
    written = orders.read(request, line)
    player = orders.player_called(request, line, written.about[0])
    if request.is_from(player):
        raise Refused("That's your own account.", read=line.text)
    order = written.order
    ended = bans.ban(request.session, request.server, player, order, request.now, written.ended)
    return orders.done(
        Act(
            act="ban",
            by=name(player),
            address=player.address,
            ended=ended,
            lost=written.ended is Ended.LOST,
            message=tuple(order.note.splitlines()),
            tells=order.tells,
        )
    )


def unban(request: Request, line: Line) -> Decision:
    """Open a player's account again."""
    written = orders.read(request, line)
    player, order = orders.player_called(request, line, written.about[0]), written.order
    bans.unban(request.session, request.server, player, order, request.now)
    note = tuple(order.note.splitlines())
    return orders.done(
        Act(act="unban", by=name(player), address=player.address, message=note, tells=order.tells),
    )


def rename(request: Request, line: Line) -> Decision:
    """Give a player another name."""
    written = orders.read(request, line)
    called, new = written.about
    player, order = orders.player_called(request, line, called), written.order
    former = name(player)
    wanted = check_other_name(request.session, new, request.commands, request.house.name)
    names.rename(request.session, request.server, player, wanted, order, request.now)
    return orders.done(
        Act(
            act="rename",
            by=former,
            address=player.address,
            who=wanted,
            message=tuple(order.note.splitlines()),
            tells=order.tells,
        )
    )


def merge(request: Request, line: Line) -> Decision:
    """Let one account become part of another one."""
    written = orders.read(request, line)
    player, heir = (orders.player_called(request, line, each) for each in written.about)
    order, gone = written.order, player.address
    merger = merges.merge(request.session, request.server, player, heir, order, request.now)
    return orders.done(
        Act(
            act="merge",
            by=name(player),
            address=gone,
            who=name(heir),
            opponent=heir.address,
            running=len(merger.running),
            ended=len(merger.ended),
            between=merger.between,
            message=tuple(order.note.splitlines()),
            tells=order.tells,
        )
    )


BAN = Command(
    "ban",
    "PLAYER [matches=lost] [tell=yes] [NOTE]",
    "keep a player out; their matches end without a result, or with matches=lost their opponents win",
    ban,
    changes=True,
    words=(1, 200),
    asks_once_more=True,
    of_admin=True,
)
UNBAN = Command(
    "unban",
    "PLAYER [tell=yes] [NOTE]",
    "let them in again; what has ended stays over",
    unban,
    changes=True,
    words=(1, 200),
    asks_once_more=True,
    of_admin=True,
)
RENAME = Command(
    "rename",
    "PLAYER NEW [tell=yes] [NOTE]",
    "give a player another name; nobody else gets the old one",
    rename,
    changes=True,
    words=(2, 200),
    asks_once_more=True,
    of_admin=True,
)
MERGE = Command(
    "merge",
    "PLAYER PLAYER [tell=yes] [NOTE]",
    "make the first account part of the second one, of the same person; it can't be undone",
    merge,
    changes=True,
    words=(2, 200),
    asks_once_more=True,
    of_admin=True,
)
