"""The lines a person wrote: the text of a mail without quotes, attributions and signatures, in linear time.

When in doubt a line is kept: the grammar of commands ignores what is no command, but a lost line is a lost
move. What is passed on stays as it was written but for characters that can't be seen.
"""

import quopri
from collections.abc import Sequence

from pbem.reading.text import attributions, disclaimers, html_text, normalize, quoted_headers, signatures
from pbem.reading.text.attributions import Attribution

MOST_LINES = 5_000
WRAPPED_FROM = 60
WRAPPED_AT = 72
"""A quoted line this long whose next word had no room may have been broken by a mail program."""
LONGEST_REMAINDER = 40
LONGEST_ARMOUR = 100
QUOTING = (">", "\uff1e", "&gt;", "|")
ODD_MARKS = ":%#}|=\u00bb]"
"""What else stands before quoted lines, but only right below an attribution and before two lines at least."""


def lines(text: str, is_html: bool = False, author: str | None = None) -> tuple[str, ...]:
    r"""What the person wrote, line by line; no blank lines at the ends, and never two together.

    >>> lines("c1b1 g9h9 3\n\nOn Mon, 2 Mar 2026 at 09:59, PBeM wrote:\n> resign\n\nYours\n-- \nBob")
    ('c1b1 g9h9 3', '', 'Yours')
    """
    source = html_text.text(text) if is_html else text
    page = normalize.clean(_unfolded(source)).split("\n")[:MOST_LINES]
    return _Sieve(page, author).words()


