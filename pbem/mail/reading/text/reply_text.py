"""The lines that a person wrote: a message's text without quotes, attributions and signatures, in linear time.

When in doubt, a line is kept: the grammar of commands ignores what isn't a command, but a lost line is a lost turn.
Lines stay as they were written, except for invisible characters.
"""

import itertools
import quopri
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial

from pbem.mail.reading.text import attributions, html_text, normalize, quoted_headers, separators, signatures
from pbem.mail.reading.text.attribution_words import COLONS
from pbem.mail.reading.text.attributions import AttributionFinder
from pbem.mail.reading.text.banners_and_disclaimers import banner_length, disclaimer_length
from pbem.mail.reading.text.kept_and_cut_lines import TextDraft, WrittenText
from pbem.mail.reading.text.quotes_of_us import NOBODY, Ours

LONGEST = 1_000_000
MOST_LINES = 5_000  # including quotes
LONGEST_ARMOUR = 100
QUOTING = (">", "\uff1e", "&gt;", "|")
_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
WRAPPED_FROM = 60
WRAPPED_AT = 72  # a quoted line this long may have been wrapped by a mail program, if the next word didn't fit
LONGEST_REMAINDER = 40
LONGEST_INTRODUCTION = 8
MOST_EMPTY = 4
LONGEST_ANNOUNCING = 1_000
MARKS = "> |"
QUESTIONS = ("?", "\uff1f", "\u061f", "\u037e")
ODD_MARKS = ":%#}|=\u00bb]"
"""Other marks before quoted lines, but only right below an attribution and before at least two lines."""


def read(text: str, is_html: bool = False, author: str | None = None, ours: Ours = NOBODY) -> WrittenText:
    r"""Return what the person wrote, line by line, without blank lines at the ends or two in a row.

    Nothing here knows what a command is, so what was cut is returned as well: whoever knows looks for one there. Our
    own messages, which most of these answer, are recognised by what `ours` says of them.

    >>> read("c1b1 g9h9 3\n\nOn Mon, 2 Mar 2026 at 09:59, PBeM wrote:\n> resign\n\nYours\n-- \nBob").lines
    ('c1b1 g9h9 3', '', 'Yours')
    """
    page = page_of(html_text.text(text) if is_html else text[:LONGEST])
    if is_html and all(is_quoted(line) or not line.strip() for line in page):
        # There is a program that puts all words into a blockquote, with those that it quotes.
        reader = _ReplyReader(page_of(html_text.text(text, bare=True)), author, ours)
        written = reader.written()
        return written if reader.has_quotes else replace(written, sure=0)
    return _ReplyReader(page, author, ours).written()


