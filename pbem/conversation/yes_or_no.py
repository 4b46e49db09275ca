"""What is a yes and what a no, for every question, offer and suggestion, and what it means.

Only the first line answers, if it says nothing else. What it means is what the message of ours that it answers suggests
or offers, if that can still be done.
"""

import re
from collections.abc import Sequence
from enum import Enum
from functools import cache

from sqlmodel import Session, col, select

from pbem.conversation.refusals import outdated
from pbem.conversation.syntax import phrases
from pbem.errors import Refused
from pbem.mail.reading.message import Message
from pbem.mail.reading.text.normalize import fold
from pbem.matches.events import Change
from pbem.matches.queries import locked, seat_of
from pbem.messages.said import messages
from pbem.messages.said.sections import AsOf, Refusal
from pbem.players.identity import Sender
from pbem.storage import outbox
from pbem.storage.models import Match, MatchState, Outgoing, Ply
from pbem.storage.payloads import load

LONGEST = 100  # a longer line says something else as well
_WORDS = re.compile(r"[\w'\u2019-]*\w|\U0001f44d|\U0001f44e|\U0001f44c|\u2705|\u274c")
_BREAK = re.compile(r"\s*[.,;:!\u2013\u2014\u3001\u3002\uff0c\uff01-]")


class Answer(Enum):
    YES = "yes"
    NO = "no"


def answer(lines: Sequence[str]) -> Answer | None:
    """Return what the first line of a person's own text answers, perhaps below a greeting; None if it says more.

    A no counts with anything behind it that it is set off from, since it changes nothing.

    >>> [answer([line]) for line in ("Yes, please!", "No, that was somebody else.", "No idea what this is", "Yes?")]
    [<Answer.YES: 'yes'>, <Answer.NO: 'no'>, None, None]
    """
    return _said(line) if (line := _first(lines)) else None


def lines_below(lines: Sequence[str]) -> Sequence[str]:
    first = _first(lines)
    return lines[[line.strip() for line in lines].index(first) + 1 :] if first else ()


def says_only(text: str) -> bool:
    """Return whether the text consists of nothing but what may stand in an answer: it is nobody's name."""
    return bool(_phrases_in(_words(text)))


def _first(lines: Sequence[str]) -> str:
    written = [line.strip() for line in lines if line.strip()][:2]
    if len(written) > 1 and _phrases_in(_words(written[0])) == {"greetings"}:
        return written[1]
    return written[0] if written else ""


def _said(line: str) -> Answer | None:
    if len(line) > LONGEST or "?" in line or "\uff1f" in line:
        return None
    kinds = _phrases_in(_words(line)) - {"courtesies"}
    if kinds == {"yes"}:
        return Answer.YES
    return Answer.NO if kinds == {"no"} or _is_no_set_off(line) else None


def _is_no_set_off(line: str) -> bool:
    """Return whether a line begins with a no, perhaps said again, that a break follows: "No no, that was for Tom."."""
    for word in _WORDS.finditer(line):
        if _phrases_in(_words(word[0])) != {"no"}:
            return False
        if _BREAK.match(line, word.end()):
            return True
    return False


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip("'-_") for word in _WORDS.findall(fold(text)))


def _phrases_in(words: Sequence[str]) -> set[str]:
    kinds: set[str] = set()
    at = 0
    while at < len(words):
        length = next((length for length in range(_longest(), 0, -1) if words[at : at + length] in _phrases()), 0)
        if not length:
            return set()
        kinds.add(_phrases()[tuple(words[at : at + length])])
        at += length
    return kinds


@cache
def _phrases() -> dict[Sequence[str], str]:
    return {_words(phrase): kind for kind, listed in phrases.table("answers").items() for phrase in listed}


@cache
def _longest() -> int:
    return max(map(len, _phrases()))


OFFERS = ("challenge", "invitation")  # the messages that offer a match
VERBS = {Answer.YES: "accept", Answer.NO: "decline"}
DONE = ""  # what replaces a proposal that was carried out


