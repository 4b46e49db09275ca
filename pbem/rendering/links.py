"""What a reader can do next, as links: each opens a message to us with address, subject and text filled in.

Anyone who sees such a link can act as its recipient, so links only appear in messages to that player, with their own
token. The text part has the same words: a mail program without links costs taps, and nothing else.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from notation import NOTATIONS
from notation.core import Notation
from notation.hints import Hint, listed
from notation.steps import Choices, choices
from pbem.matches.snapshot import Hypothesis, Snapshot
from pbem.matches.variations import BETWEEN
from pbem.storage.models import MatchState, Player

LONGEST = 1_999
"""No link has more characters; some programs cut what is longer."""
PREVIEW = "preview"


@dataclass(frozen=True, slots=True)
class Link:
    """Something to tap: what stands on it, the words that the mail it opens says, and where it leads."""

    label: str
    words: str
    uri: str


@dataclass(frozen=True, slots=True)
class Links:
    """All that a reader can tap in the part of a mail that is about one match."""

    turns: tuple[Link, ...] = ()
    """A link for each turn that he may play: all that are legal, where they are few; tapped and sent, it is played.

    Where turns are chosen in a preview that nothing comes of (another player's turn, an old position), these
    links preview too.
    """
    steps: tuple[Link, ...] = ()
    """Where there are more turns than that: the next thing to choose, a stone or a square. Each link previews."""
    others: tuple[Link, ...] = ()
    """What else fits: accept and decline, or resign, undo, show, help."""
    by_cell: Mapping[str, Link] = field(default_factory=dict)
    """For a board that can be tapped: the next choice that is this cell, by its name ("c4"). Each link previews."""

    @property
    def preview_only(self) -> bool:
        """Whether the turns can be looked at, but not played from here."""
        return all(link.words.startswith(PREVIEW) for link in self.turns)

    @property
    def listed(self) -> str:
        """The turns, or the steps where there are none, in lines for the text part; `preview` has to stand before."""
        return _listed(self.turns or self.steps)

    @property
    def steps_listed(self) -> str:
        """The steps in lines for the text part; `preview` has to stand before."""
        return _listed(self.steps)

    def stand_in(self, hint: Hint | None) -> bool:
        """Return whether the hint lists all the turns already."""
        return hint is not None and {link.words for link in self.turns} <= hint.texts


@dataclass(frozen=True, slots=True)
class Letter:
    """The mail that links open: to that address, under that Subject."""

    address: str
    subject: str

    def link(self, words: str, label: str = "") -> Link | None:
        """A link to a mail that says the words; None for words too long for a link.

        >>> letter = Letter("games+token@pbem.example", "Re: [pbem #42] Quadrature: alice - bob")
        >>> letter.link("e3f4").uri
        'mailto:games%2Btoken@pbem.example?subject=Re%3A%20%5Bpbem%20%2342%5D%20Quadrature%3A%20alice%20-%20bob&body=e3f4'
        """
        for subject in (self.subject, self.subject.partition("]")[0] + "]"):
            uri = mailto(self.address, subject, words)
            if len(uri) <= LONGEST:
                return Link(label or words, words, uri)
        return None

    def links(self, words: Iterable[tuple[str, str]]) -> tuple[Link, ...]:
        """Links for pairs of words and label."""
        return tuple(link for each, label in words if (link := self.link(each, label)))


def _listed(links: Iterable[Link]) -> str:
    """The words of links in lines that are no commands when they are quoted."""
    return "\n".join(listed(link.words.removeprefix(PREVIEW).strip() for link in links))


def answering(subject: str) -> str:
    """The Subject of an answer.

    >>> answering("[pbem #1] Quadrature: alice - bob"), answering("Re: hello")
    ('Re: [pbem #1] Quadrature: alice - bob', 'Re: hello')
    """
    return subject if subject.lower().startswith("re:") else f"Re: {subject}"


def mailto(address: str, subject: str, body: str) -> str:
    """The URI (RFC 6068) of a mail to be written: everything but letters and digits is encoded.

    >>> mailto("games+t@pbem.example", "Re: [pbem #1]", "move c1b1")
    'mailto:games%2Bt@pbem.example?subject=Re%3A%20%5Bpbem%20%231%5D&body=move%20c1b1'
    """
    local, _, domain = address.rpartition("@")
    encoded = (quote(part, safe="") for part in (local, domain, subject, "\r\n".join(body.splitlines())))
    return "mailto:{}@{}?subject={}&body={}".format(*encoded)


def link(letter: Letter | None, words: str, label: str = "") -> Link | None:
    """A link that answers the mail it stands in; None where an answer would not act for the reader."""
    return letter.link(words, label) if letter else None


# A match -----------------------------------------------------------------------------------------------


def of_match(standing: Snapshot, reader: Player | None, letter: Letter | None) -> Links:
    """What the reader, who plays in the match, can do next; nothing for anybody else."""
    seat = standing.seat_of(reader) if reader else None
    if reader is None or seat is None or letter is None:
        return Links()
    found = Links()
    if standing.supposed is not None:
        found = _of_preview(standing, standing.supposed, letter)
    elif standing.match.state != MatchState.OFFERED and standing.position.turn == seat and not _is_over(standing):
        offered = choices(NOTATIONS[standing.match.game], standing.position)
        found = _choosing(letter, offered, preview=PREVIEW, play="")
    return replace(found, others=letter.links(_others(standing, reader)))


def _choosing(letter: Letter, offered: Choices, *, preview: str, play: str | None) -> Links:
    """Links for choices: what stands before a text to preview it, and what to play it (None: it can't be played)."""
    lead = preview if play is None else play
    cells = ((cell, letter.link(_joined(preview, step.text), step.label)) for cell, step in offered.cells.items())
    return Links(
        turns=letter.links((_joined(lead, text), text) for text in offered.turns),
        steps=letter.links((_joined(preview, step.text), step.label) for step in offered.steps),
        by_cell={cell: link for cell, link in cells if link is not None},
    )


def _of_preview(standing: Snapshot, supposed: Hypothesis, letter: Letter) -> Links:
    """How a previewed turn is completed; or where it is complete, played, and what might be added to it."""
    notation = NOTATIONS[standing.match.game]
    lead = _lead(standing, supposed)
    if not supposed.turns or standing.part or supposed.chosen:
        begun = "" if supposed.kept else standing.part or ""
        play = begun if supposed.playable and not supposed.turns else None
        offered = choices(notation, standing.position, supposed.chosen)
        return _choosing(letter, offered, preview=_joined(lead, begun), play=play)
    _, last = supposed.turns[-1]
    longer = choices(notation, supposed.before, last)
    longer = replace(
        longer,
        turns=tuple(text for text in longer.turns if text != last),
        steps=tuple(step for step in longer.steps if step.text != last),
    )
    on = _choosing(letter, longer, preview=lead, play=None)
    plays = _plays(notation, supposed) if supposed.playable else ()
    return Links(letter.links((words, f"Play {words}") for words in plays), (*on.turns, *on.steps), (), on.by_cell)


def _lead(standing: Snapshot, supposed: Hypothesis) -> str:
    """What stands before the text of the last turn in a preview of it: from where, and the turns before it."""
    unfinished = bool(standing.part or supposed.chosen)
    earlier = supposed.turns if unfinished else supposed.turns[:-1]
    where = "" if supposed.since is None else f"{standing.number}#{supposed.since}"
    return _joined(PREVIEW, where, *(f"{text} {BETWEEN}" for _, text in earlier))


def _plays(notation: Notation[Any], supposed: Hypothesis) -> tuple[str, ...]:
    """The words that play the first of the previewed turns: as it is, and with what else may be said with it."""
    _, text = supposed.turns[0]
    endings = notation.endings(supposed.before) if len(supposed.turns) == 1 else ()
    return (text, *(f"{text} {ending}" for ending in endings if not text.endswith(ending)))


def _others(standing: Snapshot, reader: Player) -> Iterator[tuple[str, str]]:
    """What else fits: words and labels."""
    match = standing.match
    if match.state == MatchState.OFFERED:
        if match.challenger == reader.id:
            yield "withdraw", "Withdraw"
        else:
            yield from (("accept", "Accept"), ("decline", "Decline"))
        yield from ((f"rules {match.game}", "Rules"), ("help", "Help"))
    elif match.state in (MatchState.RUNNING, MatchState.OVER):
        if _is_over(standing):
            yield from (("show", "Show"), ("record", "Record"), ("help", "Help"))
            return
        begun = standing.part and (standing.supposed is None or standing.supposed.kept)
        if begun and standing.position.turn == standing.seat_of(reader):
            yield "undo", "Undo"
        if standing.supposed is None:
            yield "resign", "Resign"
        yield from (("show", "Show"), ("help", "Help"))


def _is_over(standing: Snapshot) -> bool:
    """Whether the match ended with this position."""
    return standing.ended_here or (standing.supposed is None and standing.position.outcome is not None)


def _joined(*words: str) -> str:
    """The words that are not empty, in one line."""
    return " ".join(word for word in words if word)