class _ReplyReader:
    """One pass over the lines of a message; each step examines a bounded number of them, or skips them for good."""

    def __init__(self, page: Sequence[str], author: str | None, ours: Ours) -> None:
        self._page = page
        self._author = author
        self._ours = ours
        self._draft = TextDraft()
        self._at = 0
        self._attributions = AttributionFinder(page, ours)
        self._header_length = cache(partial(quoted_headers.header_length_at, page, ours=ours, person=author))
        self._begins_quote = cache(self._is_beginning)
        self.has_quotes = False
        self._is_asked = False
        """Whether the lines above, up to the next words, are a quote that ends with a question."""

    def written(self) -> WrittenText:
        self._cut_lines(banner_length(self._page))
        while self._at < len(self._page) and not self._draft.is_full:
            self._step()
        return self._draft.written()

    def _cut_lines(self, count: int) -> None:
        self._draft.cut(self._page[self._at : self._at + count])
        self._at += count

    def _step(self) -> None:
        line = self._page[self._at]
        if not line.strip():
            self._draft.add("")
            self._at += 1
        elif is_quoted(line):
            self._skip_marked()
        elif armour := armour_length(self._page, self._at):
            self._at += armour
        elif self._skips_introduction():
            pass
        elif self._begins_signature(line):
            self._skip_signature()
        elif signatures.is_tagline(line, stands_alone=self._stands_alone(), is_last=self._is_last()):
            below = itertools.takewhile(signatures.is_link, self._page[self._at + 1 : self._at + 3])
            self._cut_lines(1 + sum(1 for _ in below))
        elif notice := disclaimer_length(self._page, self._at):
            self._cut_lines(notice)
        else:
            self._keep(line)
            self._at += 1

    def _keep(self, line: str) -> None:
        doubtful = not self._draft.is_doubted and self._may_announce(self._at)
        tagline = signatures.inline_tagline(line)
        self._draft.add(line[:tagline])
        if doubtful:
            self._draft.doubt()
        if self._is_asked:
            self._draft.answer(line)
            self._is_asked = False
        if tagline is not None:
            self._draft.cut([line[tagline:]])

    # Quotes

    def _is_beginning(self, number: int) -> bool:
        line = self._page[number]
        if (
            is_quoted(line)
            or separators.is_separator(line)
            or self._header_length(number)
            or self._inline_quote(line) == 0
            or self._ours.begins_at(self._page, number)
        ):
            return True
        attribution = self._attributions.attribution_at(number)
        return bool(attribution and (attribution.is_sure or self._is_marked_from(number + attribution.lines)))

    def _announces_unmarked(self) -> bool:
        """Return whether the marked lines that end right above this line only announce what isn't marked below them."""
        beginning = self._at - 1
        while beginning and self._at - beginning < LONGEST_INTRODUCTION and is_quoted(self._page[beginning - 1]):
            beginning -= 1
        lines = [line[:LONGEST_ANNOUNCING].strip(MARKS) for line in self._page[beginning : self._at]]
        if separators.is_reply_above(lines[-1]) or self._ours.announcement_at(lines, 0) == len(lines):
            return True
        return any(
            at + quoted_headers.header_length_at(lines, at, self._ours, self._author) == len(lines)
            for at in range(min(2, len(lines)))
        )

    def _inline_quote(self, line: str) -> int | None:
        """Return where a separator or quoted header begins in a line, perhaps after other words; None if none does."""
        cut = separators.inline_separator(line)
        if cut is None:
            cut = quoted_headers.inline_header(line, self._ours)
        return None if cut is None else len(separators.without_rule(line[:cut]))

    def _may_announce(self, number: int) -> bool:
        """Return whether the line, which is no quote for sure, may announce one: then no turn below it is played."""
        line, above = self._page[number], self._page[number - 1] if number else ""
        return (
            self._ours.may_be_announced_by(line)
            or self._attributions.is_at_end(number)
            or attributions.may_be_one(line)
            or attributions.names_a_writer(line)
            or (above != "" and attributions.names_a_writer(f"{above.rstrip()}, {line}"))
            or quoted_headers.may_be_one(line)
        )

    def _skip_marked(self) -> None:
        self.has_quotes = True
        while self._at < len(self._page) and is_quoted(self._page[self._at]):
            self._at += 1
        self._is_asked = self._page[self._at - 1].rstrip().endswith(QUESTIONS)
        marked = (line.strip(MARKS) for line in reversed(self._page[max(0, self._at - MOST_EMPTY) : self._at]))
        last = next(filter(None, marked), "")
        if self._draft.has_words and self._announces_unmarked():
            self._at = len(self._page)
        elif self._draft.has_words and AttributionFinder([last]).is_at_end(0):
            self._draft.doubt()
        elif self._is_remainder():
            self._at += 1

    def _skips_introduction(self) -> bool:
        """Skip what announces a quote, and the quote if it isn't marked; return False if none begins here."""
        beginning, announced = self._at, False
        header: Sequence[str] = ()
        while self._at < len(self._page):
            line = self._page[self._at]
            if is_quoted(line):
                if not announced or not quoted_headers.is_label(line.lstrip(MARKS)):
                    break  # the quoted text may quote somebody too
                self._at += 1
            if self._at > beginning and (not line.strip() or separators.is_rule(line)):
                self._at += 1
            elif separators.is_separator(line):
                announced = True
                self._at += 1
            elif self._is_rule_above_quote():
                self._at += 1
            elif length := self._header_length(self._at):
                header = header or self._page[self._at : self._at + length]
                self._at += length
            elif (cut := self._inline_quote(line)) is not None:
                if cut or self._draft.has_words or separators.inline_separator(line) is not None:
                    self._keep(line[:cut])
                    announced = True
                header = header or quoted_headers.inline_lines(line, self._ours)
                self._at += 1
            elif self._ours.begins_at(self._page, self._at):
                announced = announced or self._draft.has_words
                break
            elif not self._skips_attribution(sure=announced or bool(header)):
                break
        if self._at == beginning and not announced:
            return False
        self.has_quotes = True
        self._skip_below(beginning, announced=announced, header=header)
        return True

    def _skips_attribution(self, *, sure: bool) -> bool:
        """Skip an attribution; within a quote only a sure one, since the quoted text may quote somebody too."""
        attribution = self._attributions.attribution_at(self._at)
        if attribution is None:
            return False
        if not attribution.is_sure and (sure or not self._is_marked_from(self._at + attribution.lines)):
            return False
        if attribution.column:
            self._keep(separators.without_glued_dashes(self._page[self._at][: attribution.column]))
        self._at += attribution.lines
        return True

    def _skip_below(self, beginning: int, *, announced: bool, header: Sequence[str]) -> None:
        """Skip the quote below its introduction: everything that follows, unless something shows where it ends."""
        while self._at < len(self._page) and not self._page[self._at].strip():
            self._at += 1
        if self._at == len(self._page) or is_quoted(self._page[self._at]) or self._skips_unusual_quote():
            return
        author = quoted_headers.author_of(header) if header else None
        foreign = self._author is not None and author not in (None, self._author)
        if not self._draft.has_words and not announced:
            if foreign and self._ours.is_named_in(author or ""):
                self._keep_paragraph()
                return
            if not foreign:
                if not header and not self._draft.is_doubted:
                    self._draft.doubt()
                return  # nothing above: the reply may be below, and can't be told from the quote
        if not announced and not header and self._is_answered_inside():
            return
        self._at = len(self._page)

    def _keep_paragraph(self) -> None:
        """Keep the paragraph below our header if it isn't ours; what follows may be."""
        if self._ours.begins_at(self._page, self._at):
            self._at = len(self._page)
            return
        while self._at < len(self._page) and self._page[self._at].strip():
            self._keep(self._page[self._at])
            self._at += 1
        self._draft.doubt()

    def _is_rule_above_quote(self) -> bool:
        line = self._page[self._at]
        if not (separators.is_drawn(line) or separators.is_bare_separator(line)):
            return False
        below = self._at + 1
        while below < min(len(self._page), self._at + 4) and not self._page[below].strip():
            below += 1
        if below >= len(self._page):
            return False
        bare_from = quoted_headers.is_label(self._page[below]) and "@" in self._page[below]
        return bare_from or (self._begins_quote(below) and not separators.is_separator(self._page[below]))

    def _is_marked_from(self, number: int) -> bool:
        if number < len(self._page) and not self._page[number].strip():
            number += 1
        return number < len(self._page) and is_quoted(self._page[number])

    def _skips_unusual_quote(self) -> bool:
        """Skip a quote that is indented, or marked in an unusual way, right below its attribution."""
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
        """Return whether the person's reply begins right below an attribution, and marked lines come only later."""
        for number in range(self._at, min(len(self._page), self._at + 2 * LONGEST_REMAINDER)):
            line = self._page[number]
            if line.startswith(">"):
                above = next((text for text in reversed(self._page[self._at : number]) if text.strip()), "")
                return not above.rstrip().endswith(COLONS)
            if separators.is_separator(line) or self._header_length(number):
                return False
        return False

    def _is_remainder(self) -> bool:
        """Return whether this unmarked line is the end of the quoted line above, which a mail program wrapped."""
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
            above = [text for text in self._page[max(0, self._at - 2) : self._at] if text.strip()]
            return self._draft.has_words or not (above and is_quoted(above[-1]))  # otherwise it is the quoted text's
        if not self._draft.has_words:
            return False  # a single dash may be a turn: a piece that stays
        if separators.is_rule(line) and not line.strip(" _"):
            return True  # below it are the person's contact details, or a mailing list's
        if signatures.is_loose_delimiter(line):
            below = filter(str.strip, self._block_below(3 * signatures.MOST_LINES))
            return len(list(below)) <= signatures.MOST_LINES
        return len(line.strip()) >= 3 and not line.strip(" -_=*~") and signatures.has_contacts(self._block_below())

    def _skip_signature(self) -> None:
        end = self._at + 1
        while end < len(self._page) and not self._begins_quote(end) and not self._may_announce(end):
            end += 1
        self._cut_lines(end - self._at)
        while self._at < len(self._page) and not self._begins_quote(self._at):
            self._at += 1  # what may be quoted is no signature

    def _block_below(self, most: int = 30) -> list[str]:
        below = range(self._at + 1, min(len(self._page), self._at + 1 + most))
        own = itertools.takewhile(lambda number: not self._begins_quote(number), below)
        return [self._page[number] for number in own]

    def _is_last(self) -> bool:
        """Return whether nothing but a link stands below this line before a quote or the end."""
        at = self._at + 1
        while at < min(len(self._page), self._at + 4) and (
            not self._page[at].strip() or signatures.is_link(self._page[at])
        ):
            at += 1
        return at == len(self._page) or self._begins_quote(at)

    def _stands_alone(self) -> bool:
        above = self._page[self._at - 1] if self._at else ""
        below = self._page[self._at + 1] if self._at + 1 < len(self._page) else ""
        begins = (
            not above.strip() or not self._draft.has_words or is_quoted(above) or signatures.is_loose_delimiter(above)
        )
        return begins and (not below.strip() or separators.is_rule(below) or self._begins_quote(self._at + 1))


