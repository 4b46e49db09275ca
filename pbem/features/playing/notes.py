"""Notes of one's own about a match: all words below the command belong to it, and none is played or sent to anybody."""

from dataclasses import replace

from pbem.conversation.command import Command, Decision, Line, Request
from pbem.conversation.syntax.arguments import MATCH, TEXT, opt, words
from pbem.errors import Refused
from pbem.features.match_and_players import own_match
from pbem.storage.message_payload_base import Section
from pbem.storage.models import OwnText


class Note(OwnText, table=True):
    """A note, of up to `LONGEST` characters."""


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
    row = request.session.get(Note, (match.id, seat)) or Note(match=match.id or 0, seat=seat, text="")
    if not text:
        change = "shown"
    elif text.lower() in NOTHING:
        change = "deleted"
        if row.text:
            request.session.delete(row)
    else:
        change, row.text = "kept", text
        request.session.add(row)
    request.session.flush()
    answer = OwnNote(match=match.id or 0, change=change, lines=tuple(row.text.splitlines()))
    return Decision(answer=(answer,), takes_prose=True)


NOTE_TEXT = replace(TEXT, usage="TEXT|off", pattern=r"(?!that\b|how\b).+")
NOTE = Command(
    "note",
    words(opt(MATCH), opt(NOTE_TEXT), is_strict=True, takes_below=True),
    'keep a note that only you see; all lines below belong to it, it stands under the board, and "off" deletes it',
    note,
    keywords="private secret memo remember remark analysis plan",
)
