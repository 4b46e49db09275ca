"""Announcements to all players: announce."""

from pbem.commands.core import Command, Decision, Line, Request
from pbem.commands.moderating import orders
from pbem.moderation import broadcasts
from pbem.moderation.acts import Order
from pbem.payloads.moderation import Act


def announce(request: Request, line: Line) -> Decision:
    """Write to all players who get news: the line is the subject, and what stands below it the text."""
    subject, lines = broadcasts.read("\n".join((line.words, *request.prose)))
    order = Order(orders.ACTOR, is_trial=request.is_trial)
    broadcasts.begin(request.session, subject, lines, order, request.now)
    per_minute = request.server.announced_per_minute
    return orders.done(Act(act="announce", subject=subject, lines=lines, per_minute=per_minute))


ANNOUNCE = Command(
    "announce",
    "SUBJECT",
    "write to all players who get news: what stands below this line is the text",
    announce,
    changes=True,
    words=(0, 40),
    asks_once_more=True,
    of_admin=True,
    takes_rest=True,
)
