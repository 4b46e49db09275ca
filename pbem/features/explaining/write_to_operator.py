"""The command human: what a person writes goes to the operator, who is told where to answer."""

from datetime import timedelta

from sqlmodel import func, select

from pbem.conversation.command import Command, Decision, Letter, Line, Reach, Request, Who
from pbem.conversation.syntax.arguments import words
from pbem.errors import Refused
from pbem.players import message_budgets
from pbem.storage.mailer import Cause
from pbem.storage.message_payload_base import Payload, Section
from pbem.storage.models import Outgoing
from pbem.storage.utc import within


class ForOperator(Payload, template="for_operator"):
    """What somebody has written for the operator to read."""

    by: str = ""  # the player; empty for somebody who is none
    address: str
    message: tuple[str, ...]


class OperatorTold(Section, template="operator_told"):
    address: str


MOST_LINES, WIDEST = 40, 1_000
PER_DAY = 20  # how many such messages the operator gets in a day; one of them from each address


def human(request: Request, line: Line) -> Decision:
    admin = request.server.admin
    if not admin:
        raise Refused("Nobody but this program reads what you write to it.", fits='"help" explains what you can write.')
    text = tuple(row[:WIDEST] for row in request.prose if row.strip())[:MOST_LINES]
    if not text:
        raise Refused(
            "What do you want to tell the operator?",
            read=line.text,
            fits='Write it below the line "human", and leave a line above it empty if you like.',
        )
    sender = request.sender
    gist = message_budgets.gist_of("human", (sender.address,))
    if message_budgets.was_told(request.session, admin, gist, request.now):
        raise Refused(
            "You have already written to the operator today.",
            fits="They answer by email. You can write to them again tomorrow.",
        )
    sent = (Outgoing.address == admin, Outgoing.template == ForOperator.template)
    today = select(func.count()).where(*sent, within(Outgoing.created, timedelta(days=1), request.now))
    if request.session.exec(today).one() >= PER_DAY:
        raise Refused("The operator has got many messages today.", fits="Please write again tomorrow.")
    name = sender.player.name if sender.player is not None and sender.player.confirmed else None
    message = Letter(
        address=admin, payload=ForOperator(by=name or "", address=sender.address, message=text), cause=Cause(gist=gist)
    )
    return Decision(answer=(OperatorTold(address=sender.address),), messages=(message,), takes_prose=True)


def _for_stranger(request: Request, line: Line) -> Line | None:
    return Line(HUMAN, "", None, "human") if request.server.admin else None


HUMAN = Command(
    "human",
    words(takes_below=True, is_strict=True),
    "write to the operator of this server; the lines below it go to them, and they answer by email",
    human,
    keywords="operator admin person contact complain complaint bug report support",
    by_match=Reach.ANYWHERE,
    open_to=Who.GUESTS,
    for_stranger=_for_stranger,
)