def page_of(text: str) -> list[str]:
    text = _without_soft_breaks(text)
    end = next(itertools.islice(_LINE_END.finditer(text), MOST_LINES - 1, None), None)
    return normalize.clean(text[: end.start()] if end else text).split("\n")


def is_quoted(line: str) -> bool:
    """Return whether a line is marked as quoted: by >, by |, or by the writer's initials."""
    bare = line.lstrip()[:10]
    if bare.startswith(QUOTING):
        return True
    initials, mark, rest = bare.partition(">")
    named = 1 <= len(initials) <= 3 and initials.isalpha() and initials.isupper()
    return bool(mark) and named and rest[:1] in ("", " ", ">")


def armour_length(page: Sequence[str], number: int) -> int:
    """Return the number of lines of the PGP armour that begins there: its head, or a whole signature."""
    line = page[number]
    if not line.startswith("-----BEGIN PGP "):
        return 0
    ends = ("", "-----END PGP") if "SIGNED MESSAGE" in line else ("-----END PGP",)
    for at in range(number + 1, min(len(page), number + LONGEST_ARMOUR)):
        if page[at].startswith(ends[-1]) or (ends[0] == "" and not page[at].strip()):
            return at - number + 1
    return 1


def _without_soft_breaks(text: str) -> str:
    """Return the text decoded from quoted-printable, if it still has undecoded soft line breaks."""
    ended = text.count("=\n") + text.count("=\r\n")
    if ended < 2 or not any(sign in text for sign in ("=E2=80", "=C2=A0", "=3D", "=C3=", "=20\n", "=20\r\n")):
        return text
    decoded = quopri.decodestring(text.encode("utf-8"))
    try:
        return decoded.decode("utf-8")
    except UnicodeDecodeError:
        return text
