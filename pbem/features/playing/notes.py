"""Notes of one's own: what a player writes down about a match, for nobody else to see.

A note belongs to a seat, as what is prepared does. Messages to its player show it under the board. No record or file
has it. All words below the command belong to it, so none of them is played or sent to anybody.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, or_, select

from engines.core import Seat
from pbem.conversation.command import Command, Decision, Line, Request
from pbem.conversation.syntax.arguments import MATCH, TEXT, opt, words
from pbem.conversation.target import own_match
from pbem.errors import Refused
from pbem.storage.models import Match, Note, Player
from pbem.storage.payloads import Section


class OwnNote(Section, template="own_note"):
    match: int
    change: str  # what became of it: kept, shown or deleted
    lines: tuple[str, ...]  # what it says, or said before it was deleted


LONGEST = 4_000  # how many characters a note can have
NOTHING = frozenset({"off", "none", "delete", '""'})  # the words that delete a note


def note(request: Request, line: Line) -> Decision:
    """Keep the sender's note about a match in place of the one before, delete it, or show it."""
    match, _, seat = own_match(request, line)
    text = "\n".join((line.words, *request.prose)).strip()
    if len(text) > LONGEST:
        raise Refused(
            f"A note can have up to {LONGEST:,} characters, and this one has {len(text):,}.",
            fits=f'Your note about match #{match.id} is as it was; "note {match.id}" shows it.',
        )
    row = request.session.get(Note, (match.id, seat))
    before, change = "" if row is None else row.text, "kept"
    if not text:
        change, text = "shown", before
    elif text.lower() in NOTHING:
        _keep(request.session, match, seat, "")
        change, text = "deleted", before
    else:
        _keep(request.session, match, seat, text)
    answer = OwnNote(match=match.id or 0, change=change, lines=tuple(text.splitlines()))
    return Decision(answer=(answer,), takes_prose=True)


def _keep(session: Session, match: Match, seat: Seat, text: str) -> None:
    row = session.get(Note, (match.id, seat))
    if text:
        row = row or Note(match=match.id or 0, seat=seat, text="")
        row.text = text
        session.add(row)
    elif row is not None:
        session.delete(row)
    if seat:
        match.noted1 = bool(text)
    else:
        match.noted0 = bool(text)
    session.flush()


def _of(session: Session, player: Player) -> Sequence[tuple[Match, Note]]:
    first, second = col(Match.seat0) == player.id, col(Match.seat1) == player.id
    theirs = or_((col(Note.seat) == 0) & first, (col(Note.seat) == 1) & second)
    noted = or_(first & col(Match.noted0), second & col(Match.noted1))
    rows = select(Match, Note).join(Note, col(Note.match) == Match.id).where(noted, theirs)
    return session.exec(rows.order_by(col(Match.id))).all()


def forget(session: Session, player: Player, addresses: Collection[str], now: datetime) -> None:
    for match, row in _of(session, player):
        _keep(session, match, 1 if row.seat else 0, "")


def export(session: Session, player: Player) -> list[dict[str, Any]]:
    return [{"match": match.id, "text": row.text} for match, row in _of(session, player)]


NOTE_TEXT = replace(TEXT, usage="TEXT|off", pattern=r"(?!that\b|how\b).+")
NOTE = Command(
    "note",
    words(opt(MATCH), opt(NOTE_TEXT), is_strict=True, takes_below=True),
    'keep a note that only you see; all lines below belong to it, it stands under the board, and "off" deletes it',
    note,
    keywords="private secret memo remember remark analysis plan",
)
