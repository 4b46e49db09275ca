"""Reply addresses and the own one: revoke, change address."""

from dataclasses import replace
from datetime import timedelta

from sqlmodel import col, func, select

from pbem.commands.core import Command, Context, Line
from pbem.commands.verdict import Outcome, Verdict
from pbem.errors import Refused, Silence, Unanswerable
from pbem.matches.naming import name
from pbem.payloads.messages import AddressMoved, AddressQuestion, Challenge
from pbem.payloads.sections import AddressAsked, HeldDropped, NewAddresses, QuestionExpired
from pbem.players import addresses, identity
from pbem.reading.message import is_address
from pbem.storage.models import Outgoing, Player
from pbem.tokens import Purpose

QUESTION_LIVES = timedelta(days=14)
"""So long a question of ours can be answered."""
MOST_QUESTIONS = 3


def revoke(context: Context, line: Line) -> None:
    """Make every reply address of the sender worthless, and tell the new personal one."""
    addresses.revoke(context.session, context.player)
    context.answer(NewAddresses())


def change(context: Context, line: Line) -> None:
    """Ask the address that the sender wants to have; its answer makes the change."""
    player = context.player
    what, _, rest = line.words.partition(" ")
    if what.lower() != "address":
        raise Refused(
            "There are no passwords here; what can be changed with this word is your address.",
            read=line.text,
            fits='For example "change address alice@example.org".',
        )
    wanted = rest.strip().strip("<>").lower()
    if not wanted:
        raise Refused("Which address?", read=line.text, fits='For example "change address alice@example.org".')
    if not is_address(wanted) or identity.is_ours(wanted, context.server):
        raise Refused(
            f"{wanted[:60]} is no mail address that you could have.",
            read=line.text,
            fits='For example "change address alice@example.org".',
        )
    if wanted == player.address:
        raise Refused(f"{wanted} is your address already.", read=line.text)
    _bound(context, player, line)
    context.mailer.ask_address(
        wanted,
        AddressQuestion(by=name(player)),
        player=player,
        incoming=context.incoming,
        token_subject=context.incoming.id or 0,
    )
    context.answer(AddressAsked(address=wanted))


def _bound(context: Context, player: Player, line: Line) -> None:
    """Raise Refused for a second address in one mail, and where somebody has us write to many."""
    asked = select(func.count()).where(
        Outgoing.player == player.id, Outgoing.purpose == Purpose.ADDRESS.name, col(Outgoing.settled).is_(None)
    )
    if context.session.exec(asked.where(Outgoing.incoming == context.incoming.id)).one():
        raise Refused("One mail can ask for one address.", read=line.text, fits="Write of the other one separately.")
    if context.session.exec(asked.where(col(Outgoing.created) > context.now - timedelta(days=1))).one() >= (
        MOST_QUESTIONS
    ):
        raise Refused(
            f"I have asked {MOST_QUESTIONS} addresses for you today; that is the most.",
            read=line.text,
            fits="Answer one of those mails, or try again tomorrow.",
        )


def ask_again(context: Context, question: int) -> Verdict:
    """Ask the new address once more, whose answer did not go to the address of our question."""
    row = context.session.get_one(Outgoing, question)
    player = context.session.get(Player, row.player)
    if player is None or row.purpose is None:
        raise Unanswerable(Silence.UNKNOWN_TOKEN)
    context.mailer.ask_address(
        row.address,
        AddressQuestion(by=name(player), by_thread=True),
        player=player,
        incoming=context.incoming,
        token_subject=row.token_subject,
        answers=context.answered,
    )
    return Verdict(Outcome.ASKED_AGAIN)


def settle(context: Context, question: int, *, agrees: bool | None) -> Verdict:
    """Do what the new address answers to our question; what became of it. None is neither a yes nor a no."""
    row = context.session.get_one(Outgoing, question, with_for_update=True)
    player = context.session.get(Player, row.player)
    if player is None or row.settled is not None:
        raise Unanswerable(Silence.UNKNOWN_TOKEN)
    if context.now - row.created > QUESTION_LIVES:
        context.answer(QuestionExpired(days=QUESTION_LIVES.days))
        return Verdict(Outcome.TOO_LATE)
    if agrees is False:
        row.settled = context.now  # an answer to it means nothing any more
        context.session.add(row)
        context.answer(HeldDropped())
        return Verdict(Outcome.NOT_CONFIRMED)
    if agrees is None:
        raise Refused("I can't tell whether that is a yes.", fits='Answer "yes" or "no" in the first line.')
    taken = context.session.exec(select(Player).where(Player.address == row.address)).first()
    if taken is not None and taken.confirmed is not None:
        raise Refused(
            f"This address belongs to {taken.name} already, so nothing was changed.",
            fits="A player has one address, and an address one player.",
        )
    _move(context, player, row)
    return Verdict(Outcome.DONE, CHANGE.name)


def _move(context: Context, player: Player, row: Outgoing) -> None:
    """Make the change, and tell both addresses."""
    old = player.address
    passed_on = addresses.move(context.session, player, row.address)
    row.settled = context.now
    context.session.add(row)
    context.mailer.to_address(old, AddressMoved(by=name(player)))
    for match in passed_on:
        challenge = Challenge(by=name(context.session.get_one(Player, match.challenger)), message=())
        context.mailer.to_player(player, challenge, purpose=Purpose.PLAY, match=match)
    context.sender = replace(context.sender, player=player, proven=True, move=None)
    context.answer(NewAddresses(moved=True))


REVOKE = Command(
    "revoke",
    "",
    "make all your reply addresses worthless, if a stranger may have seen one, and get a new personal address",
    revoke,
    changes=True,
    asks_once_more=True,
)
CHANGE = Command(
    "change",
    "address NEW",
    "have your mail sent to another address; the old and the new one are both asked",
    change,
    changes=True,
    asks_once_more=True,
    words=(1, 2),
)
