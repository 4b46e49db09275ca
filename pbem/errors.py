"""The two ways in which a message can fail: with a reply, or without one.

    Exception
    ├── Refused        the sender is told what was read, what is wrong and what would work
    └── Unanswerable   the message is filed; only the log says so

BadNotation, IllegalMove and BadOption, from the packages below, become a Refused where a command meets them.
Any other exception is a bug: the message is shunted, and the operator sees it.
"""

from collections.abc import Sequence


class Refused(Exception):
    """A command that was not carried out: one sentence for the sender, and what would work."""

    def __init__(
        self,
        sentence: str,
        *,
        read: str | None = None,
        at: int | None = None,
        width: int = 1,
        fits: str = "",
        match: int | None = None,
        meant: Sequence[str] = (),
        proposal: str | None = None,
    ) -> None:
        self.sentence = sentence
        self.read = read
        """The text as it was read; `at` and `width` say where the carets go."""
        self.at = at
        self.width = width
        self.fits = fits
        """What would work."""
        self.match = match
        """The match whose board to show."""
        self.meant = tuple(meant)
        """What may have been meant: a line, or up to three turns."""
        self.proposal = proposal
        """The line that a reply of `yes` carries out."""
        super().__init__(sentence)


class Unanswerable(Exception):
    """A message that gets no reply, and why."""
