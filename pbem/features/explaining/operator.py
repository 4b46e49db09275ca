"""`human`: what somebody writes below it goes to the operator, who is told where to answer."""

from datetime import timedelta

from sqlmodel import Session, col, func, select

from pbem.conversation.core import AtOnce, Command, Decision, Line, Newcomer, Reach, Request, ToAddress, Who
from pbem.conversation.syntax.grammar import words
from pbem.errors import Refused
from pbem.features.explaining.messages import ForOperator, OperatorTold
from pbem.players import rate_limits
from pbem.storage.clock import within
from pbem.storage.models import Outgoing

MOST_LINES, WIDEST = 40, 300
PER_DAY = 20
"""How many such messages the operator gets in a day; one of them from each address."""


def human(request: Request, line: Line) -> Decision:
    admin = request.server.admin
    if not admin:
        raise Refused("Nobody but this program reads what you write to it.", fits='"help" explains what you can write.')
    text = tuple(each[:WIDEST] for each in request.prose if each.strip())[:MOST_LINES]
    if not text:
        raise Refused(
            "What do you want to tell the operator?",
            read=line.text,
            fits='Write it below the line "human", and leave a line above it empty if you like.',
        )
    sender = request.sender
    gist = f"human {rate_limits.gist_of_question((sender.address,))}"
    if rate_limits.was_told(request.session, admin, gist, request.now):
        raise Refused(
            "You have already written to the operator today.",
            fits="They answer by email. You can write to them again tomorrow.",
        )
    if _today(request.session, admin, request) >= PER_DAY:
        raise Refused("The operator has got many messages today.", fits="Please write again tomorrow.")
    name = sender.player.name if sender.player is not None and sender.player.confirmed else None
    letter = ForOperator(by=name or "", address=sender.address, message=text)
    told = OperatorTold(address=sender.address)
    return Decision(answer=(told,), messages=(ToAddress(address=admin, payload=letter, gist=gist),), takes_prose=True)


def _today(session: Session, admin: str, request: Request) -> int:
    sent = (Outgoing.address == admin, Outgoing.template == ForOperator.template)
    recent = within(Outgoing.created, timedelta(days=1), request.now)
    return session.exec(select(func.count(col(Outgoing.id))).where(*sent, recent)).one()


def _for_stranger(request: Request, line: Line) -> Line | None:
    return Line(HUMAN, "", None, "human") if request.server.admin else None


HUMAN = Command(
    "human",
    words(takes_below=True, is_strict=True),
    "write to the operator of this server; the lines below it go to them, and they answer by email",
    human,
    keywords="operator admin person contact complain complaint bug report support",
    at_once=AtOnce(by_match=Reach.ANYWHERE),
    open_to=Who.GUESTS,
    newcomer=Newcomer(line=_for_stranger),
)
