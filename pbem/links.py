"""What a reader can do next, as links: each opens a mail to us with address, Subject and words filled in.

Whoever sees a mail with such a link can act as the one it was written for, so links stand only in mails to that
player, and only with his own token. Their words stand in the text part as well: a mail program that knows no links
costs taps, and nothing else.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

LONGEST = 1_999
"""No link has more characters; some programs cut what is longer."""


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
    def any(self) -> bool:
        """Whether there is anything to tap."""
        return bool(self.turns or self.steps or self.others)


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


def mailto(address: str, subject: str, body: str) -> str:
    """The URI (RFC 6068) of a mail to be written: everything but letters and digits is encoded.

    >>> mailto("games+t@pbem.example", "Re: [pbem #1]", "move c1b1")
    'mailto:games%2Bt@pbem.example?subject=Re%3A%20%5Bpbem%20%231%5D&body=move%20c1b1'
    """
    local, _, domain = address.rpartition("@")
    encoded = (quote(part, safe="") for part in (local, domain, subject, "\r\n".join(body.splitlines())))
    return "mailto:{}@{}?subject={}&body={}".format(*encoded)
