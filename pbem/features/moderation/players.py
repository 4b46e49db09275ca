"""What is done to players: ban, unban, rename, and announce to all of them."""

from pbem.conversation.core import Decision, Line, Request
from pbem.errors import Refused
from pbem.features.accounts.account import check_other_name
from pbem.features.moderation import bans, broadcasts, names, orders, roster
from pbem.features.moderation.bans import BanOutcome
from pbem.matches.naming import name
from pbem.messages.said.acts import Act


def ban(request: Request, line: Line) -> Decision:
    written = orders.read(request, line)
    player, order = roster.called(request.session, written.about[0]), written.order
    if request.is_from(player):
        raise Refused("That's your own account.", read=line.text)
    ended = bans.ban(request.session, request.server, request.features, player, order, request.now, written.ended)
    lost = written.ended is BanOutcome.LOST
    return orders.done(Act(act="ban", by=name(player), address=player.address, ended=ended, lost=lost), order)


def unban(request: Request, line: Line) -> Decision:
    written = orders.read(request, line)
    player = roster.called(request.session, written.about[0])
    bans.unban(request.session, request.server, player, written.order, request.now)
    return orders.done(Act(act="unban", by=name(player), address=player.address), written.order)


def rename(request: Request, line: Line) -> Decision:
    written = orders.read(request, line)
    called, new = written.about
    player = roster.called(request.session, called)
    former = name(player)
    wanted = check_other_name(request.session, new, request.features)
    names.rename(request.session, request.server, player, wanted, written.order, request.now)
    return orders.done(Act(act="rename", by=former, address=player.address, who=wanted), written.order)


def announce(request: Request, line: Line) -> Decision:
    """Write to all players who get news: the line is the subject, and what stands below it the text."""
    subject, lines = broadcasts.read("\n".join((line.words, *request.prose)))
    order, number = orders.order(request), broadcasts.recipients(request.session)
    if not number:
        raise Refused("There is nobody to write to: no player gets news.")
    broadcasts.begin(request.session, subject, lines, order, request.now)
    per_minute = broadcasts.PER_MINUTE
    return orders.done(
        Act(act="announce", subject=subject, lines=lines, recipients=number, per_minute=per_minute), order
    )


BAN = orders.command(
    "ban",
    "PLAYER [matches=lost] [tell=yes] [NOTE]",
    "keep a player out; their matches end without a result, or with matches=lost their opponents win",
    ban,
    (1, 200),
)
UNBAN = orders.command(
    "unban", "PLAYER [tell=yes] [NOTE]", "let them in again; what has ended stays over", unban, (1, 200)
)
RENAME = orders.command(
    "rename",
    "PLAYER NEW [tell=yes] [NOTE]",
    "give a player another name; nobody else gets the old one",
    rename,
    (2, 200),
)
ANNOUNCE = orders.command(
    "announce",
    "SUBJECT",
    "write to all players who get news: what stands below this line is the text",
    announce,
    (0, 40),
    takes_rest=True,
)
