"""Ordering keys: messages that share one must be handled one after the other, in the order in which they were stored.

Messages share a key if they have the same sender, the same player or the same match. The keys err on the generous
side: one too many costs a little time.
"""

import re

from sqlmodel import Session, select

from pbem.commands.syntax.mail import tagged_match
from pbem.players.identity import Sender
from pbem.reading.message import Message
from pbem.storage.models import Outgoing

MOST = 50
"""How many match numbers are looked for in one message."""

_NUMBER = re.compile(r"(?:#|(?<!\w)[A-Za-z]+ {1,4})([0-9]{1,9})(?![\w.])")
"""A number after # or a word; the numbers in a turn follow the name of a cell."""


def ordering_keys(session: Session, message: Message, sender: Sender | None) -> frozenset[str]:
    """Return the keys of a message: its sender, its player, and the matches that it answers or names."""
    keys = {f"address {message.sender}"} if message.sender else set()
    if sender is None:  # it will only be filed
        return frozenset(keys)
    matches = set(_named(message))
    if sender.player is not None:
        keys.add(f"player {sender.player.id}")
    if sender.held_message is not None:
        asked = select(Outgoing.match).where(Outgoing.incoming == sender.held_message, Outgoing.template == "confirm")
        matches.update(match for match in session.exec(asked) if match is not None)
    matches.update(sender.plies)
    matches.update(match for match in (sender.match, tagged_match(message.subject)) if match is not None)
    return frozenset(keys | {f"match {match}" for match in matches})


def _named(message: Message) -> list[int]:
    r"""Return every number in the text that could be a match's.

    >>> from types import SimpleNamespace
    >>> _named(SimpleNamespace(subject="Re: [pbem #7] c4", lines=["move 12 1 c4d5 2 d5", "#3: hello, it is 10.30"]))
    [7, 12, 3]
    """
    text = "\n".join((message.subject, *message.lines))
    return [int(number) for number, _ in zip(_NUMBER.findall(text), range(MOST), strict=False)]
