"""A player's addresses: revoke, change address."""

from datetime import timedelta

from sqlmodel import col, func, select

from pbem.conversation.command import Command, Decision, Letter, Line, Request
from pbem.conversation.syntax.arguments import Slot, opt, word, words
from pbem.errors import Refused
from pbem.mail.reading.message import is_address
from pbem.matches.shown_names import name
from pbem.messages.contents.answer_sections import AddressAsked, NewAddresses
from pbem.messages.contents.message_payloads import AddressQuestion
from pbem.players import addresses_and_revocation, invitations, message_budgets, sender_identity
from pbem.storage.mailer import Cause
from pbem.storage.models import Outgoing, Player
from pbem.storage.utc import within
from pbem.tokens import Purpose

MOST_QUESTIONS = 3
EXAMPLE = 'For example "change address alice@example.org".'
ADDRESS, PASSWORD, NEW = word("address"), word("password"), word("NEW", r"\S+", is_name=True)


def revoke(request: Request, line: Line) -> Decision:
    addresses_and_revocation.revoke(request.session, request.player)
    return Decision(answer=(NewAddresses(),))


def change(request: Request, line: Line) -> Decision:
    """Ask the new address to confirm; its reply makes the change."""
    player = request.player
    if PASSWORD in line.given:
        raise Refused('There are no passwords here; "change" changes your address.', read=line.text, fits=EXAMPLE)
    if NEW not in line.given:
        raise Refused("Which address?", read=line.text, fits=EXAMPLE)
    address = line.given[NEW].strip("<>")
    if not is_address(address) or sender_identity.leads_to_us(address, request.server):
        raise Refused(f"{address[:60]} can't be your email address.", read=line.text, fits=EXAMPLE)
    if address == player.address:
        raise Refused(f"{address} is already your address.", read=line.text)
    _check_limits(request, player, line)
    if message_budgets.is_asked_often(request.session, address, request.now) or invitations.is_ruled_out(
        request.session, address
    ):
        raise Refused(
            "We can't write to this address today: we've written there often enough, or its owner wants no mail.",
            read=line.text,
            fits="Try again tomorrow.",
        )
    question = Letter(
        address=address,
        payload=AddressQuestion(by=name(player)),
        player=player,
        token_subject=request.incoming.id or 0,
        cause=Cause(request.incoming),  # but no reply: the new address hasn't seen the message
    )
    return Decision(answer=(AddressAsked(address=address),), messages=(question,))


def _check_limits(request: Request, player: Player, line: Line) -> None:
    questions = select(func.count()).where(
        Outgoing.player == player.id, Outgoing.purpose == Purpose.ADDRESS.name, col(Outgoing.settled).is_(None)
    )
    if request.session.exec(questions.where(Outgoing.incoming == request.incoming.id)).one():
        raise Refused(
            "One message can only ask for one address.", read=line.text, fits="Send the other one separately."
        )
    today = within(Outgoing.created, timedelta(days=1), request.now)
    if request.session.exec(questions.where(today)).one() >= MOST_QUESTIONS:
        raise Refused(
            f"We've already written to {MOST_QUESTIONS} addresses for you today, and that's the limit.",
            read=line.text,
            fits="Reply to one of those messages, or try again tomorrow.",
        )


REVOKE = Command(
    "revoke",
    words(),
    "replace reply addresses that a stranger has seen: all of yours, and your personal address",
    revoke,
    keywords="token tokens personal secret leaked security password passwords login",
    asks=True,
)
CHANGE = Command(
    "change",
    words(Slot((PASSWORD, ADDRESS), "address NEW"), opt(NEW, usage=""), meant_by="@|address|password"),
    "move your mail to another address; we'll ask both the old and the new one to confirm",
    change,
    keywords="address email e-mail mail move-address",
    asks=True,
)
