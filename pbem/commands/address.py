"""A player's addresses: revoke, change address."""

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
"""How long our questions can be answered."""
MOST_QUESTIONS = 3


def revoke(context: Context, line: Line) -> None:
    """Revoke all reply addresses of the sender, and reply with the new personal one."""
    addresses.revoke(context.session, context.player)
    context.answer(NewAddresses())


def change(context: Context, line: Line) -> None:
    """Ask the new address to confirm; its reply makes the change."""
    player = context.player
    what, _, rest = line.words.partition(" ")
    if what.lower() != "address":
        raise Refused(
            'There are no passwords here; "change" changes your address.',
            read=line.text,
            fits='For example "change address alice@example.org".',
        )
    wanted = rest.strip().strip("<>").lower()
    if not wanted:
        raise Refused("Which address?", read=line.text, fits='For example "change address alice@example.org".')
    if not is_address(wanted) or identity.is_ours(wanted, context.server):
        raise Refused(
            f"{wanted[:60]} can't be your email address.",
            read=line.text,
            fits='For example "change address alice@example.org".',
        )
    if wanted == player.address:
        raise Refused(f"{wanted} is already your address.", read=line.text)
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
    """Raise Refused for a second address in one message, and for too many addresses in a day."""
    asked = select(func.count()).where(
        Outgoing.player == player.id, Outgoing.purpose == Purpose.ADDRESS.name, col(Outgoing.settled).is_(None)
    )
    if context.session.exec(asked.where(Outgoing.incoming == context.incoming.id)).one():
        raise Refused("One message can ask for one address only.", read=line.text, fits="Send the other separately.")
    if context.session.exec(asked.where(col(Outgoing.created) > context.now - timedelta(days=1))).one() >= (
        MOST_QUESTIONS
    ):
        raise Refused(
            f"We've already written to {MOST_QUESTIONS} addresses for you today, and that's the limit.",
            read=line.text,
            fits="Reply to one of those messages, or try again tomorrow.",
        )


def ask_again(context: Context, question: int) -> Verdict:
    """Ask the new address again, because its reply didn't go to the address of our question."""
    row = context.session.get_one(Outgoing, question)
    player = context.session.get(Player, row.player)
    if player is None or row.settled is not None:
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
    """Act on the reply of the new address and return a verdict; `agrees` is None if it is neither yes nor no."""
    row = context.session.get_one(Outgoing, question, with_for_update=True)
    player = context.session.get(Player, row.player)
    if player is None or row.settled is not None:
        raise Unanswerable(Silence.UNKNOWN_TOKEN)
    if context.now - row.created > QUESTION_LIVES:
        context.answer(QuestionExpired(days=QUESTION_LIVES.days))
        return Verdict(Outcome.TOO_LATE)
    if agrees is False:
        row.settled = context.now  # replies to it have no effect any more
        context.session.add(row)
        context.answer(HeldDropped())
        return Verdict(Outcome.NOT_CONFIRMED)
    if agrees is None:
        raise Refused("I can't tell whether that means yes.", fits='Reply "yes" or "no" in the first line.')
    taken = context.session.exec(select(Player).where(Player.address == row.address)).first()
    if taken is not None and taken.confirmed is not None:
        raise Refused(
            f"This address already belongs to {taken.name}, so nothing was changed.",
            fits="Each player has one address, and each address one player.",
        )
    _move(context, player, row)
    return Verdict(Outcome.DONE, CHANGE.name)


def _move(context: Context, player: Player, row: Outgoing) -> None:
    """Change the address, and tell both."""
    old = player.address
    passed_on = addresses.move(context.session, player, row.address)
    row.settled = context.now
    context.session.add(row)
    context.mailer.to_address(old, AddressMoved(by=name(player)))
    for match in passed_on:
        challenge = Challenge(by=name(context.session.get_one(Player, match.challenger)), message=())
        context.mailer.to_player(player, challenge, purpose=Purpose.PLAY, match=match)
    context.effects.sender = replace(context.sender, player=player, proven=True, move=None)
    context.answer(NewAddresses(moved=True))


REVOKE = Command(
    "revoke",
    "",
    "replace all your reply addresses and your personal address, in case a stranger has seen one",
    revoke,
    changes=True,
    asks_once_more=True,
)
CHANGE = Command(
    "change",
    "address NEW",
    "move your mail to another address; we'll ask both the old and the new one to confirm",
    change,
    changes=True,
    asks_once_more=True,
    words=(1, 2),
)