class _Sieve:
    """One pass over the lines of a mail; each step looks at a bounded number of them, or passes over them for good."""

    def __init__(self, page: Sequence[str], author: str | None) -> None:
        self._page = page
        self._author = author
        self._kept: list[str] = []
        self._has_words = False
        self._at = 0
        self._attributions: dict[int, Attribution | None] = {}
        self._headings: dict[int, int] = {}
        self._beginnings: dict[int, bool] = {}

    def words(self) -> tuple[str, ...]:
        """The lines that stay."""
        self._at = disclaimers.banner_lines(self._page)
        while self._at < len(self._page):
            self._step()
        return trimmed(self._kept)

    def _step(self) -> None:
        line = self._page[self._at]
        if not line.strip():
            self._kept.append("")
            self._at += 1
        elif is_quoted(line):
            self._at += 1
            if self._is_remainder():
                self._at += 1
        elif armour := _armour(self._page, self._at):
            self._at += armour
        elif self._passes_introduction():
            pass
        elif self._begins_signature(line):
            self._pass_signature()
        elif signatures.is_tagline(line, stands_alone=self._stands_alone()):
            self._at += 1
        elif notice := disclaimers.notice_lines(self._page, self._at):
            self._at += notice
        else:
            self._keep(line)
            self._at += 1

    def _keep(self, line: str) -> None:
        tagline = signatures.joined_tagline(line)
        words = (line if tagline is None else line[:tagline]).rstrip()
        self._has_words = self._has_words or bool(words)
        self._kept.append(words)

    # Quotes

    def _attribution(self, number: int) -> Attribution | None:
        """The attribution that begins in that line, looked for once."""
        if number not in self._attributions:
            self._attributions[number] = attributions.attribution_at(self._page, number)
        return self._attributions[number]

    def _heading(self, number: int) -> int:
        """How many lines the heading takes that begins there, looked for once."""
        if number not in self._headings:
            self._headings[number] = quoted_headers.heading_at(self._page, number)
        return self._headings[number]

    def _begins_quote(self, number: int) -> bool:
        """Whether a quote begins in that line, marked or announced; looked for once."""
        if number not in self._beginnings:
            self._beginnings[number] = self._is_beginning(number)
        return self._beginnings[number]

    def _is_beginning(self, number: int) -> bool:
        line = self._page[number]
        if is_quoted(line) or quoted_headers.is_separator(line) or self._heading(number) or _joined(line) == 0:
            return True
        found = self._attribution(number)
        return found is not None and (found.is_sure or self._is_marked_from(number + found.lines))

    def _passes_introduction(self) -> bool:
        """Pass over what announces a quote, and over the quote where it isn't marked; False where none begins."""
        begun, announced = self._at, False
        heading: Sequence[str] = ()
        while self._at < len(self._page):
            line = self._page[self._at]
            if self._at > begun and (not line.strip() or quoted_headers.is_rule(line)):
                self._at += 1
            elif quoted_headers.is_separator(line):
                announced = True
                self._at += 1
            elif self._is_rule_above_quote():
                self._at += 1
            elif length := self._heading(self._at):
                heading = heading or self._page[self._at : self._at + length]
                self._at += length
            elif (cut := _joined(line)) is not None:
                self._keep(line[:cut])
                announced = True
                self._at += 1
            elif not self._passes_attribution(sure=announced or bool(heading)):
                break
        if self._at == begun:
            return False
        self._pass_below(begun, announced=announced, heading=heading)
        return True

    def _passes_attribution(self, *, sure: bool) -> bool:
        """Pass over an attribution; within a quote only over a sure one, since what is quoted may quote somebody."""
        found = self._attribution(self._at)
        if found is None or not (found.is_sure or (not sure and self._is_marked_from(self._at + found.lines))):
            return False
        if found.column:
            self._keep(self._page[self._at][: found.column])
        self._at += found.lines
        return True

    def _pass_below(self, begun: int, *, announced: bool, heading: Sequence[str]) -> None:
        """Pass over the quote below its introduction; all that follows, unless something tells where it ends."""
        while self._at < len(self._page) and not self._page[self._at].strip():
            self._at += 1
        if self._at == len(self._page) or is_quoted(self._page[self._at]) or self._passes_marked_oddly():
            return
        foreign = (
            bool(heading) and self._author is not None and quoted_headers.author_of(heading) not in (None, self._author)
        )
        if not self._has_words and not announced and not foreign:
            return  # nothing stands above: who answered did so below, and can't be told from the quote
        if not announced and not heading and self._is_answered_inside():
            return
        self._at = len(self._page)

    def _is_rule_above_quote(self) -> bool:
        """Whether a line is drawn here, perhaps with a word in it, and a quote begins below it."""
        line = self._page[self._at]
        if not (quoted_headers.is_drawn(line) or quoted_headers.is_bare_separator(line)):
            return False
        below = self._at + 1
        while below < min(len(self._page), self._at + 4) and not self._page[below].strip():
            below += 1
        if below >= len(self._page):
            return False
        bare_from = quoted_headers.is_label(self._page[below]) and "@" in self._page[below]
        return bare_from or (self._begins_quote(below) and not quoted_headers.is_separator(self._page[below]))

    def _is_marked_from(self, number: int) -> bool:
        """Whether marked lines begin there or below one blank line."""
        if number < len(self._page) and not self._page[number].strip():
            number += 1
        return number < len(self._page) and is_quoted(self._page[number])

    def _passes_marked_oddly(self) -> bool:
        """Pass over a quote that is indented, or marked in an odd way, right below its attribution."""
        first = self._page[self._at]
        mark = first[0] if first[0] in ODD_MARKS else " \t" if first[0] in " \t" else ""
        if not mark:
            return False
        end, marked = self._at, 0
        while end < len(self._page) and (not self._page[end].strip() or self._page[end][0] in mark):
            marked += bool(self._page[end].strip())
            end += 1
        if marked < 2 and end < len(self._page):
            return False
        self._at = end
        return True

    def _is_answered_inside(self) -> bool:
        """Whether the person's answer begins right below an attribution, and marked lines come only after it."""
        for number in range(self._at, min(len(self._page), self._at + 2 * LONGEST_REMAINDER)):
            line = self._page[number]
            if line.startswith(">"):
                above = next((text for text in reversed(self._page[self._at : number]) if text.strip()), "")
                return not above.rstrip().endswith(attributions.COLONS)
            if quoted_headers.is_separator(line) or self._heading(number):
                return False
        return False

    def _is_remainder(self) -> bool:
        """Whether this unmarked line is the end of the quoted line above, which a mail program broke."""
        above = self._page[self._at - 1]
        below = self._page[self._at + 1] if self._at + 1 < len(self._page) else ""
        if self._at >= len(self._page) or not is_quoted(below) or len(above) < WRAPPED_FROM:
            return False
        line = self._page[self._at]
        if not line.strip() or is_quoted(line) or len(line) > LONGEST_REMAINDER:
            return False
        if above.endswith((".", "?", "!", ":")) or not above.lstrip("> ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
            return False
        return len(above) + 1 + len(line.split()[0]) > WRAPPED_AT

    # Signatures

    def _begins_signature(self, line: str) -> bool:
        if signatures.is_delimiter(line):
            return True
        if not self._has_words:
            return False  # a dash alone may be a move: a stone that stays
        if quoted_headers.is_rule(line) and not line.strip(" _"):
            return True  # below it stand the address of the person, or that of a mailing list
        if signatures.is_loose_delimiter(line):
            return self._rest_is_short(signatures.MOST_LINES)
        return len(line.strip()) >= 3 and not line.strip(" -_=*~") and signatures.has_contacts(self._block_below())

    def _pass_signature(self) -> None:
        """Pass over a signature: to the next quote, or to the end."""
        self._at += 1
        while self._at < len(self._page) and not self._begins_quote(self._at):
            self._at += 1

    def _rest_is_short(self, most: int) -> bool:
        return sum(bool(line.strip()) for line in self._block_below(3 * most)) <= most

    def _block_below(self, most: int = 30) -> list[str]:
        """The lines below this one to the next quote or the end."""
        found = []
        for number in range(self._at + 1, min(len(self._page), self._at + 1 + most)):
            if self._begins_quote(number):
                break
            found.append(self._page[number])
        return found

    def _stands_alone(self) -> bool:
        """Whether this line is a paragraph of its own, as far as what follows can tell."""
        above = self._page[self._at - 1] if self._at else ""
        below = self._page[self._at + 1] if self._at + 1 < len(self._page) else ""
        begins = not above.strip() or not self._has_words or is_quoted(above) or signatures.is_loose_delimiter(above)
        return begins and (not below.strip() or quoted_headers.is_rule(below) or self._begins_quote(self._at + 1))


def is_quoted(line: str) -> bool:
    """Whether a line is marked as quoted: by >, by |, or by the initials of who wrote it.

    >>> is_quoted("> > resign"), is_quoted(" | join alice"), is_quoted("AB> resign"), is_quoted("a1 > b1")
    (True, True, True, False)
    """
    bare = line.lstrip()[:10]
    if bare.startswith(QUOTING):
        return True
    initials, found, rest = bare.partition(">")
    named = 1 <= len(initials) <= 3 and initials.isalpha() and initials.isupper()
    return bool(found) and named and rest[:1] in ("", " ", ">")


def _joined(line: str) -> int | None:
    """Where in a line a quoted mail begins behind the words of the person, but for attributions."""
    cut = quoted_headers.joined_separator(line)
    if cut is None:
        cut = quoted_headers.joined_heading(line)
    return None if cut is None else len(quoted_headers.without_rule(line[:cut]))


def _armour(page: Sequence[str], number: int) -> int:
    """How many lines a PGP mark takes that begins there: its head, or a signature from begin to end."""
    line = page[number]
    if not line.startswith("-----BEGIN PGP "):
        return 0
    ends = ("", "-----END PGP") if "SIGNED MESSAGE" in line else ("-----END PGP",)
    for at in range(number + 1, min(len(page), number + LONGEST_ARMOUR)):
        if page[at].startswith(ends[-1]) or (ends[0] == "" and not page[at].strip()):
            return at - number + 1
    return 1


def _unfolded(text: str) -> str:
    """The text without the soft line breaks of quoted-printable, where it still has them undecoded."""
    ended = text.count("=\n") + text.count("=\r\n")
    if ended < 2 or not any(sign in text for sign in ("=E2=80", "=C2=A0", "=3D", "=C3=", "=20\n", "=20\r\n")):
        return text
    decoded = quopri.decodestring(text.encode("utf-8"))
    try:
        return decoded.decode("utf-8")
    except UnicodeDecodeError:
        return text


def trimmed(found: Sequence[str]) -> tuple[str, ...]:
    """The lines without blank ones at the ends, and never two blank ones together.

    >>> trimmed(["", "c1b1 ", "", " ", "Bye", ""])
    ('c1b1', '', 'Bye')
    """
    kept: list[str] = []
    for line in found:
        if line.strip() or (kept and kept[-1]):
            kept.append(line.rstrip())
    while kept and not kept[-1]:
        kept.pop()
    return tuple(kept)