def answered_message(session: Session, message: Message, sender: Sender) -> Outgoing | None:
    """Return our message that this one replies to; if it doesn't say, the newest to the player in its match.

    It is locked for this transaction, so that two replies at once can't both be carried out. None if it went to
    somebody else, or if its tokens are revoked.
    """
    player = sender.player
    if player is None:
        return None
    ours = select(Outgoing).where(Outgoing.player == player.id, Outgoing.epoch == player.epoch).with_for_update()
    rows = {row.message_id: row for row in session.exec(ours.where(col(Outgoing.message_id).in_(message.answers)))}
    found = next((rows[each] for each in message.answers if each in rows), None)
    if found is None and sender.proven:
        newest = ours.where(col(Outgoing.state).not_in(outbox.STAYED))  # of those the player has seen
        newest = newest if sender.match is None else newest.where(Outgoing.match == sender.match)
        found = session.exec(newest.order_by(col(Outgoing.id).desc()).limit(1)).first()
    return found


def offer_answered(session: Session, sender: Sender, answered: Outgoing | None, answer: Answer) -> str | None:
    """Return the command that the answer to a challenge, invitation or offer stands for; None if nothing is offered."""
    verb = VERBS[answer]
    if answered is not None and answered.proposal is not None:
        return None
    match = session.get(Match, sender.match) if sender.match else None
    if match is None or sender.player is None or seat_of(match, sender.player) is None:
        return None
    if answered is not None and answered.template == "offer" and answered.payload.get("change") == Change.MADE:
        return f"{verb} {answered.payload['kind']}"
    if match.challenger == sender.player.id:
        return None
    if match.state != MatchState.OFFERED and (answered is None or answered.template not in OFFERS):
        return None
    return verb


def as_of(match: Match | None, proposal: str | None) -> AsOf | None:
    if match is None or proposal is None:
        return None
    return AsOf(match=match.id or 0, ply=match.plies, shift=match.shift, part=match.part)


def nothing_suggested(row: Outgoing | None) -> Refused:
    """Return the refusal of a yes in an answer to that message, which suggests nothing; None if we don't know which."""
    which = "The message you replied to suggests nothing" if row else "We can't see which message you replied to"
    return Refused(
        f'{which}, so we don\'t know what your "yes" is for.',
        fits='Write the turn or the command itself; "say TEXT" writes to your opponent.',
    )


def suggested_line(session: Session, row: Outgoing) -> str:
    """Return the line that `yes` means; raises Refused if there is none, or if it is too late for it."""
    if row.proposal is None:
        raise nothing_suggested(row)
    suggestion = _suggestion(row)
    if suggestion is not None and suggestion.as_of is not None:
        _check_fresh(session, row, suggestion, suggestion.as_of)
    if row.proposal == DONE:
        raise Refused('You have already said "yes" to this, and it was done.')
    return row.proposal


def _check_fresh(session: Session, row: Outgoing, suggestion: Refusal, about: AsOf) -> None:
    """Raise Refused if the match has moved on since the suggestion, or another beginning of a turn is kept."""
    match = locked(session, about.match)
    assert match is not None  # noqa: S101 - matches are never deleted
    if (match.plies, match.shift) != (about.ply, about.shift):
        played = session.exec(select(Ply).where(Ply.match == match.id, Ply.number == about.ply + 1)).first()
        (meant, *_) = suggestion.meant
        if row.proposal == DONE and played is not None and played.text.endswith(meant):
            raise Refused(f"Your turn {played.text} has already been played.", match=match.id)
        raise outdated("You replied to an older suggestion, and the match has moved on.", match)
    if row.proposal != DONE and about.part != match.part:
        raise outdated("Your turn has changed since we suggested that.", match)


def _suggestion(row: Outgoing) -> Refusal | None:
    """Return the section of the message that suggests something; None also where its payload was removed."""
    if row.template != "answer" or row.removed is not None:
        return None
    sections = load(messages.Answer, row.payload).sections
    return next((section for section in sections if isinstance(section, Refusal)), None)
