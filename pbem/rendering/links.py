"""What a reader can do next, as links: each opens an email to us with address, Subject and text filled in.

Anyone who sees such a link can act as its recipient, so links only appear in messages to that player, with their own
token. The text part has the same words: a mail program without links costs taps, and nothing else.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from engines.core import Seat
from notation import NOTATIONS
from notation.core import Notation
from notation.hints import Hint, listed
from notation.steps import Choices, choices
from pbem.matches import offers
from pbem.matches.offers import OfferKind
from pbem.matches.snapshot import Hypothesis, Snapshot
from pbem.matches.variations import BETWEEN
from pbem.storage.models import MatchState, Player

LONGEST = 1_999
"""The maximum length of a link; some programs truncate longer ones."""
PREVIEW = "preview"


@dataclass(frozen=True, slots=True)
class Link:
    """A link to tap: its label, the text of the email it opens, and its URI."""

    label: str
    words: str
    uri: str


@dataclass(frozen=True, slots=True)
class Links:
    """Everything a reader can tap in the part of a message that is about one match."""

    turns: tuple[Link, ...] = ()
    """A link for each legal turn, if there are only a few; once tapped and sent, the turn is played.

    Where turns are chosen in a preview that nothing comes of (another player's turn, an old position), these
    links preview too.
    """
    steps: tuple[Link, ...] = ()
    """With more turns than that: the next thing to choose, a stone or a square. Each link previews."""
    others: tuple[Link, ...] = ()
    """Other commands that fit: accept and decline, or resign, undo, show, help."""
    answers: tuple[Link, ...] = ()
    """The answers to the offers of the opponent."""
    by_cell: Mapping[str, Link] = field(default_factory=dict)
    """The next choices on the board, by the name of their cell ("c4"). Each link previews."""

    @property
    def preview_only(self) -> bool:
        """Whether the turns can only be previewed from here, not played."""
        return all(link.words.startswith(PREVIEW) for link in self.turns)

    @property
    def listed(self) -> str:
        """The turns, or else the steps, as lines for the text part; the reader writes `preview` in front."""
        return _listed(self.turns or self.steps)

    @property
    def steps_listed(self) -> str:
        """The steps as lines for the text part; the reader writes `preview` in front."""
        return _listed(self.steps)

    def listed_in(self, hint: Hint | None) -> bool:
        """Return whether the hint lists all the turns already."""
        return hint is not None and {link.words for link in self.turns} <= hint.texts


@dataclass(frozen=True, slots=True)
class ReplyTarget:
    """The email that links open: its address and its Subject."""

    address: str
    subject: str

    def link(self, words: str, label: str = "") -> Link | None:
        """Return a link to an email with that text; None if the text is too long for a link.

        >>> target = ReplyTarget("games+token@pbem.example", "Re: [pbem #42] Quadrature: alice - bob")
        >>> target.link("e3f4").uri
        'mailto:games%2Btoken@pbem.example?subject=Re%3A%20%5Bpbem%20%2342%5D%20Quadrature%3A%20alice%20-%20bob&body=e3f4'
        """
        for subject in (self.subject, self.subject.partition("]")[0] + "]"):
            uri = mailto(self.address, subject, words)
            if len(uri) <= LONGEST:
                return Link(label or words, words, uri)
        return None

    def links(self, words: Iterable[tuple[str, str]]) -> tuple[Link, ...]:
        """Return links for pairs of text and label."""
        return tuple(link for each, label in words if (link := self.link(each, label)))


def _listed(links: Iterable[Link]) -> str:
    """Return the texts of links as lines that don't act as commands when they are quoted."""
    return "\n".join(listed(link.words.removeprefix(PREVIEW).strip() for link in links))


def answering(subject: str) -> str:
    """Return the Subject of a reply.

    >>> answering("[pbem #1] Quadrature: alice - bob"), answering("Re: hello")
    ('Re: [pbem #1] Quadrature: alice - bob', 'Re: hello')
    """
    return subject if subject.lower().startswith("re:") else f"Re: {subject}"


def mailto(address: str, subject: str, body: str) -> str:
    """Return the URI (RFC 6068) of an email to write: everything but letters and digits is encoded.

    >>> mailto("games+t@pbem.example", "Re: [pbem #1]", "move c1b1")
    'mailto:games%2Bt@pbem.example?subject=Re%3A%20%5Bpbem%20%231%5D&body=move%20c1b1'
    """
    local, _, domain = address.rpartition("@")
    encoded = (quote(part, safe="") for part in (local, domain, subject, "\r\n".join(body.splitlines())))
    return "mailto:{}@{}?subject={}&body={}".format(*encoded)


def link(target: ReplyTarget | None, words: str, label: str = "") -> Link | None:
    """Return a link that replies to its own message; None if a reply can't act for the reader."""
    return target.link(words, label) if target else None


# A match -----------------------------------------------------------------------------------------------


def of_match(snapshot: Snapshot, reader: Player | None, target: ReplyTarget | None) -> Links:
    """Return what the reader can do next in a match they play in; nothing for anyone else."""
    seat = snapshot.seat_of(reader) if reader else None
    if reader is None or seat is None or target is None:
        return Links()
    found = Links()
    if snapshot.hypothesis is not None:
        found = _of_preview(snapshot, snapshot.hypothesis, target)
    elif snapshot.match.state != MatchState.OFFERED and snapshot.position.turn == seat and not _is_over(snapshot):
        offered = choices(NOTATIONS[snapshot.match.game], snapshot.position)
        found = _choosing(target, offered, preview=PREVIEW, play="")
    answers = target.links(_answers(snapshot, seat))
    return replace(found, others=target.links(_others(snapshot, reader, seat)), answers=answers)


def _choosing(target: ReplyTarget, offered: Choices, *, preview: str, play: str | None) -> Links:
    """Return links for choices; `preview` and `play` go in front to preview or play (None: not playable)."""
    lead = preview if play is None else play
    cells = ((cell, target.link(_joined(preview, step.text), step.label)) for cell, step in offered.cells.items())
    return Links(
        turns=target.links((_joined(lead, text), text) for text in offered.turns),
        steps=target.links((_joined(preview, step.text), step.label) for step in offered.steps),
        by_cell={cell: link for cell, link in cells if link is not None},
    )


def _of_preview(snapshot: Snapshot, hypothesis: Hypothesis, target: ReplyTarget) -> Links:
    """Return how to complete a previewed turn, or to play a complete one and what can be added to it."""
    notation = NOTATIONS[snapshot.match.game]
    lead = _lead(snapshot, hypothesis)
    if not hypothesis.turns or snapshot.part or hypothesis.chosen:
        begun = "" if hypothesis.kept else snapshot.part or ""
        play = begun if hypothesis.playable and not hypothesis.turns else None
        offered = choices(notation, snapshot.position, hypothesis.chosen)
        return _choosing(target, offered, preview=_joined(lead, begun), play=play)
    _, last = hypothesis.turns[-1]
    longer = choices(notation, hypothesis.before, last)
    longer = replace(
        longer,
        turns=tuple(text for text in longer.turns if text != last),
        steps=tuple(step for step in longer.steps if step.text != last),
    )
    on = _choosing(target, longer, preview=lead, play=None)
    plays = _plays(notation, hypothesis) if hypothesis.playable else ()
    return Links(target.links((words, f"Play {words}") for words in plays), (*on.turns, *on.steps), by_cell=on.by_cell)


def _lead(snapshot: Snapshot, hypothesis: Hypothesis) -> str:
    """Return the words in front of the last turn of a preview: where it begins, and the turns before."""
    unfinished = bool(snapshot.part or hypothesis.chosen)
    earlier = hypothesis.turns if unfinished else hypothesis.turns[:-1]
    where = "" if hypothesis.since is None else f"{snapshot.number}#{hypothesis.since}"
    return _joined(PREVIEW, where, *(f"{text} {BETWEEN}" for _, text in earlier))


def _plays(notation: Notation[Any], hypothesis: Hypothesis) -> tuple[str, ...]:
    """Return the texts that play the first previewed turn: as it is, and with each ending it may have."""
    _, text = hypothesis.turns[0]
    endings = notation.endings(hypothesis.before) if len(hypothesis.turns) == 1 else ()
    return (text, *(f"{text} {ending}" for ending in endings if not text.endswith(ending)))


def _answers(snapshot: Snapshot, seat: Seat) -> Iterator[tuple[str, str]]:
    """Yield the texts and labels of the answers to the offers that the opponent made."""
    if snapshot.hypothesis is not None or snapshot.ply != snapshot.total:
        return
    for offer in offers.open_offers(snapshot.match):
        if offer.seat != seat:
            yield from ((f"accept {offer.kind}", f"Accept {offer.kind}"), (f"reject {offer.kind}", "Reject"))


def _others(snapshot: Snapshot, reader: Player, seat: Seat) -> Iterator[tuple[str, str]]:
    """Yield the texts and labels of other commands that fit."""
    match = snapshot.match
    if match.state == MatchState.OFFERED:
        if match.challenger == reader.id:
            yield "withdraw", "Withdraw"
        else:
            yield from (("accept", "Accept"), ("decline", "Decline"))
        yield from ((f"rules {match.game}", "Rules"), ("help", "Help"))
    elif match.state in (MatchState.RUNNING, MatchState.OVER):
        if _is_over(snapshot):
            yield from (("rematch", "Rematch"), ("show", "Show"), ("record", "Record"), ("help", "Help"))
            return
        begun = snapshot.part and (snapshot.hypothesis is None or snapshot.hypothesis.kept)
        if begun and snapshot.position.turn == snapshot.seat_of(reader):
            yield "undo", "Undo"
        if snapshot.hypothesis is None:
            if (
                snapshot.ply > 1
                and snapshot.game.can_be_drawn(match.options)
                and offers.find(match, OfferKind.DRAW) is None
            ):
                yield "draw", "Offer a draw"
            if not begun and seat in snapshot.seats and offers.find(match, OfferKind.UNDO) is None:
                yield "undo", "Take back"
            yield "resign", "Resign"
        yield from (("show", "Show"), ("help", "Help"))


def _is_over(snapshot: Snapshot) -> bool:
    """Return whether the match ended with this position."""
    return snapshot.ended_here or (snapshot.hypothesis is None and snapshot.position.outcome is not None)


def _joined(*words: str) -> str:
    """Join the words that aren't empty into one line."""
    return " ".join(word for word in words if word)
